"""Brings documents into the queue: hashes what is unknown, submits it, and retries what failed before."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol

from blobforge.conversion.current import ToDo
from blobforge.conversion.document import InputDocument
from blobforge.domain.errors import BlobForgeError, Interrupted, InvalidMove, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job, NewJob, State
from blobforge.ingest.hashing import hash_file
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import HashCache, HashedFile

AT_ONCE = 32
"""Documents that are submitted together: enough to make a transaction worth it, few enough to start soon."""

READ_AT_ONCE = 64 * 1024 * 1024
"""Bytes that are hashed before something is submitted: large documents need not wait for each other."""


class IntakeReceiver(Protocol):
    """Takes over the documents and jobs that the intake has brought in."""

    def expect(self, source_hash: SourceHash, document: InputDocument) -> bool:
        """Records that a document waits for this content; False when another did already, so that it is queued once."""
        ...

    def refuse(self, document: InputDocument, error: BlobForgeError) -> None: ...

    def wait_for(self, jobs: Sequence[Job]) -> None: ...


class Bringer(Protocol):
    def bring(self, source_hash: SourceHash, path: str) -> None:
        """Brings the bytes of a file to where they are worked on. Raises SourceError, StoreUnavailable."""
        ...

    def keep(self, source_hashes: Collection[SourceHash]) -> None:
        """Of what was brought, or was there: it has jobs now. What has gone meanwhile is brought again. Raises
        StoreUnavailable."""
        ...


class NothingToBring:
    """All is worked on where it is."""

    def bring(self, source_hash: SourceHash, path: str) -> None:
        """It is there."""

    def keep(self, source_hashes: Collection[SourceHash]) -> None:
        """It stays."""


NOTHING_TO_BRING = NothingToBring()


class ConversionIntake:
    def __init__(
        self,
        coordinator: Coordinator,
        hashes: HashCache,
        receiver: IntakeReceiver,
        *,
        new_job: Callable[[SourceHash, InputDocument], NewJob],
        stopped: Callable[[], bool],
        bringer: Bringer = NOTHING_TO_BRING,
    ) -> None:
        self._bringer = bringer
        self._coordinator = coordinator
        self._hashes = hashes
        self._receiver = receiver
        self._new_job = new_job
        self._stopped = stopped

    def bring_in(self, items: Iterable[ToDo]) -> None:
        """All of them, in batches, until it is stopped."""
        for part in _parts(items):
            if self._stopped():
                return
            self._submit(list(self._new_ones(part)))

    def ask_again(self, job: Job, order: str) -> None:
        """Runs a job that ended once more, with this order."""
        self._receiver.wait_for([self._revived(job, order)])

    def _new_ones(self, part: Sequence[ToDo]) -> Iterator[NewJob]:
        fresh: list[HashedFile] = []
        for document, known in part:
            try:
                source_hash = known
                if source_hash is None:
                    fresh.append(hash_file(document.stat.path, stopped=self._stopped))
                    source_hash = fresh[-1].source_hash
                self._bringer.bring(source_hash, document.stat.path)
            except Interrupted:
                break
            except StoreUnavailable:
                raise  # no fault of the document
            except BlobForgeError as error:
                self._receiver.refuse(document, error)
                continue
            if self._receiver.expect(source_hash, document):
                yield self._new_job(source_hash, document)
        if fresh:
            self._hashes.remember(fresh)

    def _submit(self, jobs: Sequence[NewJob]) -> None:
        waiting: list[Job] = []
        entries = self._coordinator.submit(jobs)
        if made := [entry.job.source_hash for entry in entries if entry.created]:
            self._bringer.keep(made)
        for new, entry in zip(jobs, entries, strict=True):
            waiting.append(entry.job if entry.created else self._revived(entry.job, new.metadata))
        self._receiver.wait_for(waiting)

    def _revived(self, job: Job, order: str) -> Job:
        """Gives this order to an existing job, unless it is running: then its result is awaited."""
        try:
            if job.state is State.PENDING:
                return self._coordinator.amend(job.id, metadata=order)
            if job.state is not State.RUNNING:
                return self._coordinator.retry(job.id, metadata=order)
        except InvalidMove:
            # Another process changed its state in this instant; its ending is handled like any other.
            pass
        return job


def _parts(items: Iterable[ToDo]) -> Iterator[list[ToDo]]:
    part: list[ToDo] = []
    unread = 0
    for item in items:
        part.append(item)
        unread += item.document.stat.size if item.source_hash is None else 0
        if len(part) >= AT_ONCE or unread >= READ_AT_ONCE:
            yield part
            part, unread = [], 0
    if part:
        yield part
