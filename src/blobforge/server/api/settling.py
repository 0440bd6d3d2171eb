"""The queue protocol for workers: claim, end, renew."""

from collections.abc import Sequence
from datetime import timedelta

from starlette.responses import Response

from blobforge.domain.endings import Completed, Ending
from blobforge.domain.errors import BlobForgeError, LeaseLost
from blobforge.domain.ids import JobId, SourceHash, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.uploads import parse_recipe_id
from blobforge.ports.blob_store import source_key
from blobforge.ports.coordinator import EndedAndClaimed
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.parts import ServerParts
from blobforge.server.parts_answer import parts_answer
from blobforge.server.registrations import registration_of
from blobforge.server.results_in import VALID_FOR, found_recipe
from blobforge.server.routing import Parts, WorkerAsks, answer, says
from blobforge.server.told_errors import outcome_for_clients
from blobforge.wire import paths
from blobforge.wire.jobs import JobRow
from blobforge.wire.multipart import PartsAnswer, ResultPartsRequest
from blobforge.wire.queue import (
    MOST_AT_ONCE,
    ClaimedJob,
    ClaimNext,
    CompletedMessage,
    EndingMessage,
    Lease,
    Outcomes,
    RenewRequest,
    SeenJob,
    Settled,
    SettleRequest,
    UploadedResult,
    ending_of,
)
from blobforge.wire.transfers import SignedUrlMessage, UploadAnswer, UploadRequest

router = json_router("queue protocol")

MOVED_WITHIN = timedelta(minutes=2)
"""How long a lease must last, so that a result can be hashed and brought to its place under it."""
SIGNED_AT_ONCE = 10
"""A bucket's signature takes a quarter of a millisecond, and it is made on the event loop."""


@router.post(paths.SETTLE, **says(Settled))
async def settle(request: SettleRequest, asker: WorkerAsks, parts: Parts) -> Response:
    """Ends jobs and claims the next ones, in one step."""
    settled = await settled_by(Settling(parts, request, asker), parts)
    for claimed in settled.claimed[:SIGNED_AT_ONCE]:
        key = source_key(SourceHash(claimed.job.source_hash))
        claimed.source_url = parts.files.urls.signed(key, method="GET", valid_for=VALID_FOR).url
    return answer(settled)


@router.post(paths.RENEW, **says(Outcomes))
async def renew(request: RenewRequest, asker: WorkerAsks, parts: Parts) -> Response:
    """Extends leases: one outcome each, in order."""
    return answer(await parts.crossing.write(lambda: renewed_by(request, asker, parts)))


@router.post(paths.UPLOAD_URL, **says(UploadAnswer))
async def upload_url(request: UploadRequest, asker: WorkerAsks, parts: Parts) -> Response:
    """An address for the result of a job that its sender holds."""
    recipe_id = parse_recipe_id(request.recipe)
    job = await parts.crossing.read(lambda: held_by(request.lease, asker, parts))
    given = parts.files.results.begin(job, recipe_id=recipe_id, size=request.size)
    return answer(UploadAnswer(upload=given.upload.id, to=SignedUrlMessage.of(given.url)))


@router.post(paths.RESULT_PARTS, **says(PartsAnswer))
async def result_parts(request: ResultPartsRequest, asker: WorkerAsks, parts: Parts) -> Response:
    """Addresses for the parts that are missing of the result of a job that its sender holds, the next ones."""
    recipe_id = parse_recipe_id(request.recipe)
    job = await parts.crossing.read(lambda: held_by(request.lease, asker, parts))
    upload, missing = await parts.crossing.read(
        lambda: parts.files.results.missing(job, recipe_id=recipe_id, size=request.size, sha256=request.sha256)
    )
    return answer(parts_answer(upload.id, missing))


async def settled_by(settling: "Settling", parts: ServerParts) -> Settled:
    """Files are moved apart from the queue, so that a large one holds nobody up."""
    if settling.has_results:
        if await parts.crossing.read(settling.find_uploaded):
            await parts.crossing.write(settling.renew_uploaded)
        await parts.crossing.transfer(settling.take_uploads)
    await parts.crossing.write_together(settling.settle)
    if settling.is_told_again:
        await parts.crossing.read(settling.look_back)
    settled = settling.settled()
    if settled.ended or settled.claimed:
        # Where there was something for one there may be more for the next. Who found nothing wakes nobody: each of
        # those who wait would do the same.
        parts.hub.notify()
    if settling.has_uploads:
        await parts.crossing.transfer(settling.publish)
    return settled


