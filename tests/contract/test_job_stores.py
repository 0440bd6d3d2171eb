"""Every job store under the one contract."""

from collections.abc import Callable

import pytest

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.ports.job_store import JobStore
from blobforge.testing.flaky_store import FlakyStore
from blobforge.testing.job_store_contract import JobStoreContract, OpenStore


class TestMemory(JobStoreContract):
    @pytest.fixture
    def open_store(self, open_memory_store: OpenStore) -> OpenStore:
        return open_memory_store


class TestSqlite(JobStoreContract):
    @pytest.fixture
    def open_store(self, open_sqlite_store: OpenStore) -> OpenStore:
        return open_sqlite_store


class TestPostgres(JobStoreContract):
    @pytest.fixture
    def open_store(self, open_postgres_store: OpenStore) -> OpenStore:
        return open_postgres_store


class TestAFlakyStoreThatLosesNothing(JobStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[], JobStore]:
        store = MemoryJobStore()
        return lambda: FlakyStore(store)
