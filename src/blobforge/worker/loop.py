"""The worker's main loop: claims what the slots can take, settles what they finish, and ends in good order."""

import itertools
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress

from blobforge.domain.endings import Completed, Declined, Failed, Released
from blobforge.domain.errors import BlobForgeError, DiskFull, OutputError, SourceError, StoreUnavailable
from blobforge.domain.ids import JobId
from blobforge.domain.job import Failure, Job
from blobforge.domain.worker import WorkerStatus
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import EndedAndClaimed, LeaseKeeper
from blobforge.ports.processor import Progress
from blobforge.ports.wakeup import Wakeup
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.abilities import Abilities
from blobforge.worker.disk_space import DiskSpace
from blobforge.worker.equipment import Equipment
from blobforge.worker.error_log import FailureNotes
from blobforge.worker.feed import Feed
from blobforge.worker.job_run import JobRun
from blobforge.worker.loop_messages import Cramped, Ended, Fault, Lost, Message, News, Signalled, log_claim, log_ending
from blobforge.worker.loop_settings import LoopSettings, OnTerm
from blobforge.worker.observer import Tally, Watcher
from blobforge.worker.outage import Outage
from blobforge.worker.polling import Polling
from blobforge.worker.registration import Registration
from blobforge.worker.run_schedule import RunSchedule
from blobforge.worker.slots import SlotPool
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
        watcher: Watcher,
        error_log: FailureNotes,
        hours: RunSchedule | None = None,
        reporter: StatusReporter | None = None,
        abilities: Abilities | None = None,
        owes: Callable[[bool], None] = lambda _: None,
    ) -> None:
        """`owes` hears whether jobs are left that were not handed back."""
        self._feed = feed
        self._abilities = abilities or Abilities()
        self._owes = owes
        self._outage = Outage("the queue")
        self._store_outage = Outage("the blob store")
        self._room_for_results = DiskSpace(lambda problem: self._inbox.put(Cramped(problem)))
        self._equipment = equipment
        self._settings = settings
        self._wakeup = wakeup
        self._watcher = watcher
        self._error_log = error_log
        self._hours = hours or RunSchedule((), clock=clock)
        self._reporter = reporter or StatusReporter(settings, types=list(equipment), clock=clock, hours=self._hours)
        self._was_open = True
        self._registration = Registration(
            keeper,
            settings,
            self._reporter,
            clock=clock,
            held=self._held,
            status=self._status,
            on_lost=lambda job: self._inbox.put(Lost(job)),
            on_fault=lambda error: self._inbox.put(Fault(error)),
        )
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._pool = SlotPool(settings.slots, on_fault=lambda error: self._inbox.put(Fault(error)))
        self._runs: dict[JobId, JobRun] = {}
        self._endings: list[Ended] = []
        self._report_at = 0.0
        self._polling = Polling(settings)
        self._ranks = itertools.count()
        self._signals = 0
        self._finish_by: float | None = None
        self.tally = Tally()

    def stop(self, number: int = 0) -> None:
        """Asks the loop to end. A second call skips the grace time."""
        self._inbox.put(Signalled(number))

    def nudge(self) -> None:
        """Says that the feed may have something new."""
        self._inbox.put(News())

    def run(self) -> Tally:
        """Until the feed is exhausted or someone stops it. Whatever happens, no job stays claimed."""
        heartbeat = self._registration.heartbeat
        with ExitStack() as ending:
            ending.callback(self._error_log.close)
            ending.callback(self._sign_off)
            ending.callback(self._pool.close)
            self._pool.start()
            ending.callback(heartbeat.stop)
            heartbeat.start()
            ending.callback(self._hand_back)
            ending.callback(self._wakeup.subscribe(self.nudge).close)
            self._registration.register()
            self._keep_hours()
            self._settle()
            while not self._is_over():
                self._wait()
                self._keep_hours()
                self._settle()
        was_told_to_end = self._finish_by is not None
        self.tally.interrupted = was_told_to_end and (self.tally.released > 0 or not self._is_exhausted())
        return self.tally

    # One turn

    def _settle(self) -> None:
        """Reports what ended and claims what there is room for, in one step."""
        room = self._room() if self._endings or self._polling.may_look() else 0
        if (not self._endings and not room) or self._may_gather():
            return
        ended, self._endings = self._endings, []
        try:
            settled = self._feed.settle([message.ending for message in ended], limit=room)
        except StoreUnavailable as error:
            self._outage.goes_on(error)
            self._watcher.waiting(error)
            self._endings = ended
            self._polling.look_later()
            return
        self._outage.is_over()
        # Known before anything else can go wrong: from here on they are handed back, whatever happens.
        begun = [self._take_on(job) for job in settled.claimed]
        self._take_note(ended, settled)
        for run in begun:
            self._begin(run)
        self._polling.plan_next(found=len(begun), room=room)
        if self._endings:
            self._polling.look_later()  # what the queue did not answer is told again, in a while

    def _room(self) -> int:
        if self._signals or not self._hours.are_open() or not self._polling.may_claim():
            return 0
        places = self._settings.slots + self._polling.ahead() + self._polling.beside(self._pool.tiers())
        return max(places - self._still_running(), 0)

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

    def _take_on(self, job: Job) -> JobRun:
        if (older := self._runs.get(job.id)) is not None:
            # It was taken from us and claimed again before we noticed: only one of the two may go on.
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
            room=self._room_for_results,
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
        """Sleeps until something happens, then takes in all that has happened."""
        with suppress(queue.Empty):
            self._take_in(self._inbox.get(timeout=self._patience()))
            self._take_in_all()

    def _take_in_all(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._take_in(self._inbox.get_nowait())

    def _patience(self) -> float:
        if self._endings:
            return max(self._polling.seconds_to_look(), self._report_at - time.monotonic(), 0.001)
        # Nothing is asked while the run windows are closed, so nothing is missed by sleeping until they open.
        waits = [self._hours.seconds_to_sleep()]
        if self._hours.are_open():
            waits.append(self._settings.look_again_most.total_seconds())
        if self._room():
            waits.append(max(self._polling.seconds_to_look(), 0.001))
        if self._finish_by is not None:
            waits.append(max(self._finish_by - time.monotonic(), 0.001))
        return min(waits)

    def _take_in(self, message: Message) -> None:
        match message:
            case Ended():
                self._take_in_ending(message)
                # The rest of a failed document is not wanted any more, and must not keep its slots.
                self._pool.kill_aborted()
            case Lost(job):
                self._give_up(job)
            case Fault(error):
                raise error
            case Signalled(number):
                self._on_signal(number)
            case Cramped(problem):
                self._watcher.waiting(problem)
            case News():
                self._polling.look_now()

    def _take_in_ending(self, message: Ended) -> None:
        if self._runs.get(message.run.job.id) is message.run:
            if not self._endings:
                self._report_at = time.monotonic() + self._settings.gather.total_seconds()
            # One that was given up may have ended just before: the queue hears what became of it.
            self._endings = [*(told for told in self._endings if told.run is not message.run), message]
        if isinstance(message.ending, Declined):
            self._abilities.lose(message.ending.needs)
        if isinstance(message.ending, Completed):
            self._store_outage.is_over()
        if isinstance(message.ending, Released) and message.details:
            self._pause(StoreUnavailable(message.details))

    def _pause(self, problem: StoreUnavailable) -> None:
        """Claims nothing for a while: what cannot be fetched or stored now is not tried again at once."""
        self._store_outage.goes_on(problem)
        self._polling.claim_later()
        self._watcher.waiting(problem)

    def _take_note(self, ended: Sequence[Ended], settled: EndedAndClaimed) -> None:
        outcomes = [
            (message, outcome)
            for message, outcome in zip(ended, settled.ended, strict=True)
            if not self._is_told_again(message, outcome)
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

    def _is_told_again(self, message: Ended, outcome: Job | BlobForgeError) -> bool:
        """When the queue did not answer for this one job, when there was no room to publish its result, or when that
        could not be published at all: then it failed."""
        if isinstance(outcome, StoreUnavailable | DiskFull):
            log.warning("an ending could not be told; waiting", job_id=message.run.job.id, error=str(outcome))
            self._watcher.waiting(outcome)
            # Who ends does not wait for room: another worker may have some.
            gives_up = self._signals and isinstance(outcome, DiskFull)
            self._endings.append(message._replace(ending=Released(message.run.job)) if gives_up else message)
            return True
        if isinstance(message.ending, Completed) and isinstance(outcome, OutputError | SourceError):
            failure = Failure(outcome.code, str(outcome), outcome.retryable)
            self._endings.append(message._replace(ending=Failed(message.run.job, failure)))
            return True
        return False

    # Hours

    def _keep_hours(self) -> None:
        """Says when the run windows close and open, and gives running jobs back at the end, where that is wanted."""
        is_open = self._hours.are_open()
        if is_open is not self._was_open:
            self._was_open = is_open
            log.info("run window", open=is_open, opens_at=str(self._hours.opens_at()), running=len(self._runs))
        if not is_open and self._settings.abort_outside_window and self._still_running():
            self._let_go()

    def _let_go(self) -> None:
        """Ends the children of all jobs; what had ended just before has ended, the rest is handed back."""
        for run in self._runs.values():
            run.abort()
        self._pool.kill_aborted()
        self._take_in_all()
        self._endings += self._unfinished()

    def _unfinished(self) -> list[Ended]:
        """The running jobs as handed back."""
        finished = {message.run.job.id for message in self._endings}
        return [Ended(run, Released(run.job), "") for job_id, run in self._runs.items() if job_id not in finished]

    # Losing and ending

    def _give_up(self, job: Job) -> None:
        """Someone else has the job, or it was cancelled: its children end, and nothing is written."""
        run = self._runs.get(job.id)
        if run is None or run.job.lease_number != job.lease_number:
            return
        if any(message.run is run for message in self._endings):
            return  # its children are done; the queue itself will refuse the ending
        run.abort()
        self._pool.kill_aborted()
        # The queue has the last word on whose it is, and says why; whoever waits for it hears it the usual way.
        self._take_in_ending(Ended(run, Released(run.job), ""))

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
        # Until it is done: whatever goes wrong here, others know then that something was left.
        self._owes(bool(self._runs))
        for run in self._runs.values():
            run.abort()
        self._pool.kill_aborted()
        self._take_in_what_has_ended()
        self._endings += self._unfinished()
        give_up = time.monotonic() + self._settings.give_up.total_seconds()
        while self._endings:
            self._polling.look_now()
            self._signals = max(self._signals, 1)
            self._settle()
            if self._endings and time.monotonic() >= give_up:
                log.error("jobs could not be handed back; their leases will expire", jobs=len(self._endings))
                return
            if self._endings:
                time.sleep(0.2)
        self._owes(False)

    def _take_in_what_has_ended(self) -> None:
        """What ended in the same moment has ended, and is not handed back."""
        while not self._inbox.empty():
            message = self._inbox.get()
            if isinstance(message, Ended):
                self._take_in_ending(message)

    def _sign_off(self) -> None:
        for run in self._runs.values():
            run.clean_up()
        self._registration.deregister()

    # The worker as others see it

    def _held(self) -> list[Job]:
        return [run.job for run in list(self._runs.values())]

    def _status(self) -> WorkerStatus:
        return WorkerStatus.DRAINING if self._signals else WorkerStatus.ONLINE
