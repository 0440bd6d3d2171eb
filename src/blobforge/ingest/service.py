"""Submits documents to a queue: bytes into the store first, then the job, so that no job lacks its source."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from blobforge.domain.errors import BlobForgeError, SourceChanged
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import Job, NewJob
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.scan import Found, Seen, Unreadable
from blobforge.ports.blob_store import BlobStore, source_key
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import FileStat, HashCache, HashedFile

AT_ONCE = 100

NewJobFor = Callable[[SourceHash, HashedFile], NewJob]


class Submission(StrEnum):
    QUEUED = "queued"
    KNOWN = "known"
    """A job of the same content is there already."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    path: str
    outcome: Submission
    job_id: JobId | None = None
    source_hash: SourceHash | None = None
    state: str | None = None
    code: str | None = None
    message: str | None = None


class IngestService:
    def __init__(self, coordinator: Coordinator, blobs: BlobStore, hashes: HashCache, *, new_job: NewJobFor) -> None:
        self._coordinator = coordinator
        self._blobs = blobs
        self._hashes = hashes
        self._new_job = new_job

    def submit(self, seen: Iterable[Seen]) -> Iterator[Submitted]:
        """One entry a document, in no particular order. What cannot be read is told and passed over."""
        batch: list[HashedFile] = []
        for entry in seen:
            if isinstance(entry, Unreadable):
                yield _failed(entry.path, entry.error)
                continue
            try:
                batch.append(self._take_in(entry))
            except BlobForgeError as error:
                yield _failed(entry.stat.path, error)
            if len(batch) >= AT_ONCE:
                yield from self._queue(batch)
                batch = []
        yield from self._queue(batch)

    def _take_in(self, found: Found) -> HashedFile:
        known = self._hashes.known([found.stat]).get(found.stat.path)
        file = hash_file(found.stat.path) if known is None else HashedFile(found.stat, known)
        stored = self._blobs.stat(source_key(file.source_hash))
        # Another size is what a power cut leaves of a copy that was not on the disk yet.
        if stored is None or stored.size != file.stat.size:
            self._store(file)
        return file

    def _store(self, file: HashedFile) -> None:
        """Copies the file, and takes the copy back when the file is not the one that was hashed any more."""
        key = source_key(file.source_hash)
        self._blobs.put(key, Path(file.stat.path))
        try:
            if not _is_untouched(file.stat) and hash_file(file.stat.path).source_hash != file.source_hash:
                raise SourceChanged(f"{file.stat.path} was changed while it was submitted; submit it again")
        except BlobForgeError:
            self._blobs.delete(key)
            raise

    def _queue(self, batch: list[HashedFile]) -> Sequence[Submitted]:
        if not batch:
            return []
        self._hashes.remember(batch)
        entries = self._coordinator.submit([self._new_job(file.source_hash, file) for file in batch])
        result: list[Submitted] = []
        for file, entry in zip(batch, entries, strict=True):
            if entry.created:
                self._coordinator.record_files(entry.job.id, [_source_record(file)])
            result.append(_submitted(file, entry.job, created=entry.created))
        return result


def _is_untouched(stat: FileStat) -> bool:
    try:
        facts = Path(stat.path).stat()
    except OSError:
        return False
    return (facts.st_size, facts.st_mtime_ns) == (stat.size, stat.mtime_ns)


def _source_record(file: HashedFile) -> FileRecord:
    key = source_key(file.source_hash)
    return FileRecord(FileRole.SOURCE, key, file.stat.size, "application/pdf", file.source_hash)


def _submitted(file: HashedFile, job: Job, *, created: bool) -> Submitted:
    return Submitted(
        path=file.stat.path,
        outcome=Submission.QUEUED if created else Submission.KNOWN,
        job_id=job.id,
        source_hash=file.source_hash,
        state=job.state.value,
    )


def _failed(path: str, error: BlobForgeError) -> Submitted:
    return Submitted(path=path, outcome=Submission.FAILED, code=error.code, message=str(error))
