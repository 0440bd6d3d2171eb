"""Submits documents to a queue, of any type, without a library around them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from blobforge.domain.errors import BlobForgeError, SourceError
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.loose_json import json_in, object_in
from blobforge.domain.result_record import result_record
from blobforge.ingest.arrivals import AT_ONCE, SECONDS, ArrivedDocument, Intake, Taken
from blobforge.ingest.batch import Batch
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.scan import FoundFile, Seen, Unreadable
from blobforge.ports.hash_cache import HashCache, HashedFile


class Submission(StrEnum):
    QUEUED = "queued"
    KNOWN = "known"
    """A job of the same content is there already."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedFile:
    path: str
    outcome: Submission
    job_id: JobId | None = None
    source_hash: SourceHash | None = None
    state: str | None = None
    is_ordered_otherwise: bool = False
    """It is known, and was or will be done with other options than those that were asked for now."""
    has_gaps: bool = False
    """It is known and completed, and pages of it are missing."""
    code: str | None = None
    message: str | None = None


class SubmitService:
    def __init__(self, intake: Intake, hashes: HashCache, order: str) -> None:
        self._intake = intake
        self._hashes = hashes
        self._order = order

    def submit(self, seen: Iterable[Seen]) -> Iterator[SubmittedFile]:
        """One entry a document, in no particular order. What cannot be read is told and passed over."""
        batch: Batch[ArrivedDocument] = Batch(limit=AT_ONCE, seconds=SECONDS)
        for entry in seen:
            if isinstance(entry, Unreadable):
                yield _failed(entry.path, entry.error)
                continue
            try:
                batch.add(self._hashed(entry))
            except SourceError as error:
                yield _failed(entry.stat.path, error)
            if batch.is_due():
                yield from self._take_in(batch.take())
        yield from self._take_in(batch.take())

    def _hashed(self, found: FoundFile) -> ArrivedDocument:
        known = self._hashes.known([found.stat]).get(found.stat.path)
        stat, source_hash = hash_file(found.stat.path) if known is None else HashedFile(found.stat, known)
        return ArrivedDocument(stat, source_hash, stat.size, found.relative, is_remembered=known is not None)

    def _take_in(self, documents: list[ArrivedDocument]) -> Iterator[SubmittedFile]:
        if not documents:
            return
        self._hashes.remember(
            HashedFile(document.stat, document.source_hash) for document in documents if not document.is_remembered
        )
        for group in self._intake.take_in(documents):
            yield from (_submitted(taken, self._order) for taken in group)


def _submitted(taken: Taken, order: str) -> SubmittedFile:
    path = taken.document.stat.path
    if taken.job is None:
        return _failed(path, taken.error or BlobForgeError(f"{path} was not submitted"))
    return SubmittedFile(
        path=path,
        outcome=Submission.QUEUED if taken.is_new else Submission.KNOWN,
        job_id=taken.job.id,
        source_hash=taken.document.source_hash,
        state=taken.job.state.value,
        is_ordered_otherwise=not taken.is_new and _options(taken.job.metadata) != _options(order),
        has_gaps=not taken.is_new and taken.job.state is State.COMPLETED and result_record(taken.job).has_gaps,
    )


def _options(order: str) -> JsonObject:
    return object_in(object_in(json_in(order)).get("options"))


def _failed(path: str, error: BlobForgeError) -> SubmittedFile:
    return SubmittedFile(path=path, outcome=Submission.FAILED, code=error.code, message=str(error))
