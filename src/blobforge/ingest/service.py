"""Submits documents to a queue: bytes into the store first, then the job, so that no job lacks its source."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from blobforge.domain.errors import BlobForgeError
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import Job, NewJob
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.scan import Found, Seen
from blobforge.ports.blob_store import BlobStore, source_key
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import HashCache, HashedFile

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

    def submit(self, seen: Iterable[Seen]) -> Iterable[Submitted]:
        """One entry a document, in no particular order. What cannot be read is told and passed over."""
        batch: list[HashedFile] = []
        for entry in seen:
            try:
                if not isinstance(entry, Found):
                    raise entry.error
                self._take_in(entry, batch)
            except BlobForgeError as error:
                yield _failed(entry.stat.path if isinstance(entry, Found) else entry.path, error)
            if len(batch) >= AT_ONCE:
                yield from self._queue(batch)
                batch = []
        yield from self._queue(batch)

    def _take_in(self, found: Found, batch: list[HashedFile]) -> None:
        known = self._hashes.known([found.stat]).get(found.stat.path)
        file = hash_file(found.stat.path) if known is None else HashedFile(found.stat, known)
        key = source_key(file.source_hash)
        if self._blobs.stat(key) is None:
            self._blobs.put(key, Path(file.stat.path))
        batch.append(file)

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
