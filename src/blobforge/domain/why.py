"""Why a job does not run, or what became of it, and which commands change that."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from blobforge.domain import lifecycle
from blobforge.domain.account import is_worker_name
from blobforge.domain.job import Job, State, awaits_source, claim_order, is_ready
from blobforge.domain.needs import NOTHING, are_met, how_to_get, in_words, missing
from blobforge.domain.pause import Pause
from blobforge.domain.priority import Priority
from blobforge.domain.remedies import DOWNLOAD, LOGS, REPROCESS, RETRY, SUBMIT, meaning_of, remedy_for
from blobforge.domain.result_record import result_record
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import read_report, silence_allowed


class Reason(StrEnum):
    """In one word, for programs; an `Explanation` has the sentences."""

    UNKNOWN = "unknown"
    AWAITS_SOURCE = "awaits_source"
    """It was announced, and its document did not come yet."""
    NO_WORKER = "no_worker"
    WORKERS_SILENT = "workers_silent"
    WORKERS_DRAINING = "workers_draining"
    WORKERS_CLOSED = "workers_closed"
    BEHIND_OTHERS = "behind_others"
    SLOTS_BUSY = "slots_busy"
    NEXT = "next"
    PAUSED = "paused"
    """Somebody paused its type."""
    NEEDS_UNMET = "needs_unmet"
    """No worker of its type has what it needs."""
    BACK_OFF = "back_off"
    RUNNING = "running"
    WORKER_LOST = "worker_lost"
    LEASE_OVER = "lease_over"
    COMPLETED = "completed"
    COMPLETED_WITH_GAPS = "completed_with_gaps"
    CANCELLED = "cancelled"
    REFUSED = "refused"
    """Dead with attempts left: a retry would have failed in the same way."""
    SOURCE_NEVER_CAME = "source_never_came"
    BUDGET_SPENT = "budget_spent"


class Explanation(NamedTuple):
    """For a person, in sentences, with the commands that change it."""

    reason: Reason
    sentences: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The surroundings of a job. `ahead` are the pending jobs of its lane that are claimed first; in a long queue
    `ahead` may be only some of them, and `ahead_is_all` is False. `has_here` is what a worker would have that is
    started where somebody asks."""

    now: datetime
    workers: Sequence[Worker] = ()
    silent_after: timedelta = timedelta(seconds=180)
    ahead: int = 0
    ahead_is_all: bool = True
    has_here: frozenset[str] = NOTHING
    pause: Pause | None = None
    """Of the job's lane."""


def explain(job: Job, around: Surroundings, *, called: str) -> Explanation:
    """`called` is the job as the person names it, to be used in commands."""
    reason, sentences, commands = _EXPLAINERS[job.state](job, around)
    facts = {"job": shlex.quote(called), "code": shlex.quote(job.error_code or "")}
    return Explanation(reason, sentences, tuple(command.format(**facts) for command in commands))


def explain_unknown(called: str) -> Explanation:
    return Explanation(
        Reason.UNKNOWN,
        (f"The queue has no job {called}: its document was never submitted, or the job was cleared away.",),
        (SUBMIT, "blobforge config show"),
    )


def comes_before(other: Job, job: Job) -> bool:
    """Whether a pending job is claimed earlier than another of its lane."""
    return is_ready(other) and claim_order(other) < claim_order(job)


def _pending(job: Job, around: Surroundings) -> Explanation:
    if awaits_source(job):
        return _without_source(job, around)
    if around.pause is not None:
        return _paused(around.pause, around)
    explanation = _without_takers(job, around)
    if explanation is None:
        return _in_line(job, around)
    return _with_needs(job, around, explanation) if job.needs else explanation


def _without_source(job: Job, around: Surroundings) -> Explanation:
    assert job.available_at is not None, "until then it waits"
    until = _when(job.available_at, around)
    if lifecycle.is_due(job, now=around.now):
        text = f"Its source was expected by now ({until}) and did not come: the next sweep gives it up."
    else:
        text = f"It waits for its source, which must come by {until.removeprefix('at ')}; then a worker can take it."
    return Explanation(Reason.AWAITS_SOURCE, (text,), (SUBMIT, "blobforge cancel {job}"))


