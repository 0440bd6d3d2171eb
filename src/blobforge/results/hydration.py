"""Finished results beside their sources: `report.pdf` gets its `report.md` and `report.assets/`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path

from blobforge.conversion.delivery import output_for, put_in_place, require_putting
from blobforge.conversion.document import DocumentReport, InputDocument
from blobforge.conversion.tree import assign_beside
from blobforge.conversion.writing import is_present
from blobforge.domain.errors import BlobForgeError, SourceUnreadable
from blobforge.domain.ids import JobId, JobKey, SourceHash
from blobforge.domain.job import Job, State
from blobforge.domain.result_record import result_record
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.lfs import POINTER_BELOW, pointer_in
from blobforge.ingest.links import Links
from blobforge.ingest.scan import scan
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import HashCache, HashedFile
from blobforge.ports.output_ledger import Output, OutputLedger
from blobforge.results.published_by_job import published_by, state_in_words, with_advice
from blobforge.worker.results import ResultStore, result_of

AT_ONCE = 200
UNKNOWN = "unknown"
"""The state of a document that the queue has never seen."""


class HydrationOutcome(StrEnum):
    WRITTEN = "written"
    CURRENT = "current"
    """It was written before; nothing changed since."""
    UNFINISHED = "unfinished"
    """There is no result yet."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydrated:
    """What became of one document. `state` is that of its job."""

    path: str
    outcome: HydrationOutcome
    state: str | None = None
    job_id: JobId | None = None
    output: str | None = None
    pages: int = 0
    pages_failed: int = 0
    gaps: str = ""
    """Why pages are missing, in words."""
    doubts: str = ""
    code: str | None = None
    message: str | None = None


Deliver = Callable[[BlobKey, Output], Output | None]
"""Writes a result, or only looks whether that would do. What was written is for the ledger."""


