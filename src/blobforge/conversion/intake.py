"""Brings documents into the queue: hashes what is unknown, submits it, and asks again for what failed before."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from blobforge.conversion.current import ToDo
from blobforge.conversion.document import Document
from blobforge.domain.errors import BlobForgeError, InvalidMove
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import Job, NewJob, State
from blobforge.ingest.hashing import hash_file
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import HashCache, HashedFile

AT_ONCE = 32
"""Documents that are submitted together: enough to make a transaction worth it, few enough to start soon."""


class Desk(Protocol):
    """Who takes over what the intake has brought in."""

    def expect(self, source_hash: SourceHash, item: ToDo) -> bool:
        """Notes who waits for this content; False when somebody did already, so that it need not be queued."""
        ...

    def refuse(self, document: Document, error: BlobForgeError) -> None: ...

    def wait_for(self, jobs: Sequence[JobId]) -> None: ...


class Intake:
    def __init__(
        self,
        coordinator: Coordinator,
        hashes: HashCache,
        desk: Desk,
        *,
        new_job: Callable[[SourceHash, Document], NewJob],
        stopped: threading.Event,
    ) -> None:
        self._coordinator = coordinator
        self._hashes = hashes
        self._desk = desk
        self._new_job = new_job
        self._stopped = stopped

    def bring_in(self, items: Iterable[ToDo]) -> None:
        """All of them, some at a time, until someone says stop."""
        for part in _parts(items, AT_ONCE):
            if self._stopped.is_set():
                return
            self._submit(list(self._new_ones(part)))

    def ask_again(self, job: Job, order: str) -> None:
        """Runs a job that ended, once more and by this order."""
        self._desk.wait_for([self._revived(job, order)])

    def _new_ones(self, part: Sequence[ToDo]) -> Iterator[NewJob]:
        fresh: list[HashedFile] = []
        for item in part:
            try:
                source_hash = item.source_hash
                if source_hash is None:
                    fresh.append(hash_file(item.document.stat.path))
                    source_hash = fresh[-1].source_hash
            except BlobForgeError as error:
                self._desk.refuse(item.document, error)
                continue
            if self._desk.expect(source_hash, item):
                yield self._new_job(source_hash, item.document)
        if fresh:
            self._hashes.remember(fresh)

    def _submit(self, jobs: Sequence[NewJob]) -> None:
        waiting: list[JobId] = []
        for new, entry in zip(jobs, self._coordinator.submit(jobs), strict=True):
            waiting.append(entry.job.id if entry.created else self._revived(entry.job, new.metadata))
        self._desk.wait_for(waiting)

    def _revived(self, job: Job, order: str) -> JobId:
        """A job that is there already gets this order, unless somebody is at work on it: then we wait and see."""
        try:
            if job.state is State.PENDING:
                self._coordinator.amend(job.id, metadata=order)
            elif job.state is not State.RUNNING:
                self._coordinator.retry(job.id, metadata=order)
        except InvalidMove:
            # It moved in this instant, by another's hand. What becomes of it is seen when it ends.
            pass
        return job.id


def _parts(items: Iterable[ToDo], size: int) -> Iterator[list[ToDo]]:
    remaining = iter(items)
    while part := list(islice(remaining, size)):
        yield part