def _paused(pause: Pause, around: Surroundings) -> Explanation:
    since = _when(pause.since, around).removeprefix("at ")
    text = f"It waits: jobs of type {pause.type!r} are paused since {since}, by {pause.by}."
    return Explanation(Reason.PAUSED, (text,), (f"blobforge resume {shlex.quote(pause.type)}",))


def _without_takers(job: Job, around: Surroundings) -> Explanation | None:
    """Why no worker claims jobs of this type now."""
    serving = [worker for worker in around.workers if job.type in worker.type.split(",")]
    start = (f"blobforge worker --type {shlex.quote(job.type)}",)
    if not serving:
        return Explanation(Reason.NO_WORKER, (f"It waits, and no worker serves the type {job.type!r}.",), start)
    alive = [worker for worker in serving if _is_alive(worker, around)]
    if not alive:
        newest = max(serving, key=lambda worker: worker.last_heartbeat)
        heard = f"the last sign of life was of {newest.id}, {_away(newest.last_heartbeat, around.now)}"
        return Explanation(Reason.WORKERS_SILENT, (f"It waits, and its workers are not heard of: {heard}.",), start)
    staying = [worker for worker in alive if worker.status is not WorkerStatus.DRAINING]
    if not staying:
        return _draining(alive, start)
    if job.needs:
        able = [worker for worker in staying if not _lacks(worker, job)]
        if not able:
            return _ill_equipped(job, around, staying)
        staying = able
    openings = [read_report(worker.metadata, worker_id=worker.id).opens_at for worker in staying]
    times = [opens_at for opens_at in openings if opens_at is not None and opens_at > around.now]
    if len(times) == len(staying):
        text = (
            f"It waits for the run window of its workers ({_names(staying)}), which opens {_when(min(times), around)}."
        )
        return Explanation(Reason.WORKERS_CLOSED, (text,), ("blobforge config show",))
    return None


def _draining(workers: Sequence[Worker], start: tuple[str, ...]) -> Explanation:
    """Some end by themselves; of others somebody drains the account, and can resume it."""
    accounts = {worker.id: read_report(worker.metadata, worker_id=worker.id).drained for worker in workers}
    ending = [worker for worker in workers if accounts[worker.id] is None]
    drained = [worker for worker in workers if accounts[worker.id] is not None]
    told = [f"are {word}: {_names(of)}" for word, of in (("ending", ending), ("draining", drained)) if of]
    names = dict.fromkeys(name for name in accounts.values() if name is not None and is_worker_name(name))
    resume = tuple(f"blobforge workers resume {name}" for name in names)
    text = f"It waits, and all workers of its type {'; or '.join(told)}."
    return Explanation(Reason.WORKERS_DRAINING, (text,), (*resume, *start))


def _with_needs(job: Job, around: Surroundings, explanation: Explanation) -> Explanation:
    """What a worker that is started for it must have."""
    if explanation.reason is Reason.NEEDS_UNMET:
        return explanation
    words = job.needs.split(" ")
    has_all = are_met(job.needs, around.has_here)
    here = ", as this machine does" if has_all else ""
    sentence = f"It needs one that has {' and '.join(map(in_words, words))}{here}."
    ways = _ways(missing(job.needs, around.has_here))
    return Explanation(explanation.reason, (*explanation.sentences, sentence), (*ways, *explanation.commands))


def _ways(words: Sequence[str]) -> list[str]:
    """The commands that install these."""
    return [way for word in words if (way := how_to_get(word)) is not None]


def _lacks(worker: Worker, job: Job) -> list[str]:
    has = read_report(worker.metadata, worker_id=worker.id).has
    return missing(job.needs, frozenset(has or ()))


