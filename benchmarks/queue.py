"""A SQLite queue for measuring, and the same moves in plain SQL on the same table."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue
from blobforge.domain.ids import DEFAULT_PROJECT, WorkerId
from blobforge.domain.job import NewJob
from blobforge.ports.job_store import Queue
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import hash_of

QUEUE = Queue(DEFAULT_PROJECT, ("pdf",))
WORKER = WorkerId("bench")

_CLAIM = """
UPDATE jobs SET status = 'running', worker_id = 'bench', lease_number = lease_number + 1, attempts = attempts + 1,
    lease_expires_at = :until, due_at = :until, started_at = :now, updated_at = :now, ready = 0, rev = rev + 1
WHERE id IN (
    SELECT id FROM jobs WHERE ready AND project = 'default' AND type = 'pdf' ORDER BY priority, created_at, id LIMIT :n
) RETURNING *
"""
_COMPLETE = """
UPDATE jobs SET status = 'completed', worker_id = NULL, lease_expires_at = NULL, due_at = NULL, completed_at = ?,
    updated_at = ?, result = '{{}}', rev = rev + 1 WHERE id IN ({marks})
"""


@contextmanager
def filled_queue(jobs: int, *, folder: Path | None = None) -> Iterator[tuple[CoordinationService, Path]]:
    """A queue of no-op jobs in a folder that is removed, with the settings of `convert`."""
    with TemporaryDirectory(dir=folder) as place:
        path = Path(place, "queue.db")
        service = open_service(path)
        try:
            add_jobs(service, jobs)
            yield service, path
        finally:
            service.close()


def open_service(path: Path) -> CoordinationService:
    store = open_queue(f"sqlite:///{path}", QueueOptions(durable=False)).store
    return CoordinationService(store, clock=SystemClock())


def add_jobs(service: CoordinationService, count: int, *, job_type: str = "pdf", first: int = 0) -> None:
    for start in range(first, first + count, 10_000):
        numbers = range(start, min(start + 10_000, first + count))
        service.submit([NewJob(DEFAULT_PROJECT, job_type, hash_of(str(number))) for number in numbers])


class PlainSql:
    """What a person would write by hand: one UPDATE … RETURNING to claim, one UPDATE to complete."""

    def __init__(self, path: Path, *, synchronous: Literal["NORMAL", "FULL"] = "NORMAL") -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute(f"PRAGMA synchronous = {synchronous}")
        self._connection.execute("PRAGMA foreign_keys = ON")

    def claim(self, count: int) -> list[int]:
        now = datetime.now(UTC)
        facts = {"now": _text(now), "until": _text(now + timedelta(seconds=180)), "n": count}
        return [row[0] for row in self._connection.execute(_CLAIM, facts).fetchall()]

    def complete(self, ids: list[int]) -> None:
        now = _text(datetime.now(UTC))
        self._connection.execute(_COMPLETE.format(marks=", ".join("?" * len(ids))), (now, now, *ids))

    def close(self) -> None:
        self._connection.close()


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
