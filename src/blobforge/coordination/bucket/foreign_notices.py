"""Warnings of another program in the queue: each once in a process, with what to do about it."""

import threading
from datetime import datetime

from blobforge.domain.job import Job
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

SHORT_HASH = 12
"""So many digits are enough for every command that takes a hash."""


class ForeignNotices:
    """Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._logged: set[str] = set()

    def on_lock(self, job: Job, *, now: datetime) -> None:
        """Nothing for a lock whose lease has expired: its job is claimed anew, and nobody has to do anything."""
        if job.lease_expires_at is not None and job.lease_expires_at > now:
            event = "another program is at work in this queue; stop it, or both will do the same jobs"
            self._log_once(event, job, worker=job.worker_id)

    def on_marker(self, job: Job) -> None:
        self._log_once("another program has queued a document; `blobforge janitor` takes it on", job)

    def _log_once(self, event: str, job: Job, **facts: object) -> None:
        with self._lock:
            is_known = event in self._logged
            self._logged.add(event)
        if not is_known:
            log.warning(event, **facts, document=job.source_path or "unknown", hash=job.source_hash[:SHORT_HASH])