def _ill_equipped(job: Job, around: Surroundings, workers: Sequence[Worker]) -> Explanation:
    """Those that lack the least come first: it is the shortest way."""
    told = sorted((len(lacks := _lacks(worker, job)), worker.id, lacks) for worker in workers)
    words = " and ".join(map(in_words, job.needs.split(" ")))
    each = "; ".join(f"{name} has not {' and '.join(map(in_words, lacks))}" for _, name, lacks in told)
    waits = f"It waits for a worker that has {words}, and none of those that run has: {each}."
    start = f"blobforge worker --type {shlex.quote(job.type)}"
    if are_met(job.needs, around.has_here):
        here = "This machine has it: start a worker here, or start the one that runs here again."
        return Explanation(Reason.NEEDS_UNMET, (waits, here), (start,))
    install = "Install it where one of them runs and start that worker again, or start one on a machine that has it."
    return Explanation(Reason.NEEDS_UNMET, (waits, install), (*_ways(told[0][2]), start))


def _in_line(job: Job, around: Surroundings) -> Explanation:
    reports = [
        read_report(worker.metadata, worker_id=worker.id)
        for worker in around.workers
        if job.type in worker.type.split(",")
        and _is_alive(worker, around)
        and worker.status is not WorkerStatus.DRAINING
        and not _lacks(worker, job)
    ]
    slots, running = sum(report.slots for report in reports), sum(report.running for report in reports)
    if around.ahead:
        count = f"{around.ahead}" if around.ahead_is_all else f"at least {around.ahead}"
        jobs = "job that is" if around.ahead == 1 and around.ahead_is_all else "jobs that are"
        text = f"It waits behind {count} {jobs} more urgent or older; its own priority is {_priority(job)}."
        sooner = ("blobforge reprioritize {job} critical",) if job.priority > Priority.CRITICAL else ()
        return Explanation(Reason.BEHIND_OTHERS, (text,), (*sooner, f"blobforge worker --type {shlex.quote(job.type)}"))
    if slots and running >= slots:
        text = f"It is the next in line; all {slots} slots of its workers are busy."
        return Explanation(Reason.SLOTS_BUSY, (text,), (f"blobforge worker --type {shlex.quote(job.type)}",))
    return Explanation(Reason.NEXT, ("It is the next in line; a worker takes it within seconds.",), ())


def _failed(job: Job, around: Surroundings) -> Explanation:
    if lifecycle.is_due(job, now=around.now):
        # The next sweep makes it pending: then it is like any other.
        told = _pending(job, around)
        first, *others = _causes(job)
        failed = f"Attempt {job.attempts} of {job.max_attempts} failed: {first}"
        return Explanation(told.reason, (*told.sentences, failed, *others), (*told.commands, LOGS))
    until = "later" if job.available_at is None else _when(job.available_at, around)
    text = f"Attempt {job.attempts} of {job.max_attempts} failed, and it is tried again {until}."
    return Explanation(Reason.BACK_OFF, (text, *_causes(job)), (RETRY, LOGS))


def _running(job: Job, around: Surroundings) -> Explanation:
    since = f" since {_clock(job.started_at)}" if job.started_at is not None else ""
    told = [f"Worker {job.worker_id} has it{since}, as attempt {job.attempts} of {job.max_attempts}."]
    ends = job.lease_expires_at
    lost = _loss_of(job, around)
    if ends is not None and ends <= around.now:
        told += [lost] if lost is not None else []
        told.append(f"Its lease ended {_when(ends, around)}: the next worker that looks takes it.")
        return Explanation(Reason.LEASE_OVER, tuple(told), (f"blobforge worker --type {shlex.quote(job.type)}",))
    commands = ("blobforge cancel --requeue {job}", "blobforge cancel {job}")
    if lost is not None:
        freed = "" if ends is None else f" The job is free again when its lease ends, {_when(ends, around)}."
        return Explanation(Reason.WORKER_LOST, (*told, lost + freed), commands)
    if ends is not None:
        told.append(f"Its lease ends {_when(ends, around)} unless it is renewed.")
    return Explanation(Reason.RUNNING, tuple(told), commands)


