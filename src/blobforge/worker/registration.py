"""A worker's row among the workers of the queue: registered, renewed by the heartbeat, deregistered."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import LeaseKeeper
from blobforge.ports.runtime import Runtime
from blobforge.ports.wakeup import Subscription, Wakeup
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.heartbeat import Heartbeat
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.status_report import StatusReporter

log = LazyLogger(__name__)


FORGET_AFTER = timedelta(days=1)


def long_lost(workers: Iterable[Worker], *, now: datetime) -> list[WorkerId]:
    """Workers without a heartbeat for a day. Their service records are kept by name."""
    return [worker.id for worker in workers if now - worker.last_heartbeat > FORGET_AFTER]


class Registration:
    def __init__(
        self,
        keeper: LeaseKeeper,
        settings: LoopSettings,
        reporter: StatusReporter,
        *,
        clock: Clock,
        held: Callable[[], Sequence[Job]],
        status: Callable[[], WorkerStatus],
        on_lost: Callable[[Job], None],
        on_fault: Callable[[BaseException], None],
        on_round: Callable[[], None] = lambda: None,
        lease_news: Wakeup | None = None,
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        self._keeper = keeper
        self._worker_id = settings.worker_id
        self._reporter = reporter
        self._held = held
        self._lease_news = lease_news
        self._subscription: Subscription | None = None
        self._status = status
        self.heartbeat = Heartbeat(
            keeper,
            clock=clock,
            every=settings.heartbeat,
            check_every=settings.check,
            held=held,
            describe=lambda: reporter.full(held(), status()),
            on_lost=on_lost,
            on_fault=on_fault,
            on_round=on_round,
            runtime=runtime,
        )

    def start_beating(self) -> None:
        self.heartbeat.start()
        if self._lease_news is not None:
            self._subscription = self._lease_news.subscribe(self.heartbeat.look_now)

    def stop_beating(self) -> None:
        if self._subscription is not None:
            self._subscription.close()
        self.heartbeat.stop()

    def register(self) -> None:
        try:
            self._keeper.register_worker(self._reporter.initial(self._held(), self._status()))
        except StoreUnavailable as error:
            log.warning("the worker could not be registered", error=str(error))

    def deregister(self) -> None:
        self._reporter.keep_record()
        try:
            self._keeper.deregister_worker(self._worker_id)
        except StoreUnavailable as error:
            log.warning("the worker could not be deregistered", error=str(error))
