"""What the other workers of a queue can do, as far as they are alive and say so."""

from collections.abc import Callable
from datetime import timedelta

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.ids import WorkerId
from blobforge.domain.worker import WorkerStatus
from blobforge.domain.worker_report import read_report, silence_allowed
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator


def others_have(
    coordinator: Coordinator, own_id: WorkerId, clock: Clock, *, silent_after: timedelta
) -> Callable[[frozenset[str]], bool]:
    """Asked anew each time: workers come and go, and few documents ask."""

    def asked(needs: frozenset[str]) -> bool:
        try:
            workers = coordinator.workers()
        except StoreUnavailable:
            return False
        now = clock.now()
        for worker in workers:
            report = read_report(worker.metadata, worker_id=worker.id)
            is_there = worker.id != own_id and worker.status is WorkerStatus.ONLINE
            is_alive = worker.last_heartbeat + silence_allowed(report, silent_after) > now
            if is_there and is_alive and needs <= set(report.has or ()):
                return True
        return False

    return asked
