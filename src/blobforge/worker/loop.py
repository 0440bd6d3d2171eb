"""The worker's main loop: claims what the slots can take, settles what they finish, and ends in good order."""

import itertools
import queue
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator, Settled
from blobforge.ports.wakeup import Wakeup
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.feed import Feed
from blobforge.worker.heartbeat import Heartbeat
from blobforge.worker.job_run import Equipment, JobRun
from blobforge.worker.loop_settings import LoopSettings, OnTerm
from blobforge.worker.slots import SlotPool
from blobforge.worker.watching import Tally, Watcher

log = LazyLogger(__name__)


class _Ended(NamedTuple):
    run: JobRun
    ending: Ending
    details: str


class _Lost(NamedTuple):
    job: Job


class _Fault(NamedTuple):
    error: BaseException


class _Signal(NamedTuple):
    number: int


class _News(NamedTuple):
    """There may be something to claim."""


_Message = _Ended | _Lost | _Fault | _Signal | _News


class WorkerLoop:
    """Runs in one thread. `stop` may be called from a signal handler or any thread."""

    def __init__(
        self,
        coordinator: Coordinator,
        feed: Feed,
        equipment: Mapping[str, Equipment],
        settings: LoopSettings,
        *,
        clock: Clock,
        wakeup: Wakeup,
        watcher: Watcher,
    ) -> None:
        self._coordinator = coordinator
        self._feed = feed
        self._equipment = equipment
        self._settings = settings
        self._clock = clock
        self._wakeup = wakeup
        self._watcher = watcher
        self._inbox: queue.SimpleQueue[_Message] = queue.SimpleQueue()
        self._pool = SlotPool(settings.slots, on_fault=lambda error: self._inbox.put(_Fault(error)))
        self._runs: dict[JobId, JobRun] = {}
        self._endings: list[_Ended] = []
        self._report_at = 0.0
        self._pace = 0.0
        self._paced_at = time.monotonic()
        self._ranks = itertools.count()
        self._signals = 0
        self._finish_by: float | None = None
        self._look_at = 0.0
        self._resume_at = 0.0
        self._idle_looks = 0
        self.tally = Tally()

    def stop(self, number: int = 0) -> None:
        """Asks the loop to end. A second call skips the grace time."""
        self._inbox.put(_Signal(number))

    def nudge(self) -> None:
        """Says that the feed may have something new."""
        self._inbox.put(_News())

    def run(self) -> Tally:
        """Until the feed is exhausted or someone stops it. Whatever happens, no job stays claimed."""
        heartbeat = self._make_heartbeat()
        with ExitStack() as ending:
            ending.callback(self._sign_off)
            ending.callback(self._pool.close)
            self._pool.start()
            ending.callback(heartbeat.stop)
            heartbeat.start()
            ending.callback(self._hand_back)
            ending.callback(self._wakeup.subscribe(self.nudge).close)
            self._sign_in()
            self._settle()
            while not self._is_over():
                self._wait()
                self._settle()
        return self.tally

    # One turn

    def _settle(self) -> None:
        """Reports what ended and claims what there is room for, in one step."""
        room = self._room() if self._may_look() else 0
        if (not self._endings and not room) or self._may_gather():
            return
        ended, self._endings = self._endings, []
        try:
            settled = self._feed.settle([message.ending for message in ended], limit=room)
        except StoreUnavailable as error:
            log.warning("the queue does not answer; waiting", error=str(error))
            self._watcher.waiting(error)
            self._endings = ended
            self._look_at = time.monotonic() + self._settings.look_again.total_seconds()
            return
        # Known before anything else can go wrong: from here on they are handed back, whatever happens.
        begun = [self._take_on(job) for job in settled.claimed]
        self._take_note(ended, settled)
        for run in begun:
            self._begin(run)
        if ended:
            self._idle_looks = 0  # what failed may soon be tried again
        self._plan_next_look(found=len(begun), room=room)

    def _room(self) -> int:
        if self._signals or time.monotonic() < self._resume_at:
            return 0
        return max(self._settings.slots + self._ahead() - self._still_running(), 0)

    def _ahead(self) -> int:
        """One a slot, and more of them the quicker they are."""
        slots, most = self._settings.slots, self._settings.ahead
        return min(max(slots, int(self._pace * self._settings.ahead_for.total_seconds())), most)

    def _still_running(self) -> int:
        """Those that have ended leave their places in the same step in which others are claimed."""
        return len(self._runs) - len(self._endings)

    def _may_gather(self) -> bool:
        """A step costs the same for one ending as for ten, so they are reported together while no slot waits."""
        return (
            bool(self._endings)
            and not self._signals
            and self._still_running() > 2 * self._settings.slots
            and time.monotonic() < self._report_at
        )

    def _may_look(self) -> bool:
        return bool(self._endings) or time.monotonic() >= self._look_at

    def _plan_next_look(self, *, found: int, room: int) -> None:
        if found < room:
            self._idle_looks += 1
            wait = self._settings.look_again * 2 ** min(self._idle_looks - 1, 8)
            self._look_at = time.monotonic() + min(wait, self._settings.look_again_most).total_seconds()
        else:
            self._idle_looks = 0
            self._look_at = 0.0

    def _take_on(self, job: Job) -> JobRun:
        run = JobRun(
            job,
            self._equipment[job.type],
            rank=next(self._ranks),
            put=lambda step, rank: self._pool.put(step, rank=rank),
            on_end=lambda ended, ending, details: self._inbox.put(_Ended(ended, ending, details)),
            on_progress=self._watcher.progressed,
        )
        self._runs[job.id] = run
        return run

    def _begin(self, run: JobRun) -> None:
        job = run.job
        log.info("job claimed", job_id=job.id, type=job.type, attempt=job.attempts, path=job.source_path)
        self._watcher.claimed(job)
        run.start()

    def _wait(self) -> None:
        """Sleeps until something happens, then takes in all that has happened."""
        try:
            message = self._inbox.get(timeout=self._patience())
        except queue.Empty:
            return
        while True:
            self._take_in(message)
            try:
                message = self._inbox.get_nowait()
            except queue.Empty:
                return

    def _patience(self) -> float:
        if self._endings:
            return max(self._look_at - time.monotonic(), self._report_at - time.monotonic(), 0.001)
        waits = [self._settings.look_again_most.total_seconds()]
        if self._room():
            waits.append(max(self._look_at - time.monotonic(), 0.001))
        if self._finish_by is not None:
            waits.append(max(self._finish_by - time.monotonic(), 0.001))
        return min(waits)

    def _take_in(self, message: _Message) -> None:
        match message:
            case _Ended():
                self._take_in_ending(message)
                # The rest of a failed document is not wanted any more, and must not keep its slots.
                self._pool.kill_aborted()
            case _Lost(job):
                self._give_up(job)
            case _Fault(error):
                raise error
            case _Signal(number):
                self._on_signal(number)
            case _News():
                self._look_at = 0.0

    def _take_in_ending(self, message: _Ended) -> None:
        if self._runs.get(message.run.job.id) is message.run:
            if not self._endings:
                self._report_at = time.monotonic() + self._settings.gather.total_seconds()
            self._endings.append(message)
        if isinstance(message.ending, Released) and message.details:
            self._pause(StoreUnavailable(message.details))

    def _pause(self, problem: StoreUnavailable) -> None:
        """Claims nothing for a while: what cannot be fetched or stored now is not tried again at once."""
        log.warning("the blob store does not answer; waiting", error=str(problem))
        self._resume_at = time.monotonic() + self._settings.look_again.total_seconds()
        self._watcher.waiting(problem)

    def _take_note(self, ended: Sequence[_Ended], settled: Settled) -> None:
        for message, outcome in zip(ended, settled.ended, strict=True):
            # A job that was lost may have been claimed anew in the same step: then the entry is not this run's.
            if self._runs.get(message.run.job.id) is message.run:
                del self._runs[message.run.job.id]
            message.run.clean_up()
            self._count(message.ending, outcome)
            _log_ending(message, outcome)
        if ended:
            now = time.monotonic()
            self._pace, self._paced_at = len(ended) / max(now - self._paced_at, 0.001), now
            self._watcher.ended(
                [(message.ending, outcome) for message, outcome in zip(ended, settled.ended, strict=True)]
            )

    def _count(self, ending: Ending, outcome: Job | BlobForgeError) -> None:
        if not isinstance(outcome, Job):
            self.tally.lost += 1
        elif isinstance(ending, Completed):
            self.tally.completed += 1
        elif isinstance(ending, Failed):
            self.tally.failed += 1
        else:
            self.tally.released += 1

    # Losing and ending

    def _give_up(self, job: Job) -> None:
        """Someone else has the job, or it was cancelled: its children end, and nothing is written."""
        run = self._runs.get(job.id)
        if run is None or run.job.lease_number != job.lease_number:
            return
        if any(message.run is run for message in self._endings):
            return  # its children are done; the queue itself will refuse the ending
        log.warning("job lost or cancelled", job_id=job.id, lease=job.lease_number)
        run.abort()
        self._pool.kill_aborted()
        # The queue has the last word on whose it is, and whoever waits for it hears it the usual way.
        self._take_in_ending(_Ended(run, Released(run.job), ""))

    def _on_signal(self, number: int) -> None:
        self._signals += 1
        if self._signals > 1 or self._settings.on_term is OnTerm.RELEASE:
            self._finish_by = 0.0
        else:
            self._finish_by = time.monotonic() + self._settings.grace.total_seconds()
        log.info("ending", signal=number, running=len(self._runs), on_term=self._settings.on_term.value)

    def _is_over(self) -> bool:
        if self._finish_by is not None:
            return self._still_running() <= 0 or time.monotonic() >= self._finish_by
        return not self._runs and not self._endings and self._is_exhausted()

    def _is_exhausted(self) -> bool:
        try:
            return self._feed.exhausted(running=len(self._runs))
        except StoreUnavailable:
            return False

    def _hand_back(self) -> None:
        """Settles what is finished and releases what is not; tried for a while, for a lease that stays costs time."""
        for run in self._runs.values():
            run.abort()
        self._pool.kill_aborted()
        self._take_in_what_has_ended()
        finished = {message.run.job.id for message in self._endings}
        unfinished = [run for job_id, run in self._runs.items() if job_id not in finished]
        self._endings += [_Ended(run, Released(run.job), "") for run in unfinished]
        give_up = time.monotonic() + self._settings.give_up.total_seconds()
        while self._endings:
            self._look_at = 0.0
            self._signals = max(self._signals, 1)
            self._settle()
            if self._endings and time.monotonic() >= give_up:
                log.error("jobs could not be handed back; their leases will expire", jobs=len(self._endings))
                return
            if self._endings:
                time.sleep(0.2)

    def _take_in_what_has_ended(self) -> None:
        """What ended in the same moment has ended, and is not handed back."""
        while not self._inbox.empty():
            message = self._inbox.get()
            if isinstance(message, _Ended):
                self._take_in_ending(message)

    def _sign_in(self) -> None:
        try:
            self._coordinator.register_worker(self._describe())
        except StoreUnavailable as error:
            log.warning("the worker could not be signed in", error=str(error))

    def _sign_off(self) -> None:
        for run in self._runs.values():
            run.clean_up()
        try:
            self._coordinator.deregister_worker(self._settings.worker_id)
        except StoreUnavailable as error:
            log.warning("the worker could not be signed off", error=str(error))

    # The worker as others see it

    def _make_heartbeat(self) -> Heartbeat:
        return Heartbeat(
            self._coordinator,
            clock=self._clock,
            every=self._settings.heartbeat,
            check_every=self._settings.check,
            held=lambda: [run.job for run in list(self._runs.values())],
            describe=self._describe,
            on_lost=lambda job: self._inbox.put(_Lost(job)),
            on_fault=lambda error: self._inbox.put(_Fault(error)),
        )

    def _describe(self) -> Worker:
        running = list(self._runs.values())
        return Worker(
            id=self._settings.worker_id,
            type=",".join(sorted(self._equipment)),
            status=WorkerStatus.DRAINING if self._signals else WorkerStatus.ONLINE,
            last_heartbeat=self._clock.now(),
            current_job_id=running[0].job.id if running else None,
            metadata={"slots": self._settings.slots, "running": len(running)},
        )


def _log_ending(message: _Ended, outcome: Job | BlobForgeError) -> None:
    job = message.run.job
    if not isinstance(outcome, Job):
        log.warning("job ended too late", job_id=job.id, error=str(outcome))
    elif isinstance(message.ending, Failed):
        failure = message.ending.failure
        log.warning("job failed", job_id=job.id, code=failure.code, error=failure.message, now=outcome.state.value)
        if message.details:
            log.debug("what the child said", job_id=job.id, details=message.details)
    else:
        log.info("job ended", job_id=job.id, now=outcome.state.value)