def _loss_of(job: Job, around: Surroundings) -> str | None:
    """The sign that the worker of a running job is gone; None while there is none."""
    holder = next((worker for worker in around.workers if worker.id == job.worker_id), None)
    if holder is None:
        # Without a list of workers it is unknown.
        return "That worker is lost: it is not among those that are signed in." if around.workers else None
    report = read_report(holder.metadata, worker_id=holder.id)
    if holder.last_heartbeat + silence_allowed(report, around.silent_after) > around.now:
        return None
    return (
        f"That worker is lost: there was no heartbeat since {_when(holder.last_heartbeat, around).removeprefix('at ')}."
    )


def _completed(job: Job, around: Surroundings) -> Explanation:
    when = "" if job.completed_at is None else f" {_when(job.completed_at, around)}"
    record = result_record(job)
    doubts = (f"Look at it with care: {record.doubts}.",) if record.doubts else ()
    if not record.has_gaps:
        return Explanation(Reason.COMPLETED, (f"It was completed{when}.", *doubts), (DOWNLOAD, REPROCESS))
    told = [f"It was completed{when}, but {record.gaps}.", *doubts]
    told += [remedy_for(code).advice for code in record.codes]
    commands = [command for code in record.codes for command in remedy_for(code).commands]
    return Explanation(
        Reason.COMPLETED_WITH_GAPS,
        tuple(dict.fromkeys(told)),
        tuple(dict.fromkeys((*commands, RETRY, DOWNLOAD))),
    )


def _cancelled(job: Job, around: Surroundings) -> Explanation:
    told = f"Somebody cancelled it {_when(job.updated_at, around)}."
    if job.result is None:
        return Explanation(Reason.CANCELLED, (told,), (RETRY,))
    gaps = result_record(job).gaps
    kept = f"The result of an earlier run is there all the same{f', but {gaps}' if gaps else ''}."
    return Explanation(Reason.CANCELLED, (told, kept), (DOWNLOAD, RETRY))


def _dead(job: Job, _around: Surroundings) -> Explanation:
    remedy = remedy_for(job.error_code)
    if job.error_code == lifecycle.SOURCE_NEVER_CAME:
        reason, given_up = Reason.SOURCE_NEVER_CAME, "It was given up, because its source did not come."
    elif job.attempts >= job.max_attempts:
        reason, given_up = Reason.BUDGET_SPENT, f"It was given up, because all {job.max_attempts} attempts are spent."
    else:
        reason, given_up = Reason.REFUSED, "It was given up, because another attempt would end in the same way."
    advice = (remedy.advice, remedy.advice_if_dead) if remedy.advice_if_dead else (remedy.advice,)
    return Explanation(reason, (given_up, *_causes(job), *advice), (*remedy.commands, *remedy.commands_if_dead))


_EXPLAINERS = {
    State.PENDING: _pending,
    State.RUNNING: _running,
    State.COMPLETED: _completed,
    State.FAILED: _failed,
    State.DEAD: _dead,
    State.CANCELLED: _cancelled,
}


def _causes(job: Job) -> Iterator[str]:
    yield f"{job.last_error or 'No message was kept'} [{job.error_code or 'no code'}]."
    if (meaning := meaning_of(job.error_code)) is not None:
        yield meaning


def _is_alive(worker: Worker, around: Surroundings) -> bool:
    return worker.status is not WorkerStatus.OFFLINE and worker.last_heartbeat + around.silent_after > around.now


def _names(workers: Sequence[Worker]) -> str:
    return ", ".join(worker.id for worker in workers)


def _priority(job: Job) -> str:
    return Priority(job.priority).label.lower()


def _when(moment: datetime, around: Surroundings) -> str:
    return f"at {_clock(moment)} ({_away(moment, around.now)})"


def _clock(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _away(moment: datetime, now: datetime) -> str:
    """How far off, in its largest unit: `in 8 s`, `3 min ago`, `now`."""
    seconds = round((moment - now).total_seconds())
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if abs(seconds) >= length:
            count = f"{abs(seconds) // length} {unit}"
            return f"in {count}" if seconds > 0 else f"{count} ago"
    return "now"
