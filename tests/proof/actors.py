"""The actors of the proof: what workers, sweeps and people do to one job, through the real queue."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from tests.proof.queue import queue_of
from tests.proof.stepper import ActorContext, Script

from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import BlobForgeError, LeaseLost, StoreUnavailable
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.priority import Priority
from blobforge.testing.builders import new_job

DOCUMENT = "a document"
PASSING = Failure("timed_out", "it took too long", retryable=True)
FINAL = Failure("not_a_pdf", "it is no PDF", retryable=False)
MOST_TRIES = 4

Answer = TypeVar("Answer")


def lease_name(job: Job) -> str:
    """No two claims have the same. A document that was forgotten and came again is another job, by its id."""
    return f"{job.source_hash[:8]} of {job.id} lease {job.lease_number}"


def worker(context: ActorContext, ending: Callable[[Job], Ending], *, beats: int = 0, seconds: float = 30) -> None:
    """Claims one job, works on it, and ends it, or releases it when its lease is lost."""
    queue = queue_of(context)
    name = WorkerId(HOLDER if context.name.startswith(HOLDER) else context.name)
    for job in patiently(context, lambda: queue.claim(name)) or []:
        work_on(context, queue.service, job, ending, beats=beats, seconds=seconds)


def work_on(
    context: ActorContext,
    service: CoordinationService,
    job: Job,
    ending: Callable[[Job], Ending],
    *,
    beats: int,
    seconds: float,
) -> None:
    _noted(context, "claimed", job)
    for _ in range(beats):
        context.sleep(seconds)
        outcome = _outcome_of(context, lambda: service.renew([job]))
        if isinstance(outcome, LeaseLost):
            context.note("lost", lease_name(job))
            ending = Released
            break
    context.sleep(seconds)
    outcome = _outcome_of(context, lambda: service.end([ending(job)]))
    if isinstance(outcome, Job):
        _noted(context, outcome.state.value, outcome)
    else:
        context.note("refused", lease_name(job))


def _outcome_of(context: ActorContext, ask: Callable[[], Sequence[Job | BlobForgeError]]) -> Job | BlobForgeError:
    """The outcome of one job, retried while the store is unavailable, as the worker does it."""
    outcome: Job | BlobForgeError = StoreUnavailable("it was never asked")
    for _ in range(MOST_TRIES):
        outcome = (patiently(context, ask) or [outcome])[0]
        if not isinstance(outcome, StoreUnavailable):
            break
        context.note("asked again", None)
        context.sleep(5)
    return outcome


def sweep(context: ActorContext) -> None:
    """The reaper."""
    queue = queue_of(context)
    patiently(context, queue.sweep)


def reconcile(context: ActorContext) -> None:
    """The reconciler."""
    queue = queue_of(context)
    patiently(context, queue.reconcile)


def recovery(context: ActorContext, *, of: str) -> None:
    """Frees the jobs of a worker of this machine that is gone, when another one starts."""
    for job in patiently(context, lambda: queue_of(context).service.expire_worker(WorkerId(of))) or []:
        _noted(context, "recovered", job)


def ingest(context: ActorContext, *, document: str = DOCUMENT) -> None:
    inserted = patiently(context, lambda: queue_of(context).service.submit([new_job(document)]))
    if inserted is not None:
        _noted(context, "ingested", inserted[0].job)


def cancel(context: ActorContext, *, document: str = DOCUMENT) -> None:
    _steer(context, document, "cancelled", lambda service, job: service.cancel(job.id))


def requeue(context: ActorContext, *, document: str = DOCUMENT) -> None:
    _steer(context, document, "requeued", lambda service, job: service.requeue(job.id))


def retry(context: ActorContext, *, document: str = DOCUMENT) -> None:
    """Of a dead or cancelled job, and a new run of one that is done."""
    _steer(context, document, "retried", lambda service, job: service.retry(job.id))


def retry_with_what_is_left(context: ActorContext, *, document: str = DOCUMENT) -> None:
    _steer(context, document, "retried", lambda service, job: service.retry(job.id, reset_attempts=False))


def reprioritise(context: ActorContext, *, to: Priority, document: str = DOCUMENT) -> None:
    _steer(context, document, "reprioritised", lambda service, job: service.reprioritize(job.id, priority=to))


def forget(context: ActorContext, *, document: str = DOCUMENT) -> None:
    service = queue_of(context).service
    job = _found(context, service, document)
    cleared = patiently(context, lambda: service.clear_dead([job])) if job is not None else None
    if job is not None and cleared is not None and any(cleared):
        _noted(context, "forgotten" if cleared.purged else "restored", job)


succeeds: Script = partial(worker, ending=lambda job: Completed(job, "{}"))
beats: Script = partial(worker, ending=lambda job: Completed(job, "{}"), beats=1)
fails: Script = partial(worker, ending=lambda job: Failed(job, PASSING))
fails_for_good: Script = partial(worker, ending=lambda job: Failed(job, FINAL))
releases: Script = partial(worker, ending=Released)

HOLDER = "holder"
"""The worker of the schedules that begin with a job in somebody's hands."""

EVERYONE: dict[str, Script] = {
    "succeeds": succeeds,
    "beats": beats,
    "fails": fails,
    "releases": releases,
    "sweep": sweep,
    "reconcile": reconcile,
    "recovery": partial(recovery, of=HOLDER),
    "ingest": ingest,
    "cancel": cancel,
    "requeue": requeue,
    "retry": retry,
    "promote": partial(reprioritise, to=Priority.CRITICAL),
    "demote": partial(reprioritise, to=Priority.BACKGROUND),
    "forget": forget,
}
HOLDERS: dict[str, Script] = {
    "holder succeeds": succeeds,
    "holder beats": beats,
    "holder fails": fails,
    "holder releases": releases,
}
"""Workers that have claimed the job before the schedule begins, and are about to go on."""


def _steer(context: ActorContext, document: str, what: str, move: Callable[[CoordinationService, Job], Job]) -> None:
    service = queue_of(context).service
    job = _found(context, service, document)
    if job is None:
        return
    try:
        moved = patiently(context, lambda: move(service, job))
    except BlobForgeError as refusal:
        context.note(f"not {what}", refusal.code)
        return
    if moved is not None:
        _noted(context, what, moved)


def _found(context: ActorContext, service: CoordinationService, document: str) -> Job | None:
    found = patiently(context, lambda: service.find([new_job(document).key]))
    return next(iter(found.values()), None) if found else None


def patiently(context: ActorContext, ask: Callable[[], Answer]) -> Answer | None:
    """As the worker does it: what the store did not answer is asked again later. None when it never did."""
    for _ in range(MOST_TRIES):
        try:
            return ask()
        except StoreUnavailable:
            context.note("asked again", None)
            context.sleep(5)
    context.note("gave up", None)
    return None


def _noted(context: ActorContext, what: str, job: Job) -> None:
    context.note(what, lease_name(job))
    if what == "claimed" and job.attempts > job.max_attempts:
        context.note("over budget", f"{lease_name(job)}, attempt {job.attempts}")
    if what == "retried" and job.state is not State.PENDING:
        context.note("retried in vain", job.state.value)
