"""Brings libraries into the queue: what is new is stored and queued, and every sighting goes to the manifest."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from blobforge.domain.errors import BlobForgeError, Interrupted, NotAPdf, SourceError, SourceUnreadable
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import State
from blobforge.gc_pause import gc_paused, gc_resumed
from blobforge.ingest.arrivals import ArrivedDocument, Intake, Taken
from blobforge.ingest.batch import Batch
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.lfs import POINTER_BELOW, pointer_in
from blobforge.ingest.libraries import Library
from blobforge.ingest.scan import FoundFile, Seen, Unreadable, has_pdf_magic, is_named_as_pdf
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import FileStat, HashCache, HashedFile
from blobforge.ports.manifest import Sighting, SightingBook

AT_ONCE = 10_000
"""So many are asked about in one question: on a bucket, each is a listing of everything."""

SECONDS = 5.0
"""But none waits for longer, so that work begins soon and an interruption loses little."""


class IngestOutcome(StrEnum):
    QUEUED = "queued"
    SKIPPED = "skipped"
    """A job of the same content is there already, or it is no PDF."""
    FAILED = "failed"


class Ingested(NamedTuple):
    """What became of a file. `reason` is the state of the job that is there, or the code of what is wrong."""

    path: str
    outcome: IngestOutcome
    reason: str | None = None
    source_hash: SourceHash | None = None
    is_uploaded: bool = False
    message: str | None = None


class IngestObserver(Protocol):
    """Observes an ingest."""

    def hashing(self, path: str, size: int) -> None:
        """No cache knows this file: it is read now."""
        ...

    def passed_over(self) -> None:
        """A file that is no document and does not look like one."""
        ...

    def settled(self, entries: Sequence[Ingested]) -> None: ...


class IngestService:
    def __init__(
        self,
        coordinator: Coordinator,
        intake: Intake,
        hashes: HashCache,
        manifest: SightingBook,
        *,
        project: str,
        job_type: str,
        tags: tuple[str, ...],
        clock: Clock,
        watcher: IngestObserver,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._coordinator = coordinator
        self._intake = intake
        self._hashes = hashes
        self._manifest = manifest
        self._queue = (project, job_type)
        self._tags = tags
        self._clock = clock
        self._watcher = watcher
        self._stopped = stopped
        self._batch: Batch[ArrivedDocument] = Batch(limit=AT_ONCE, seconds=SECONDS)
        self._fresh: list[HashedFile] = []

    def ingest(self, files: Iterable[tuple[Library, Seen]]) -> None:
        """All of them, until someone says stop; what was begun is finished. What is wrong with a file is told.

        Calling it again completes what a crash has left undone. Raises StoreUnavailable, DiskFull, ManifestDamaged.
        """
        try:
            with gc_paused():
                for part in _parts(files):
                    self._look_through(part)
                self._settle()
        finally:
            self._remember()
            self._manifest.flush()

    def finish(self) -> None:
        """At the end of a run."""
        self._manifest.finish()

    def _look_through(self, part: Sequence[tuple[Library, Seen]]) -> None:
        """Files with a cached hash first: they cost only one query."""
        # A pointer is read each time: its own hash says nothing about what it stands for.
        known = self._hashes.known(
            [seen.stat for _, seen in part if type(seen) is FoundFile and seen.stat.size >= POINTER_BELOW]
        )
        unknown = [entry for entry in part if type(entry[1]) is not FoundFile or entry[1].stat.path not in known]
        self._batch.extend(
            [
                _document(library, seen, seen.stat, known[seen.stat.path], is_remembered=True)
                for library, seen in part
                if type(seen) is FoundFile and seen.stat.path in known
            ]
        )
        if self._batch.is_due():
            self._settle()
        if unknown:
            with gc_resumed():
                self._look_at_each(unknown)

    def _look_at_each(self, files: Sequence[tuple[Library, Seen]]) -> None:
        for library, seen in files:
            if self._stopped():
                return
            self._look_at(library, seen)
            if self._batch.is_due():
                self._settle()

    def _look_at(self, library: Library, found: Seen) -> None:
        """A file that is in no cache: it is identified by its bytes."""
        if isinstance(found, Unreadable):
            self._watcher.settled([_failed(found.path, found.error)])
            return
        path = found.stat.path
        try:
            document = self._read(library, found)
        except Interrupted:
            return
        except NotAPdf as error:
            if is_named_as_pdf(path) or not library.is_whole:
                self._watcher.settled([_skipped(path, error)])
            else:
                self._watcher.passed_over()
        except SourceError as error:
            self._watcher.settled([_failed(path, error)])
        except OSError as error:
            # Not named as a PDF and not readable: nothing says that it is a document.
            if is_named_as_pdf(path):
                trouble = SourceUnreadable(f"{path} cannot be read: {error.strerror or error}")
                self._watcher.settled([_failed(path, trouble)])
            else:
                self._watcher.passed_over()
        else:
            self._batch.add(document)

    def _read(self, library: Library, found: FoundFile) -> ArrivedDocument:
        path, size, _ = found.stat
        if size < POINTER_BELOW and is_named_as_pdf(path):
            pointer = pointer_in(Path(path).read_bytes()[:POINTER_BELOW])
            if pointer is not None:
                document = _document(library, found, found.stat, pointer.source_hash)
                return document._replace(size=pointer.size, pointer=pointer)
        if not has_pdf_magic(path):
            raise NotAPdf(f"{path} is no PDF: it does not begin as one")
        self._watcher.hashing(path, size)
        file = hash_file(path, stopped=self._stopped)
        self._fresh.append(file)
        return _document(library, found, file.stat, file.source_hash)

    def _settle(self) -> None:
        """Reads the states of the whole batch in one query, and takes in the documents without a job."""
        self._remember()
        documents = self._batch.take()
        if not documents:
            return
        # A third of the time that it takes by its name, and a library has many documents.
        keys = [tuple.__new__(JobKey, (*self._queue, document.source_hash)) for document in documents]
        states = self._coordinator.states(keys)
        found = [(document, states.get(key)) for document, key in zip(documents, keys, strict=True)]
        if states:
            self._skip(found)
        self._take_in([document for document, state in found if state is None and self._is_pdf(document)])

    def _skip(self, found: Sequence[tuple[ArrivedDocument, State | None]]) -> None:
        """Those that have a job. It need not have come with its source: `convert` works on the user's own files."""
        known = [(document, state) for document, state in found if state is not None]
        documents = [document for document, _ in known]
        heard = self._manifest.has_heard(self._sightings(documents))
        restored = {} if heard else self._restored(documents)
        lacking = {path for path, taken in restored.items() if taken.error is not None}
        self._see([document for document in documents if document.stat.path not in lacking] if lacking else documents)
        self._watcher.settled(
            [
                _restored_as(restored[document.stat.path], state)
                if document.stat.path in restored
                else tuple.__new__(
                    Ingested,
                    (document.shown_as, IngestOutcome.SKIPPED, _TEXT[state], document.source_hash, False, None),
                )
                for document, state in known
            ]
        )

    def _restored(self, documents: Sequence[ArrivedDocument]) -> dict[str, Taken]:
        """By path: what became of those that the store lacked."""
        with gc_resumed():
            return {taken.document.stat.path: taken for group in self._intake.restore(documents) for taken in group}

    def _is_pdf(self, document: ArrivedDocument) -> bool:
        """A cached hash does not say what kind of file it is of."""
        path = document.stat.path
        if not document.is_remembered:
            return True
        try:
            if has_pdf_magic(path):
                return True
        except OSError as error:
            self._watcher.settled([_failed(path, SourceUnreadable(f"{path} cannot be read: {error.strerror}"))])
            return False
        if is_named_as_pdf(path):
            self._watcher.settled([_skipped(path, NotAPdf(f"{path} is no PDF: it does not begin as one"))])
        else:
            self._watcher.passed_over()
        return False

    def _take_in(self, documents: Sequence[ArrivedDocument]) -> None:
        if not documents:
            return
        with gc_resumed():
            for group in self._intake.take_in(documents):
                self._see([taken.document for taken in group if taken.error is None])
                self._watcher.settled([_ingested(taken) for taken in group])

    def _see(self, documents: Iterable[ArrivedDocument]) -> None:
        self._manifest.record(self._sightings(documents))

    def _sightings(self, documents: Iterable[ArrivedDocument]) -> list[Sighting]:
        now = self._clock.now()
        tags = self._tags
        return [
            tuple.__new__(Sighting, (document.source_hash, document.name, document.size, tags, document.source, now))
            for document in documents
        ]

    def _remember(self) -> None:
        fresh, self._fresh = self._fresh, []
        if fresh:
            self._hashes.remember(fresh)


