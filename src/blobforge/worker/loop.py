"""The worker's main loop: claims jobs for its slots, reports how they ended, and shuts down cleanly."""

import itertools
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from blobforge.domain.endings import Completed, Declined, Released
from blobforge.domain.errors import BlobForgeError, DiskFull, StoreUnavailable
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.worker import WorkerStatus
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import EndedAndClaimed, LeaseKeeper
from blobforge.ports.processor import Progress
from blobforge.ports.runtime import Inbox, Runtime
from blobforge.ports.wakeup import Wakeup
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.abilities import Abilities
from blobforge.worker.child import Child
from blobforge.worker.claim_gate import ClaimGate
from blobforge.worker.equipment import Equipment
from blobforge.worker.error_log import FailureNotes
from blobforge.worker.feed import Feed
from blobforge.worker.job_run import JobRun
from blobforge.worker.loop_messages import (
    DiskWait,
    Ended,
    Fault,
    Lost,
    Message,
    Nudged,
    Signalled,
    StoreAnswer,
    log_claim,
    log_ending,
    to_report_again,
)
from blobforge.worker.loop_settings import LoopSettings, OnTerm
from blobforge.worker.observer import Tally, WorkerObserver
from blobforge.worker.outage import Outage
from blobforge.worker.polling import Polling
from blobforge.worker.process_signs import NO_SIGNS, ProcessSigns
from blobforge.worker.registration import Registration
from blobforge.worker.run_schedule import RunSchedule
from blobforge.worker.slots import SlotPool, StartChild
from blobforge.worker.status_report import StatusReporter

log = LazyLogger(__name__)


