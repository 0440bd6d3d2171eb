"""Every job store under the one contract."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.sql.plugin import open_queue
from blobforge.ports.job_store import JobStore
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.job_store_contract import JobStoreContract


class TestMemory(JobStoreContract):
    @pytest.fixture
    def open_store(self) -> Callable[[], JobStore]:
        store = MemoryJobStore()
        return lambda: store


class TestSqlite(JobStoreContract):
    @pytest.fixture
    def open_store(self, tmp_path: Path) -> Iterator[Callable[[], JobStore]]:
        opened: list[JobStore] = []

        def open_another() -> JobStore:
            store = open_queue(f"sqlite:///{tmp_path / 'jobs.db'}", QueueOptions()).store
            opened.append(store)
            return store

        yield open_another
        for store in opened:
            store.close()
