"""The queue protocol for workers: claim, end, renew."""

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.responses import Response

from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, LeaseLost
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job, State
from blobforge.ports.coordinator import EndedAndClaimed
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.server.auth.asking import Asker
from blobforge.server.parts import ServerParts
from blobforge.server.routing import Parts, WorkerAsks, answer, says
from blobforge.wire import paths
from blobforge.wire.jobs import JobRow
from blobforge.wire.queue import (
    MOST_AT_ONCE,
    ClaimedJob,
    ClaimNext,
    EndingMessage,
    Lease,
    Outcome,
    Outcomes,
    RenewRequest,
    Settled,
    SettleRequest,
    ending_of,
)

router = APIRouter(tags=["queue protocol"])


@router.post(paths.SETTLE, **says(Settled))
async def settle(request: SettleRequest, asker: WorkerAsks, parts: Parts) -> Response:
    """Ends jobs and claims the next ones, in one step."""
    settled = await parts.crossing.write(lambda: Settling(parts).settle(request, asker))
    parts.hub.ring()
    return answer(settled)


@router.post(paths.RENEW, **says(Outcomes))
async def renew(request: RenewRequest, asker: WorkerAsks, parts: Parts) -> Response:
    """Extends leases: one outcome each, in order."""
    return answer(await parts.crossing.write(lambda: Settling(parts).renew(request, asker)))


class Settling:
    """Runs on the threads of the crossing."""

    def __init__(self, parts: ServerParts) -> None:
        self._coordinator = parts.coordinator
        self._leased = parts.leased

    def settle(self, request: SettleRequest, asker: Asker) -> Settled:
        copies = self._copies([message.lease for message in request.endings], asker)
        held: list[tuple[int, Ending]] = [
            (place, ending_of(message, job))
            for place, (message, job) in enumerate(zip(request.endings, copies, strict=True))
            if isinstance(job, Job)
        ]
        done = self._end_and_claim([ending for _, ending in held], request, asker)
        outcomes: dict[int, Job | BlobForgeError] = dict(zip((place for place, _ in held), done.ended, strict=True))
        self._leased.forget([message.lease for message in request.endings])
        self._leased.keep(done.claimed)
        return Settled.model_construct(
            ended=[
                Outcome.of(self._told_again(message, outcomes.get(place, copy)))
                for place, (message, copy) in enumerate(zip(request.endings, copies, strict=True))
            ],
            claimed=[self._claimed(job) for job in done.claimed],
        )

    def renew(self, request: RenewRequest, asker: Asker) -> Outcomes:
        copies = self._copies(request.leases, asker)
        held = [job for job in copies if isinstance(job, Job)]
        renewed = iter(self._coordinator.renew(held) if held else [])
        outcomes = [next(renewed) if isinstance(copy, Job) else copy for copy in copies]
        self._leased.keep([outcome for outcome in outcomes if isinstance(outcome, Job)])
        return Outcomes.model_construct(outcomes=[Outcome.of(outcome) for outcome in outcomes])

    def _end_and_claim(self, endings: Sequence[Ending], request: SettleRequest, asker: Asker) -> EndedAndClaimed:
        if request.exactly is not None:
            process = asker.require_process(request.process)
            return self._coordinator.end_and_claim_exactly(endings, self._seen(request, asker), worker_id=process)
        if request.claim is None:
            return EndedAndClaimed(self._coordinator.end(endings) if endings else [], [])
        process = asker.require_process(request.process)
        asker.require_project(request.claim.project)
        if (unheard := self._unheard(request.claim, process)) is not None:
            return EndedAndClaimed(self._coordinator.end(endings) if endings else [], unheard)
        queue = Queue(request.claim.project, tuple(request.claim.types), frozenset(request.claim.has))
        return self._coordinator.end_and_claim(endings, queue, worker_id=process, limit=request.claim.limit)

    def _unheard(self, claim: ClaimNext, process: WorkerId) -> list[Job] | None:
        """What an earlier claim gave to the process and it did not hear of; None where there is nothing."""
        if claim.holding is None:
            return None
        held = self._coordinator.page(
            JobFilter(project=claim.project, state=State.RUNNING, worker_id=process), limit=MOST_AT_ONCE
        )
        return [job for job in held if job.id not in claim.holding] or None

    def _seen(self, request: SettleRequest, asker: Asker) -> list[Job]:
        """The server's own copies, in the order that was asked; what its sender must not see is left out."""
        assert request.exactly is not None
        there = {job.id: job for job in self._coordinator.get_many([JobId(seen.id) for seen in request.exactly])}
        return [
            job
            for seen in request.exactly
            if (job := there.get(JobId(seen.id))) is not None and asker.sees(job.project)
        ]

    def _copies(self, leases: Sequence[Lease], asker: Asker) -> list[Job | BlobForgeError]:
        for process in {lease.process for lease in leases}:
            asker.require_process(process)
        return self._leased.copies(leases, self._coordinator) if leases else []

    def _told_again(self, message: EndingMessage, outcome: Job | BlobForgeError) -> Job | BlobForgeError:
        """A reply that was lost makes its sender say it again: where this very lease ended so, that is no loss."""
        if not (message.again and isinstance(outcome, LeaseLost)):
            return outcome
        lease, job_id = message.lease, JobId(message.lease.job_id)
        found = self._coordinator.get_many([job_id])
        if not found:
            return outcome
        for attempt in self._coordinator.history(job_id).attempts:
            is_same = (attempt.lease_number, attempt.worker_id) == (lease.number, WorkerId(lease.process))
            if is_same and attempt.outcome in _OUTCOMES[message.kind]:
                return found[0]
        return outcome

    def _claimed(self, job: Job) -> ClaimedJob:
        return ClaimedJob.model_construct(job=JobRow.of(job), lease_token=self._leased.tokens.of(job))


_OUTCOMES = {
    "completed": frozenset({"completed"}),
    "failed": frozenset({"failed", "died"}),
    "released": frozenset({"released"}),
    "declined": frozenset({"released"}),
}
"""How an attempt is recorded that ended so."""