class WorkerLoop:
    """Runs in one thread. `stop` may be called from a signal handler or any thread."""

    def __init__(
        self,
        keeper: LeaseKeeper,
        feed: Feed,
        equipment: Mapping[str, Equipment],
        settings: LoopSettings,
        *,
        clock: Clock,
        wakeup: Wakeup,
        watcher: WorkerObserver,
        error_log: FailureNotes,
        schedule: RunSchedule | None = None,
        reporter: StatusReporter | None = None,
        abilities: Abilities | None = None,
        process: ProcessSigns = NO_SIGNS,
        lease_news: Wakeup | None = None,
        runtime: Runtime = SYSTEM_RUNTIME,
        start_child: StartChild = Child,
    ) -> None:
        """`lease_news` says when a lease may be lost, where the queue knows."""
        self._feed = feed
        self._abilities = abilities or Abilities()
        self._process = process
        self._runtime = runtime
        self._outage = Outage("the queue", seconds=runtime.monotonic)
        self._equipment = equipment
        self._settings = settings
        self._wakeup = wakeup
        self._watcher = watcher
        self._error_log = error_log
        self._schedule = schedule or RunSchedule((), clock=clock)
        self._reporter = reporter or StatusReporter(
            settings, types=list(equipment), clock=clock, schedule=self._schedule
        )
        self._was_open = True
        self._registration = Registration(
            keeper,
            settings,
            self._reporter,
            clock=clock,
            held=self._held,
            status=lambda: WorkerStatus.DRAINING if self._signals else WorkerStatus.ONLINE,
            on_lost=lambda job: self._inbox.put(Lost(job)),
            on_fault=self._on_fault,
            on_round=process.show_life,
            lease_news=lease_news,
            runtime=runtime,
        )
        self._inbox: Inbox[Message] = runtime.inbox()
        self._gate = ClaimGate(self._inbox.put, watcher, first=settings.poll_interval, runtime=runtime)
        self._pool = SlotPool(settings.slots, on_fault=self._on_fault, runtime=runtime, start_child=start_child)
        self._runs: dict[JobId, JobRun] = {}
        self._endings: list[Ended] = []
        self._report_at = 0.0
        self._polling = Polling(settings, seconds=runtime.monotonic)
        self._ranks = itertools.count()
        self._signals = 0
        self._finish_by: float | None = None
        self.tally = Tally()

    def stop(self, number: int = 0) -> None:
        """Asks the loop to shut down. A second call skips the grace time."""
        self._inbox.put(Signalled(number))

    def nudge(self) -> None:
        """Says that the feed may have new jobs."""
        self._inbox.put(Nudged())

    def run(self) -> Tally:
        """Runs until the feed is exhausted or `stop` is called. Whatever happens, no job stays claimed."""
        with ExitStack() as ending:
            ending.callback(self._error_log.close)
            ending.callback(self._deregister)
            ending.callback(self._pool.close)
            self._pool.start()
            ending.callback(self._registration.stop_beating)
            self._registration.start_beating()
            ending.callback(self._release_all)
            ending.callback(self._wakeup.subscribe(self.nudge).close)
            self._registration.register()
            self._follow_schedule()
            self._settle()
            while not self._is_over():
                self._wait()
                self._follow_schedule()
                self._settle()
        was_stopped = self._finish_by is not None
        self.tally.interrupted = was_stopped and (self.tally.released > 0 or not self._is_exhausted())
        return self.tally

    # One iteration

    def _settle(self) -> None:
        """Reports what ended and claims new jobs, in one call to the queue."""
        if (question := self._gate.store.question()) is not None:
            self._pool.put(question, rank=next(self._ranks))
        limit = self._claim_limit() if self._endings or self._polling.may_poll() else 0
        if (not self._endings and not limit) or self._may_delay_report():
            return
        ended, self._endings = self._endings, []
        try:
            settled = self._feed.settle([message.ending for message in ended], limit=limit)
        except StoreUnavailable as error:
            self._outage.goes_on(error)
            self._watcher.waiting(error)
            self._endings = ended
            self._polling.poll_later()
            return
        self._outage.is_over()
        # Registered before anything else can go wrong: from here on they are released, whatever happens.
        begun = [self._new_run(job) for job in settled.claimed]
        self._record_outcomes(ended, settled)
        for run in begun:
            self._begin(run)
        self._polling.plan_next(found=len(begun), limit=limit)
        if self._endings:
            self._polling.poll_later()  # endings that the queue did not answer are reported again after a while

    def _claim_limit(self) -> int:
        if self._signals or not self._schedule.are_open():
            return 0
        places = self._settings.slots + self._polling.prefetch() + self._polling.oversubscription(self._pool.levels())
        return max(self._gate.places(places) - self._still_running(), 0)

    def _still_running(self) -> int:
        """Without those that ended: they free their places in the same call in which others are claimed."""
        return len(self._runs) - len(self._endings)

    def _may_delay_report(self) -> bool:
        """A call costs the same for one ending as for ten, so they are reported together while no slot is idle."""
        return (
            bool(self._endings)
            and not self._signals
            and self._still_running() > 2 * self._settings.slots
            and self._runtime.monotonic() < self._report_at
        )

    def _new_run(self, job: Job) -> JobRun:
        if (older := self._runs.get(job.id)) is not None:
            # Its lease was lost and it was claimed again before we noticed: only one of the two runs may go on.
            older.abort()
            older.clean_up()
            self._pool.kill_aborted()
        run = JobRun(
            job,
            self._equipment[job.type],
            rank=next(self._ranks),
            put=lambda step, rank: self._pool.put(step, rank=rank),
            on_end=lambda ended, ending, details: self._inbox.put(Ended(ended, ending, details)),
            on_progress=self._progressed,
            disk_space=self._gate.disk_space,
            at_work=self._gate.at_work,
            runtime=self._runtime,
        )
        self._runs[job.id] = run
        return run

    def _begin(self, run: JobRun) -> None:
        job = run.job
        log_claim(job)
        self._watcher.claimed(job)
        run.start()

    def _progressed(self, job: Job, progress: Progress) -> None:
        self._reporter.progressed(job, progress)
        self._watcher.progressed(job, progress)

    def _wait(self) -> None:
        """Waits for a message, then handles all that have arrived."""
        if (message := self._inbox.get(self._wait_seconds())) is not None:
            self._handle(message)
            self._handle_pending()

    def _handle_pending(self) -> None:
        while (message := self._inbox.get(0)) is not None:
            self._handle(message)

    def _wait_seconds(self) -> float:
        if self._endings:
            return max(self._polling.seconds_to_poll(), self._report_at - self._runtime.monotonic(), 0.001)
        # Nothing is asked while the run windows are closed, so nothing is missed by sleeping until they open.
        waits = [self._schedule.seconds_to_sleep()]
        if self._schedule.are_open():
            waits.append(self._settings.longest_poll_interval.total_seconds())
        if self._claim_limit():
            waits.append(max(self._polling.seconds_to_poll(), 0.001))
        waits += self._gate.waits()
        if self._finish_by is not None:
            waits.append(max(self._finish_by - self._runtime.monotonic(), 0.001))
        return min(waits)

    def _handle(self, message: Message) -> None:
        match message:
            case Ended():
                self._add_ending(message)
                # The other slices of a failed document must not keep their slots.
                self._pool.kill_aborted()
            case Lost(job):
                self._abandon(job)
            case Fault(error):
                raise error
            case Signalled(number):
                self._on_signal(number)
            case DiskWait(problem):
                self._watcher.waiting(problem)
            case StoreAnswer(problem):
                self._gate.store.answered(problem)
            case Nudged():
                self._polling.poll_now()

    def _add_ending(self, message: Ended) -> None:
        if self._runs.get(message.run.job.id) is message.run:
            if not self._endings:
                self._report_at = self._runtime.monotonic() + self._settings.report_delay.total_seconds()
            # One that was abandoned may have ended just before: that ending is the one to report.
            self._endings = [*(ended for ended in self._endings if ended.run is not message.run), message]
        if isinstance(message.ending, Declined):
            self._abilities.lose(message.ending.needs)
        if isinstance(message.ending, Completed):
            self._gate.store.works()
        if isinstance(message.ending, Released) and message.details:
            self._gate.store.close(message.run, StoreUnavailable(message.details))

    def _record_outcomes(self, ended: Sequence[Ended], settled: EndedAndClaimed) -> None:
        outcomes = [
            (message, outcome)
            for message, outcome in zip(ended, settled.ended, strict=True)
            if not self._is_reported_again(message, outcome)
        ]
        for message, outcome in outcomes:
            # A job that was lost may have been claimed anew in the same step: then the entry is not this run's.
            if self._runs.get(message.run.job.id) is message.run:
                del self._runs[message.run.job.id]
            message.run.clean_up()
            self.tally.count(message.ending, outcome)
            self._reporter.ended(message.ending, outcome)
            log_ending(message, outcome)
            self._error_log.note(message.ending, outcome, message.details)
        if outcomes:
            self._polling.note_endings(len(outcomes))
            self._watcher.ended([(message.ending, outcome) for message, outcome in outcomes])

    def _is_reported_again(self, message: Ended, outcome: Job | BlobForgeError) -> bool:
        if isinstance(outcome, StoreUnavailable | DiskFull):
            log.warning("an ending could not be reported; waiting", job_id=message.run.job.id, error=str(outcome))
            self._watcher.waiting(outcome)
        again = to_report_again(message, outcome, is_ending=bool(self._signals))
        self._endings += again
        return bool(again)

    # Run windows

    def _follow_schedule(self) -> None:
        """Logs when the run windows close and open, and releases running jobs when they close, if so configured."""
        is_open = self._schedule.are_open()
        if is_open is not self._was_open:
            self._was_open = is_open
            log.info("run window", open=is_open, opens_at=str(self._schedule.opens_at()), running=len(self._runs))
        if not is_open and self._settings.abort_outside_window and self._still_running():
            self._release_running()

    def _release_running(self) -> None:
        """Kills the children of all jobs. Jobs that ended just before are reported so, the others are released."""
        for run in self._runs.values():
            run.abort()
        self._pool.kill_aborted()
        self._handle_pending()
        self._endings += self._unfinished()

    def _unfinished(self) -> list[Ended]:
        """Endings that release the running jobs."""
        finished = {message.run.job.id for message in self._endings}
        return [Ended(run, Released(run.job), "") for job_id, run in self._runs.items() if job_id not in finished]

    # Lost leases and shutdown

    def _abandon(self, job: Job) -> None:
        """Another worker has the job, or it was cancelled: kills its children, and nothing is written."""
        run = self._runs.get(job.id)
        if run is None or run.job.lease_number != job.lease_number:
            return
        if any(message.run is run for message in self._endings):
            return  # its children have finished; the queue itself will refuse the ending
        run.abort()
        self._pool.kill_aborted()
        # The queue decides whose job it is and says why; the watcher is told in the usual way.
        self._add_ending(Ended(run, Released(run.job), ""))

    def _on_signal(self, number: int) -> None:
        self._signals += 1
        if self._signals > 1 or self._settings.on_term is OnTerm.RELEASE:
            self._finish_by = 0.0
        else:
            self._finish_by = self._runtime.monotonic() + self._settings.grace.total_seconds()
        log.info("ending", signal=number, running=len(self._runs), on_term=self._settings.on_term.value)

    def _is_over(self) -> bool:
        if self._finish_by is not None:
            return self._still_running() <= 0 or self._runtime.monotonic() >= self._finish_by
        return not self._runs and not self._endings and self._is_exhausted()

    def _is_exhausted(self) -> bool:
        try:
            return self._feed.exhausted(running=len(self._runs))
        except StoreUnavailable:
            return False

    def _release_all(self) -> None:
        """Reports finished jobs and releases the others, with retries: others would wait for the leases to expire."""
        # True until it is done: whatever goes wrong here, others can see that jobs were left.
        self._process.note_unreleased_jobs(bool(self._runs))
        for run in self._runs.values():
            run.abort()
        self._pool.kill_aborted()
        self._add_finished()
        self._endings += self._unfinished()
        deadline = self._runtime.monotonic() + self._settings.release_timeout.total_seconds()
        while self._endings:
            self._polling.poll_now()
            self._signals = max(self._signals, 1)
            self._settle()
            if self._endings and self._runtime.monotonic() >= deadline:
                log.error("jobs could not be handed back; their leases will expire", jobs=len(self._endings))
                return
            if self._endings:
                self._runtime.sleep(0.2)
        self._process.note_unreleased_jobs(False)

    def _add_finished(self) -> None:
        """Jobs that ended in the same moment are not released."""
        while (message := self._inbox.get(0)) is not None:
            if isinstance(message, Ended):
                self._add_ending(message)

    def _deregister(self) -> None:
        for run in self._runs.values():
            run.clean_up()
        self._registration.deregister()

    def _on_fault(self, error: BaseException) -> None:
        self._inbox.put(Fault(error))

    # For the status report

    def _held(self) -> list[Job]:
        return [run.job for run in list(self._runs.values())]