_TEXT = {state: state.value for state in State}


def _parts(files: Iterable[tuple[Library, Seen]]) -> Iterator[list[tuple[Library, Seen]]]:
    rest = iter(files)
    while part := list(islice(rest, AT_ONCE)):
        yield part


def _document(
    library: Library, found: FoundFile, stat: FileStat, source_hash: SourceHash, *, is_remembered: bool = False
) -> ArrivedDocument:
    source, _, _, is_whole, is_clone, _ = library
    name = found.relative if is_whole and found.relative.isascii() else library.name_of(found)
    # Nobody would look for it in a clone of ours.
    shown_as = f"{source}/{name}" if is_clone else stat.path
    # In the order of the fields: by their names it takes twice as long, and a library has many documents.
    return tuple.__new__(ArrivedDocument, (stat, source_hash, stat.size, name, source, shown_as, is_remembered, None))


def _ingested(taken: Taken) -> Ingested:
    document, job = taken.document, taken.job
    path = document.shown_as
    if isinstance(taken.error, NotAPdf):
        return _skipped(path, taken.error)
    if taken.error is not None:
        return _failed(path, taken.error)
    if taken.is_new:
        return Ingested(path, IngestOutcome.QUEUED, None, document.source_hash, taken.is_uploaded)
    state = State.PENDING if job is None else job.state
    return Ingested(path, IngestOutcome.SKIPPED, _TEXT[state], document.source_hash, taken.is_uploaded)


def _restored_as(taken: Taken, state: State) -> Ingested:
    if taken.error is not None:
        return _ingested(taken)
    document = taken.document
    return Ingested(document.shown_as, IngestOutcome.SKIPPED, _TEXT[state], document.source_hash, taken.is_uploaded)


def _skipped(path: str, error: BlobForgeError) -> Ingested:
    return Ingested(path, IngestOutcome.SKIPPED, error.code, message=str(error))


def _failed(path: str, error: BlobForgeError) -> Ingested:
    return Ingested(path, IngestOutcome.FAILED, error.code, message=str(error))