def renewed_by(request: RenewRequest, asker: Asker, parts: ServerParts) -> Outcomes:
    copies = copies_of(request.leases, asker, parts)
    held = [job for job in copies if isinstance(job, Job)]
    renewed = iter(parts.coordinator.renew(held) if held else [])
    outcomes = [next(renewed) if isinstance(copy, Job) else copy for copy in copies]
    if request.worker is not None:
        parts.coordinator.register_worker(
            registration_of(request.worker, asker.require_process(request.worker.id), asker, parts)
        )
    parts.leased.keep([outcome for outcome in outcomes if isinstance(outcome, Job)])
    parts.metrics.ended(outcomes)
    return Outcomes.model_construct(outcomes=[outcome_for_clients(outcome) for outcome in outcomes])


def copies_of(
    leases: Sequence[Lease], asker: Asker, parts: ServerParts, *, anew: bool = False
) -> list[Job | BlobForgeError]:
    """The server's own copy of the job of each lease, or why the lease does not count. Raises Forbidden."""
    for process in {lease.process for lease in leases}:
        asker.require_process(process)
    return parts.leased.copies(leases, parts.coordinator, sees=asker.sees, anew=anew) if leases else []


def held_by(lease: Lease, asker: Asker, parts: ServerParts) -> Job:
    """Raises Forbidden, LeaseLost."""
    (copy,) = copies_of([lease], asker, parts)
    if isinstance(copy, BlobForgeError):
        raise copy
    return copy


