"""Stores for the contracts: each a function that opens another handle on the same jobs."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from tests.postgres import Server

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.sql.backend import open_queue
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres_queue
from blobforge.ports.job_store import JobStore
from blobforge.ports.queue_backend import QueueOptions


@pytest.fixture
def open_memory_store() -> Callable[[], JobStore]:
    store = MemoryJobStore()
    return lambda: store


@pytest.fixture
def open_sqlite_store(tmp_path: Path) -> Iterator[Callable[[], JobStore]]:
    with ExitStack() as opened:

        def open_another() -> JobStore:
            store = open_queue(f"sqlite:///{tmp_path / 'jobs.db'}", QueueOptions(durable=False)).store
            return opened.enter_context(closing(store))

        yield open_another


@pytest.fixture
def open_postgres_store(postgres_server: Server) -> Iterator[Callable[[], JobStore]]:
    with opening_postgres_stores(postgres_server) as open_store:
        yield open_store


@contextmanager
def opening_postgres_stores(server: Server) -> Iterator[Callable[[], JobStore]]:
    url = server.empty_queue()
    with ExitStack() as opened:

        def open_another() -> JobStore:
            return opened.enter_context(closing(open_postgres_queue(url, QueueOptions()).store))

        yield open_another
