"""The idempotency keys of every queue that has them, under their contract."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from tests.postgres import Server

from blobforge.coordination.memory.backend import open_queue as open_memory_queue
from blobforge.coordination.sql.backend import open_queue as open_sqlite_queue
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres_queue
from blobforge.ports.idempotency import IdempotencyKeys
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions
from blobforge.testing.idempotency_contract import IdempotencyContract, OpenKeys


@contextmanager
def opening(open_queue: Callable[[], OpenedQueue]) -> Iterator[OpenKeys]:
    with ExitStack() as opened:

        def open_another() -> IdempotencyKeys:
            queue = open_queue()
            opened.enter_context(closing(queue.store))
            assert queue.idempotency_keys is not None
            return queue.idempotency_keys

        yield open_another


class TestInMemory(IdempotencyContract):
    @pytest.fixture
    def open_keys(self) -> OpenKeys:
        keys = open_memory_queue("memory://", QueueOptions()).idempotency_keys
        assert keys is not None
        return lambda: keys


class TestInSqlite(IdempotencyContract):
    @pytest.fixture
    def open_keys(self, tmp_path: Path) -> Iterator[OpenKeys]:
        url = f"sqlite:///{tmp_path / 'queue.db'}"
        with opening(lambda: open_sqlite_queue(url, QueueOptions(durable=False))) as open_keys:
            yield open_keys


class TestInPostgres(IdempotencyContract):
    @pytest.fixture
    def open_keys(self, postgres_server: Server) -> Iterator[OpenKeys]:
        url = postgres_server.empty_queue()
        with opening(lambda: open_postgres_queue(url, QueueOptions())) as open_keys:
            yield open_keys
