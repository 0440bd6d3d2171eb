"""Every job store under the one contract."""

from collections.abc import Callable, Iterator

import pytest
from tests.contract.conftest import opening_postgres_stores
from tests.parts import is_missing
from tests.postgres import DEBIAN, Server, running

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.ports.job_store import JobStore
from blobforge.testing.flaky_store import FlakyStore
from blobforge.testing.job_store_contract import JobStoreContract, OpenStore


@pytest.fixture(scope="module")
def postgres_15() -> Iterator[Server]:
    if not DEBIAN.exists():
        is_missing("Debian's PostgreSQL 15 is not installed")
    with running(programs=DEBIAN) as server:
        yield server


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


@pytest.mark.extended
class TestPostgres15(JobStoreContract):
    @pytest.fixture
    def open_store(self, postgres_15: Server) -> Iterator[OpenStore]:
        with opening_postgres_stores(postgres_15) as open_store:
            yield open_store


class TestAFlakyStoreThatLosesNothing(JobStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[], JobStore]:
        store = MemoryJobStore()
        return lambda: FlakyStore(store)
