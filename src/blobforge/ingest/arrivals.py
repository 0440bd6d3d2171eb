"""Takes in new documents: stores the bytes first, then creates the job, so that no job lacks its source."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import NamedTuple, Protocol

from blobforge.clock import SystemClock
from blobforge.domain.errors import (
    BlobForgeError,
    DiskFull,
    Interrupted,
    NotAPdf,
    NotFound,
    SourceChanged,
    SourceError,
    StoreUnavailable,
)
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import Job, NewJob
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.lfs import Pointer, materialise
from blobforge.ingest.scan import has_pdf_magic
from blobforge.ports.blob_store import BlobKey, BlobStat, BlobStore, source_key
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import FileStat
from blobforge.thread_pool import OrderedTasks

AT_ONCE = 100
SYSTEM_CLOCK = SystemClock()
RENEWED_AFTER = timedelta(days=1)
"""Well before the age at which `gc` takes a source for forgotten, by whatever clocks."""
SECONDS = 2.0
"""A document that is stored waits no longer for its job, however slowly the next ones come."""


class ArrivedDocument(NamedTuple):
    """A file with a hash. `size` is that of the content, which a pointer only names."""

    stat: FileStat
    source_hash: SourceHash
    size: int
    name: str
    """How people call it: its path in its library."""
    source: str = ""
    shown_as: str = ""
    """Where people find it."""
    is_remembered: bool = False
    """The hash comes from a cache, and not from a look at the bytes in this run."""
    pointer: Pointer | None = None


class Taken(NamedTuple):
    """The outcome for a document. `job` is the one that exists now; None where it failed, or in a dry run."""

    document: ArrivedDocument
    job: Job | None = None
    is_new: bool = False
    is_uploaded: bool = False
    error: BlobForgeError | None = None


NewJobFor = Callable[[ArrivedDocument], NewJob]
Settle = Callable[[Sequence[Taken]], Sequence[Taken]]
"""What follows when documents are stored."""


class Intake(Protocol):
    def take_in(self, documents: Sequence[ArrivedDocument]) -> Iterator[Sequence[Taken]]:
        """In batches. An error of one document is its own outcome, and the others go on."""
        ...

    def restore(self, documents: Sequence[ArrivedDocument]) -> Iterator[Sequence[Taken]]:
        """Stores those that the store lacks, and returns only these. Their jobs exist already, and stay."""
        ...


class TransferObserver(Protocol):
    """Observes transfers, which take long. Called from several threads."""

    def fetching(self, path: str, size: int) -> None:
        """The content behind a Git LFS pointer."""
        ...

    def uploading(self, path: str, size: int) -> None: ...

    def transfer_ended(self, path: str) -> None:
        """Whether it succeeded or not."""
        ...


class NoTransferObserver:
    def fetching(self, path: str, size: int) -> None:
        """Nobody listens."""

    def uploading(self, path: str, size: int) -> None:
        """Nobody listens."""

    def transfer_ended(self, path: str) -> None:
        """Nobody listens."""


class Arrivals:
    """An Intake that stores and queues."""

    def __init__(
        self,
        coordinator: Coordinator,
        blobs: BlobStore,
        *,
        new_job: NewJobFor,
        stopped: Callable[[], bool] = lambda: False,
        steps: TransferObserver | None = None,
        records_sources: bool = True,
        uploads: int = 1,
        waits_for_room: bool = False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`records_sources` is for queues that do not know by themselves where the sources of their jobs are. Up to so
        many `uploads` run at once: more than one where each mostly waits for answers. With `waits_for_room`, for
        callers that retry by themselves, a full store ends the call, and no document fails for it."""
        self._coordinator = coordinator
        self._blobs = blobs
        self._new_job = new_job
        self._stopped = stopped
        self._steps = steps or NoTransferObserver()
        self._records_sources = records_sources
        self._uploads = uploads
        self._waits_for_room = waits_for_room
        self._now = clock.now

    def take_in(self, documents: Sequence[ArrivedDocument]) -> Iterator[Sequence[Taken]]:
        return self._brought(documents, self._lasting(documents), self._queue)

    def restore(self, documents: Sequence[ArrivedDocument]) -> Iterator[Sequence[Taken]]:
        stored = _stored(self._blobs, documents)
        return self._brought(_lacking(documents, stored), stored, list)

    def _lasting(self, documents: Sequence[ArrivedDocument]) -> Mapping[BlobKey, BlobStat]:
        """What is stored and stays. `gc` may be about to delete an old source without a job: it is stored anew, so that
        it is young until its job is there."""
        stored, old = _stored(self._blobs, documents), self._now() - RENEWED_AFTER
        there = [
            document
            for document in documents
            if (found := stored.get(source_key(document.source_hash))) is not None and found.modified < old
        ]
        jobs = {document: _job_key(self._new_job(document)) for document in there}
        known = self._coordinator.states(list(jobs.values())) if jobs else {}
        lasting = dict(stored)
        for document in (document for document, job in jobs.items() if job not in known):
            key = source_key(document.source_hash)
            if document.pointer is None or not self._is_renewed(key, document.source_hash):
                lasting.pop(key, None)
        return lasting

    def _is_renewed(self, key: BlobKey, source_hash: SourceHash) -> bool:
        """From the store itself: what is behind a pointer may take its server long. False where it is gone or wrong."""
        with TemporaryDirectory(prefix="blobforge-") as folder:
            content = Path(folder, "content")
            try:
                self._blobs.fetch(key, content)
                self._blobs.put(key, content, source_hash=source_hash)
            except (NotFound, SourceChanged):
                return False
        return True

    def _brought(
        self, documents: Sequence[ArrivedDocument], stored: Mapping[BlobKey, BlobStat], settle: Settle
    ) -> Iterator[Sequence[Taken]]:
        begun: dict[SourceHash, Future[Taken]] = {}
        # What is behind a pointer may take its server long: those that are here already do not wait for it.
        here = [document for document in documents if document.pointer is None]
        elsewhere = [document for document in documents if document.pointer is not None]
        with OrderedTasks[Taken](size=self._uploads, limit=AT_ONCE, seconds=SECONDS) as work:
            for part in (here, elsewhere):
                for document in part:
                    yield from self._settled(work, settle, until=work.has_room)
                    if self._stopped():
                        break
                    self._begin(document, work, stored, begun)
                yield from self._settled(work, settle, until=work.is_idle)
                if rest := work.take():
                    yield settle(rest)

    def _settled(
        self, work: OrderedTasks[Taken], settle: Settle, *, until: Callable[[], bool]
    ) -> Iterator[Sequence[Taken]]:
        """What is due by then; it does not wait for what is under way."""
        while True:
            if work.is_due():
                yield settle(work.take())
            if until():
                return
            work.wait()

    def _begin(
        self,
        document: ArrivedDocument,
        work: OrderedTasks[Taken],
        stored: Mapping[BlobKey, BlobStat],
        begun: dict[SourceHash, "Future[Taken]"],
    ) -> None:
        """`begun` are those of this run, by content."""
        try:
            if not _is_whole(document, stored) and document.pointer is None:
                document = _looked_at(document)
        except SourceError as error:
            work.add(Taken(document, error=error))
            return
        if _is_whole(document, stored):
            work.add(Taken(document))
            return
        store = partial(self._store, document, earlier=begun.get(document.source_hash))
        if document.pointer is None:
            begun[document.source_hash] = work.begin(store)
            return
        # What is behind a pointer takes place on the disk: never two of them at a time.
        with suppress(Interrupted):
            begun[document.source_hash] = work.add(store())

    def _store(self, document: ArrivedDocument, *, earlier: "Future[Taken] | None") -> Taken:
        """`earlier` brings the same content, unless something is wrong with it."""
        if earlier is not None and earlier.result().error is None:
            return Taken(document)
        try:
            if document.pointer is not None:
                self._put_what_is_behind(document, document.pointer)
            else:
                self._upload(document, Path(document.stat.path))
        except SourceError as error:
            return Taken(document, error=error)
        except DiskFull as error:
            if self._waits_for_room:
                raise _no_room_for(document) from error
            # A smaller one may still fit, and those that are stored get their jobs.
            return Taken(document, error=_no_room_for(document))
        except StoreUnavailable as error:
            raise StoreUnavailable(f"{document.shown_as or document.stat.path} was not stored: {error}") from error
        finally:
            self._steps.transfer_ended(document.stat.path)
        return Taken(document, is_uploaded=True)

    def _put_what_is_behind(self, document: ArrivedDocument, pointer: Pointer) -> None:
        path = document.stat.path
        self._steps.fetching(path, document.size)
        with TemporaryDirectory(prefix="blobforge-") as folder:
            content = Path(folder, "content")
            materialise(path, pointer, content, called=document.shown_as, stopped=self._stopped)
            if not has_pdf_magic(str(content)):
                raise NotAPdf(f"{document.shown_as} is no PDF: what its Git LFS pointer names does not begin as one")
            self._upload(document, content)

    def _upload(self, document: ArrivedDocument, content: Path) -> None:
        """Only what has the document's hash is ever stored under it: somebody else's job may count on what is there."""
        self._steps.uploading(document.stat.path, document.size)
        job = self._new_job(document)
        name = PurePath(job.source_path or document.name).name
        labels = {"original-name": name, "tags": job.tags, "size": str(document.size)}
        source_hash = document.source_hash
        self._blobs.put(source_key(source_hash), content, labels=labels, source_hash=source_hash)

    def _queue(self, batch: Sequence[Taken]) -> Sequence[Taken]:
        good = [taken for taken in batch if taken.error is None]
        entries = self._coordinator.submit([self._new_job(taken.document) for taken in good]) if good else []
        created = [
            (entry.job, _source_record(taken.document))
            for taken, entry in zip(good, entries, strict=True)
            if entry.created
        ]
        if created and self._records_sources:
            self._coordinator.record_many(created)
        again = self._kept(
            [
                taken.document
                for taken, entry in zip(good, entries, strict=True)
                if entry.created and not taken.is_uploaded
            ]
        )
        done = [
            again.get(taken.document.source_hash, taken)._replace(job=entry.job, is_new=entry.created)
            for taken, entry in zip(good, entries, strict=True)
        ]
        return [*(taken for taken in batch if taken.error is not None), *done]

    def _kept(self, documents: Sequence[ArrivedDocument]) -> Mapping[SourceHash, Taken]:
        """Those that were counted on as stored, and have a job only now: a `gc` that asked for the jobs before may have
        deleted them, such as where one was cleared meanwhile. Those that had to be stored again."""
        if not documents:
            return {}
        gone = self._blobs.keep({source_key(document.source_hash) for document in documents})
        return {
            document.source_hash: self._store(document, earlier=None)
            for document in documents
            if source_key(document.source_hash) in gone
        }


