"""One thread that renews all leases of a worker, and notices when one is lost."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import Enum

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.job import Job, State
from blobforge.domain.worker import Worker
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import LeaseKeeper
from blobforge.ports.runtime import Inbox, Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.outage import Outage

log = LazyLogger(__name__)


A_ROUND = timedelta(seconds=2)
"""Between two looks at what this process itself knows."""


class _Message(Enum):
    STOP = "stop"
    LOOK = "look"


class Heartbeat:
    """Tells of a lost lease only when the queue says so: one that does not answer is waited for."""

    def __init__(
        self,
        keeper: LeaseKeeper,
        *,
        clock: Clock,
        every: timedelta,
        check_every: timedelta,
        held: Callable[[], Sequence[Job]],
        describe: Callable[[], Worker],
        on_lost: Callable[[Job], None],
        on_fault: Callable[[BaseException], None],
        on_round: Callable[[], None] = lambda: None,
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        """`on_round` is called whether the queue answers or not: it shows that the process lives."""
        self._on_round = on_round
        self._keeper = keeper
        self._clock = clock
        self._every = every
        self._check_every = min(check_every, every)
        self._held = held
        self._describe = describe
        self._on_lost = on_lost
        self._on_fault = on_fault
        self._messages: Inbox[_Message] = runtime.inbox()
        self._thread = runtime.thread(self._run, name="heartbeat")
        self._last_beat: datetime | None = None
        self._looked: datetime | None = None
        self._outage = Outage("the queue of the leases", seconds=runtime.monotonic)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Wakes the thread and joins it."""
        self._messages.put(_Message.STOP)
        self._thread.join()

    def look_now(self) -> None:
        """Somebody says that a lease may be lost."""
        self._messages.put(_Message.LOOK)

    def beat(self) -> None:
        """Renews the leases when that is due, and otherwise only checks that they are still held."""
        self._looked = now = self._clock.now()
        try:
            if self._is_due(now):
                self._renew()
                self._last_beat = now
            else:
                self._check()
            self._outage.is_over()
        except StoreUnavailable as error:
            # The next check comes soon, and a lease outlasts several.
            self._outage.goes_on(error)

    def _run(self) -> None:
        try:
            while (message := self._messages.get(self._pause().total_seconds())) is not _Message.STOP:
                self._on_round()
                if message is _Message.LOOK or self._is_time():
                    self.beat()
        except BaseException as error:  # noqa: BLE001 - a worker without its heartbeat loses every job, and must end
            self._on_fault(error)

    def _pause(self) -> timedelta:
        """Short, also where questions are seldom: a job may have been claimed meanwhile whose lease is short."""
        return min(self._check_every, self._interval(), A_ROUND)

    def _is_time(self) -> bool:
        now = self._clock.now()
        if self._check_every <= A_ROUND or self._is_due(now):
            return True
        return self._looked is None or not self._looked <= now < self._looked + self._check_every

    def _is_due(self, now: datetime) -> bool:
        last = self._last_beat
        return last is None or now >= last + self._interval() or last > now

    def _interval(self) -> timedelta:
        """Shorter where the queue gives shorter leases than this worker was told: a server has settings of its own. A
        lease outlasts two beats that fail, whoever gave it."""
        given = [job.lease_expires_at - job.updated_at for job in self._held() if job.lease_expires_at is not None]
        return min([self._every, *(lease / 3 for lease in given if lease > timedelta())])

    def _renew(self) -> None:
        held = self._held()
        outcomes = self._keeper.beat(held, self._describe())
        for job, outcome in zip(held, outcomes, strict=True):
            if isinstance(outcome, StoreUnavailable):
                # An unknown outcome is no loss: the next check comes soon, and a lease outlasts several.
                log.warning("a lease could not be renewed", job_id=job.id, error=str(outcome))
            elif not isinstance(outcome, Job):
                self._on_lost(job)

    def _check(self) -> None:
        held = self._held()
        stored = {job.id: job for job in self._keeper.get_many([job.id for job in held])} if held else {}
        for job in held:
            now = stored.get(job.id)
            if now is None or now.state is not State.RUNNING or now.lease_number != job.lease_number:
                self._on_lost(job)
