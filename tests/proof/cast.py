"""The actors of the proof: what workers, sweeps and people do to one job, through the real queue."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from tests.proof.puppet import Play, Seat
from tests.proof.queue import desk_of

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


def worker(seat: Seat, ending: Callable[[Job], Ending], *, beats: int = 0, seconds: float = 30) -> None:
    """Claims one job, works on it, and ends it, or releases it when its lease is lost."""
    desk = desk_of(seat)
    name = WorkerId(HOLDER if seat.name.startswith(HOLDER) else seat.name)
    for job in patiently(seat, lambda: desk.claim(name)) or []:
        work_on(seat, desk.service, job, ending, beats=beats, seconds=seconds)


def work_on(
    seat: Seat, service: CoordinationService, job: Job, ending: Callable[[Job], Ending], *, beats: int, seconds: float
) -> None:
    _noted(seat, "claimed", job)
    for _ in range(beats):
        seat.sleep(seconds)
        outcome = _outcome_of(seat, lambda: service.renew([job]))
        if isinstance(outcome, LeaseLost):
            seat.note("lost", lease_name(job))
            ending = Released
            break
    seat.sleep(seconds)
    outcome = _outcome_of(seat, lambda: service.end([ending(job)]))
    if isinstance(outcome, Job):
        _noted(seat, outcome.state.value, outcome)
    else:
        seat.note("refused", lease_name(job))


def _outcome_of(seat: Seat, ask: Callable[[], Sequence[Job | BlobForgeError]]) -> Job | BlobForgeError:
    """The outcome of one job, retried while the store is unavailable, as the worker does it."""
    outcome: Job | BlobForgeError = StoreUnavailable("it was never asked")
    for _ in range(MOST_TRIES):
        outcome = (patiently(seat, ask) or [outcome])[0]
        if not isinstance(outcome, StoreUnavailable):
            break
        seat.note("asked again", None)
        seat.sleep(5)
    return outcome


def sweep(seat: Seat) -> None:
    """The reaper."""
    desk = desk_of(seat)
    patiently(seat, desk.sweep)


def reconcile(seat: Seat) -> None:
    """The reconciler."""
    desk = desk_of(seat)
    patiently(seat, desk.reconcile)


def recovery(seat: Seat, *, of: str) -> None:
    """Frees the jobs of a worker of this machine that is gone, when another one starts."""
    for job in patiently(seat, lambda: desk_of(seat).service.expire_worker(WorkerId(of))) or []:
        _noted(seat, "recovered", job)


def ingest(seat: Seat, *, document: str = DOCUMENT) -> None:
    inserted = patiently(seat, lambda: desk_of(seat).service.submit([new_job(document)]))
    if inserted is not None:
        _noted(seat, "ingested", inserted[0].job)


def cancel(seat: Seat, *, document: str = DOCUMENT) -> None:
    _steer(seat, document, "cancelled", lambda service, job: service.cancel(job.id))


def requeue(seat: Seat, *, document: str = DOCUMENT) -> None:
    _steer(seat, document, "requeued", lambda service, job: service.requeue(job.id))


def retry(seat: Seat, *, document: str = DOCUMENT) -> None:
    """Of a dead or cancelled job, and a new run of one that is done."""
    _steer(seat, document, "retried", lambda service, job: service.retry(job.id))


def retry_with_what_is_left(seat: Seat, *, document: str = DOCUMENT) -> None:
    _steer(seat, document, "retried", lambda service, job: service.retry(job.id, reset_attempts=False))


def reprioritise(seat: Seat, *, to: Priority, document: str = DOCUMENT) -> None:
    _steer(seat, document, "reprioritised", lambda service, job: service.reprioritize(job.id, priority=to))


def forget(seat: Seat, *, document: str = DOCUMENT) -> None:
    service = desk_of(seat).service
    job = _found(seat, service, document)
    cleared = patiently(seat, lambda: service.clear_dead([job])) if job is not None else None
    if job is not None and cleared is not None and any(cleared):
        _noted(seat, "forgotten" if cleared.purged else "restored", job)


succeeds: Play = partial(worker, ending=lambda job: Completed(job, "{}"))
beats: Play = partial(worker, ending=lambda job: Completed(job, "{}"), beats=1)
fails: Play = partial(worker, ending=lambda job: Failed(job, PASSING))
fails_for_good: Play = partial(worker, ending=lambda job: Failed(job, FINAL))
releases: Play = partial(worker, ending=Released)

HOLDER = "holder"
"""The worker of the plays that begin with a job in somebody's hands."""

EVERYONE: dict[str, Play] = {
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
HOLDERS: dict[str, Play] = {
    "holder succeeds": succeeds,
    "holder beats": beats,
    "holder fails": fails,
    "holder releases": releases,
}
"""Workers that have claimed the job before the play begins, and are about to go on."""


def _steer(seat: Seat, document: str, what: str, move: Callable[[CoordinationService, Job], Job]) -> None:
    service = desk_of(seat).service
    job = _found(seat, service, document)
    if job is None:
        return
    try:
        moved = patiently(seat, lambda: move(service, job))
    except BlobForgeError as refusal:
        seat.note(f"not {what}", refusal.code)
        return
    if moved is not None:
        _noted(seat, what, moved)


def _found(seat: Seat, service: CoordinationService, document: str) -> Job | None:
    found = patiently(seat, lambda: service.find([new_job(document).key]))
    return next(iter(found.values()), None) if found else None


def patiently(seat: Seat, ask: Callable[[], Answer]) -> Answer | None:
    """As the worker does it: what the store did not answer is asked again later. None when it never did."""
    for _ in range(MOST_TRIES):
        try:
            return ask()
        except StoreUnavailable:
            seat.note("asked again", None)
            seat.sleep(5)
    seat.note("gave up", None)
    return None


def _noted(seat: Seat, what: str, job: Job) -> None:
    seat.note(what, lease_name(job))
    if what == "claimed" and job.attempts > job.max_attempts:
        seat.note("over budget", f"{lease_name(job)}, attempt {job.attempts}")
    if what == "retried" and job.state is not State.PENDING:
        seat.note("retried in vain", job.state.value)