class DryRunIntake:
    """An Intake for dry runs: only says what would be done."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    def take_in(self, documents: Sequence[ArrivedDocument]) -> Iterator[Sequence[Taken]]:
        stored = _stored(self._blobs, documents)
        first: dict[SourceHash, ArrivedDocument] = {}
        for document in documents:
            first.setdefault(document.source_hash, document)
        yield [
            Taken(
                document,
                is_new=document is first[document.source_hash],
                is_uploaded=document is first[document.source_hash] and not _is_whole(document, stored),
            )
            for document in documents
        ]

    def restore(self, documents: Sequence[ArrivedDocument]) -> Iterator[Sequence[Taken]]:
        stored = _stored(self._blobs, documents)
        yield [Taken(document, is_uploaded=True) for document in _lacking(documents, stored)]


def _stored(blobs: BlobStore, documents: Sequence[ArrivedDocument]) -> Mapping[BlobKey, BlobStat]:
    return blobs.stat_many({source_key(document.source_hash) for document in documents})


def _lacking(documents: Sequence[ArrivedDocument], stored: Mapping[BlobKey, BlobStat]) -> list[ArrivedDocument]:
    """A pointer only says what size its content has: what is stored under its hash is not fetched again for that."""
    return [
        document
        for document in documents
        if not _is_whole(document, stored)
        and (document.pointer is None or source_key(document.source_hash) not in stored)
    ]


def _job_key(job: NewJob) -> JobKey:
    return JobKey(job.project, job.type, job.source_hash)


def _no_room_for(document: ArrivedDocument) -> DiskFull:
    path = document.shown_as or document.stat.path
    return DiskFull(
        f"{path}: no space left in the store for its {document.size:,} bytes; make room, and run this again"
    )


def _is_whole(document: ArrivedDocument, stored: Mapping[BlobKey, BlobStat]) -> bool:
    """A copy that was not synced may have another size after a power cut."""
    there = stored.get(source_key(document.source_hash))
    return there is not None and there.size == document.size


def _looked_at(document: ArrivedDocument) -> ArrivedDocument:
    """A cached hash is not good enough for an upload: the bytes are hashed again, and that hash counts."""
    if not document.is_remembered:
        return document
    file = hash_file(document.stat.path)
    return document._replace(stat=file.stat, source_hash=file.source_hash, size=file.stat.size, is_remembered=False)


def _source_record(document: ArrivedDocument) -> FileRecord:
    key = source_key(document.source_hash)
    return FileRecord(FileRole.SOURCE, key, document.size, "application/pdf", document.source_hash)
