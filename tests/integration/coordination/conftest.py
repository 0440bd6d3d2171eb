"""A queue on PostgreSQL for tests that name its database by a fixture `url`."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.postgres import Databases

from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.ports.job_store import JobStore
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions


@pytest.fixture
def url(postgres_server: Databases) -> str:
    return postgres_server.new_database()


@pytest.fixture
def queue(url: str) -> Iterator[OpenedQueue]:
    opened = open_queue(url, QueueOptions())
    with closing(opened.store):
        yield opened


@pytest.fixture
def store(queue: OpenedQueue) -> JobStore:
    return queue.store