class Settling:
    """One request; its steps run on the threads of the crossing, one after the other."""

    def __init__(self, parts: ServerParts, request: SettleRequest, asker: Asker) -> None:
        self._parts = parts
        self._coordinator = parts.coordinator
        self._request = request
        self._asker = asker
        self._uploads = [
            message.upload if isinstance(message, CompletedMessage) else None for message in request.endings
        ]
        self.has_uploads = any(upload is not None for upload in self._uploads)
        self.has_results = self.has_uploads or any(map(_names_found_result, request.endings))
        """Uploaded, or found by the worker: a found one is renewed, which may wait for a `gc`. Without any, the whole
        request is one step on the thread that writes."""
        self._copies: list[Job | BlobForgeError] | None = None
        self._endings: list[Ending | BlobForgeError] | None = None
        self._outcomes: list[Job | BlobForgeError] = []
        self._claimed_jobs: Sequence[Job] = ()

    def find_uploaded(self) -> bool:
        """The queue itself says whose the jobs are: a copy that was kept here may be old, and a late worker would
        overwrite what another has published. Tells whether a lease may be over before the files are moved."""
        self._copies = copies_of(self._leases(), self._asker, self._parts, anew=True)
        by_then = self._parts.clock.now() + MOVED_WITHIN
        return any(
            isinstance(copy, Job) and (copy.lease_expires_at is None or copy.lease_expires_at < by_then)
            for copy in self._copies
        )

    def renew_uploaded(self) -> None:
        """Their leases last while files are moved."""
        copies = self._found()
        renewed = iter(self._coordinator.renew([copy for copy in copies if isinstance(copy, Job)]))
        self._copies = [next(renewed) if isinstance(copy, Job) else copy for copy in copies]

    def take_uploads(self) -> None:
        """Looks at what was uploaded, and brings it to its place."""
        self._endings = self._checked_endings()

    def settle(self) -> None:
        """Shares its commit with others: nothing is kept or told before that is done."""
        endings = self._checked_endings() if self._endings is None else self._endings
        done = self._end_and_claim([ending for ending in endings if not isinstance(ending, BlobForgeError)])
        ended = iter(done.ended)
        self._outcomes = [ending if isinstance(ending, BlobForgeError) else next(ended) for ending in endings]
        self._claimed_jobs = done.claimed

    @property
    def is_told_again(self) -> bool:
        return any(map(_may_have_ended_before, self._request.endings, self._outcomes))

    def look_back(self) -> None:
        """A reply that was lost makes its sender say it again: where this very lease ended so, that is no loss. The
        server may have been killed after the first time, before it published what was completed."""
        self._outcomes = [
            ended_before(message.lease, message.kind, self._parts) or outcome
            if _may_have_ended_before(message, outcome)
            else outcome
            for message, outcome in zip(self._request.endings, self._outcomes, strict=True)
        ]

    def settled(self) -> Settled:
        parts, claimed = self._parts, self._claimed_jobs
        parts.leased.forget(self._leases())
        parts.leased.keep(claimed)
        parts.metrics.claimed(claimed)
        parts.metrics.ended(self._outcomes)
        return Settled.model_construct(
            ended=[outcome_for_clients(outcome) for outcome in self._outcomes],
            claimed=[self._claimed(job) for job in claimed],
        )

    def publish(self) -> None:
        """Only what was completed here: a late worker gets nothing published."""
        for upload, outcome in zip(self._uploads, self._outcomes, strict=True):
            if upload is not None and isinstance(outcome, Job):
                self._parts.files.results.published(outcome)

    def _checked_endings(self) -> list[Ending | BlobForgeError]:
        return [
            self._checked(message, copy, upload)
            for message, copy, upload in zip(self._request.endings, self._found(), self._uploads, strict=True)
        ]

    def _found(self) -> list[Job | BlobForgeError]:
        if self._copies is None:
            self._copies = copies_of(self._leases(), self._asker, self._parts)
        return self._copies

    def _leases(self) -> list[Lease]:
        return [message.lease for message in self._request.endings]

    def _checked(
        self, message: EndingMessage, copy: Job | BlobForgeError, upload: UploadedResult | None
    ) -> Ending | BlobForgeError:
        if isinstance(copy, BlobForgeError):
            return copy
        ending = ending_of(message, copy)
        if not isinstance(ending, Completed):
            return ending
        try:
            return self._parts.files.results.accepted(ending, upload)
        except BlobForgeError as error:
            return error

    def _end_and_claim(self, endings: Sequence[Ending]) -> EndedAndClaimed:
        request, asker = self._request, self._asker
        if (request.claim is None and request.exactly is None) or asker.is_draining:
            return EndedAndClaimed(self._coordinator.end(endings) if endings else [], [])
        process = asker.require_process(request.process)
        if request.exactly is not None:
            return self._coordinator.end_and_claim_exactly(endings, self._seen(request.exactly), worker_id=process)
        assert request.claim is not None, "one of both was asked for"
        project = asker.project_of(request.claim.project)
        if (unheard := self._unheard(request.claim, project, process)) is not None:
            return EndedAndClaimed(self._coordinator.end(endings) if endings else [], unheard)
        queue = Queue(project, asker.types(request.claim.types), frozenset(request.claim.has))
        return self._coordinator.end_and_claim(endings, queue, worker_id=process, limit=request.claim.limit)

    def _unheard(self, claim: ClaimNext, project: str, process: WorkerId) -> list[Job] | None:
        """What an earlier claim gave to the process and it did not hear of; None where there is nothing."""
        if claim.holding is None:
            return None
        if not claim.in_doubt:
            given = self._parts.leased.given_besides(claim.holding, process, self._coordinator)
            return [job for job in given if job.project == project] or None
        held = self._coordinator.page(
            JobFilter(project=project, state=State.RUNNING, worker_id=process), limit=MOST_AT_ONCE
        )
        return [job for job in held if job.id not in claim.holding] or None

    def _seen(self, wanted: Sequence[SeenJob]) -> list[Job]:
        """The server's own copies, with the revision that was seen, in the order that was asked; what is not for its
        sender is left out."""
        there = {job.id: job for job in self._coordinator.get_many([JobId(seen.id) for seen in wanted])}
        found = [there.get(JobId(seen.id)) for seen in wanted]
        return [
            job._replace(rev=seen.rev)
            for job, seen in zip(found, wanted, strict=True)
            if job is not None and self._asker.sees(job.project) and self._asker.works_on(job.type)
        ]

    def _claimed(self, job: Job) -> ClaimedJob:
        return ClaimedJob.model_construct(job=JobRow.of(job), lease_token=self._parts.leased.tokens.of(job))


def _may_have_ended_before(message: EndingMessage, outcome: Job | BlobForgeError) -> bool:
    return message.again and isinstance(outcome, LeaseLost)


def _names_found_result(message: EndingMessage) -> bool:
    return isinstance(message, CompletedMessage) and found_recipe(message.result) is not None


def ended_before(lease: Lease, kind: str, parts: ServerParts) -> Job | None:
    """The job as it is now, if it was this very lease that ended it so."""
    job_id = JobId(lease.job_id)
    found = parts.coordinator.get_many([job_id])
    for attempt in parts.coordinator.history(job_id).attempts if found else ():
        is_same = (attempt.lease_number, attempt.worker_id) == (lease.number, WorkerId(lease.process))
        if is_same and attempt.outcome in _OUTCOMES[kind]:
            return found[0]
    return None


_OUTCOMES = {
    "completed": frozenset({"completed"}),
    "failed": frozenset({"failed", "died"}),
    "released": frozenset({"released"}),
    "declined": frozenset({"released"}),
}
"""How an attempt is recorded that ended so."""