class Hydration:
    def __init__(
        self,
        coordinator: Coordinator,
        results: ResultStore,
        hashes: HashCache,
        ledger: OutputLedger,
        clock: Clock,
        *,
        project: str,
        job_type: str,
    ) -> None:
        self._coordinator = coordinator
        self._results = results
        self._hashes = hashes
        self._ledger = ledger
        self._clock = clock
        self._project = project
        self._job_type = job_type
        self._known_types: set[str] | None = None

    def run(self, paths: Sequence[Path], *, force: bool, links: Links | None = None) -> Iterator[Hydrated]:
        """One entry a document. Whatever goes wrong with one is its own failure. Raises StoreUnavailable."""
        deliver = partial(put_in_place, self._results, self._ledger, force=force)
        return self._each(paths, deliver, links, again=force)

    def dry_run(self, paths: Sequence[Path], *, force: bool, links: Links | None = None) -> Iterator[Hydrated]:
        """A dry run: the same report, with nothing written."""
        deliver = partial(require_putting, self._results, self._ledger, force=force)
        return self._each(paths, deliver, links, again=force)

    def _each(self, paths: Sequence[Path], deliver: Deliver, links: Links | None, *, again: bool) -> Iterator[Hydrated]:
        placed = assign_beside(scan(paths, links=links))
        while part := list(islice(placed, AT_ONCE)):
            yield from (_refused(entry) for entry in part if isinstance(entry, DocumentReport))
            yield from self._part([entry for entry in part if isinstance(entry, InputDocument)], deliver, again=again)

    def _part(self, documents: Sequence[InputDocument], deliver: Deliver, *, again: bool) -> Iterator[Hydrated]:
        """`again`: what is current is delivered once more, over what a person has made of it."""
        known, unreadable = self._hashed(documents)
        yield from unreadable
        jobs = self._jobs([source_hash for _, source_hash in known])
        before = {} if again else self._ledger.written([document.output for document, _ in known])
        fresh: list[Output] = []

        def delivered(key: BlobKey, output: Output) -> HydrationOutcome:
            if (written := before.get(output.path)) is not None and _is_current(written, output):
                return HydrationOutcome.CURRENT
            if (new := deliver(key, output)) is not None:
                fresh.append(new)
            return HydrationOutcome.WRITTEN

        try:
            for document, source_hash in known:
                yield self._one(document, jobs.get(source_hash), delivered)
        finally:
            # A note that is lost costs a comparison of files.
            self._ledger.write(fresh)

    def _one(
        self, document: InputDocument, job: Job | None, delivered: Callable[[BlobKey, Output], HydrationOutcome]
    ) -> Hydrated:
        path = document.stat.path
        if job is None:
            return Hydrated(
                path=path, outcome=HydrationOutcome.UNFINISHED, state=UNKNOWN, message="this queue has no job for it"
            )
        known = Hydrated(path=path, outcome=HydrationOutcome.UNFINISHED, state=job.state.value, job_id=job.id)
        if job.type != self._job_type:
            return replace(known, message=_of_another_type(job, state_in_words(job, now=self._clock.now())))
        published = published_by(job)
        if published is None:
            return replace(known, message=state_in_words(job, now=self._clock.now()))
        output = output_for(document, job.source_hash, published.recipe_id, result_of(job))
        try:
            with with_advice(job, published.key, self._results):
                outcome = delivered(published.key, output)
        except BlobForgeError as error:
            return replace(known, outcome=HydrationOutcome.FAILED, code=error.code, message=str(error))
        return replace(
            known,
            outcome=outcome,
            output=output.path,
            pages=output.pages,
            pages_failed=output.pages_failed,
            gaps=result_record(job).gaps,
            doubts=output.doubts,
        )

    def _hashed(
        self, documents: Sequence[InputDocument]
    ) -> tuple[list[tuple[InputDocument, SourceHash]], list[Hydrated]]:
        known: Mapping[str, SourceHash] = self._hashes.known([document.stat for document in documents])
        found: list[tuple[InputDocument, SourceHash]] = []
        fresh: list[HashedFile] = []
        unreadable: list[Hydrated] = []
        for document in documents:
            path = document.stat.path
            try:
                # A pointer first: its own hash is in the cache when somebody took it for a document.
                source_hash = _named_by_pointer(document) or known.get(path)
                if source_hash is None:
                    fresh.append(hash_file(path))
                    source_hash = fresh[-1].source_hash
            except BlobForgeError as error:
                unreadable.append(
                    Hydrated(path=path, outcome=HydrationOutcome.FAILED, code=error.code, message=str(error))
                )
                continue
            found.append((document, source_hash))
        self._hashes.remember(fresh)
        return found, unreadable

    def _jobs(self, hashes: Sequence[SourceHash]) -> dict[SourceHash, Job]:
        """The job whose result is written; for a document that has none, one of another type."""
        found = self._found(self._job_type, hashes)
        missing = [source_hash for source_hash in hashes if source_hash not in found]
        for job_type in self._other_types() if missing else ():
            found = self._found(job_type, missing) | found
        return found

    def _found(self, job_type: str, hashes: Sequence[SourceHash]) -> dict[SourceHash, Job]:
        keys = [JobKey(self._project, job_type, source_hash) for source_hash in hashes]
        return {key.source_hash: job for key, job in self._coordinator.find(keys).items()}

    def _other_types(self) -> list[str]:
        if self._known_types is None:
            self._known_types = {job_type for job_type, _ in self._coordinator.counts(project=self._project)}
        return sorted(self._known_types - {self._job_type})


def _of_another_type(job: Job, how: str) -> str:
    this = "This" if job.state is State.COMPLETED else "When it is completed, this"
    return (
        f"{how}; it is a job of type {job.type}, whose results are not written beside documents. "
        f"{this} fetches its result: blobforge download '#{job.id}'"
    )


def _named_by_pointer(document: InputDocument) -> SourceHash | None:
    """The hash that a Git LFS pointer names; its document need not be on this machine."""
    if document.stat.size >= POINTER_BELOW:
        return None
    try:
        pointer = pointer_in(Path(document.stat.path).read_bytes())
    except OSError as error:
        path = document.stat.path
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}") from error
    return None if pointer is None else pointer.source_hash


def _is_current(before: Output, output: Output) -> bool:
    """What a person has edited since counts as there, as it does for `convert`."""
    return before.is_of(output) and is_present(before)


def _refused(report: DocumentReport) -> Hydrated:
    return Hydrated(path=report.path, outcome=HydrationOutcome.FAILED, code=report.code, message=report.message)
