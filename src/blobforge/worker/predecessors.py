"""Workers that had this worker's name before it: what they held is freed without a wait for its lease."""

from collections.abc import Callable
from datetime import datetime, timedelta

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.ids import WorkerId
from blobforge.domain.namesakes import judge_namesakes
from blobforge.domain.worker_report import ProcessIdentity
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.registration import long_lost

log = LazyLogger(__name__)

_A_MOMENT = timedelta(seconds=1)


class Predecessors:
    """A container that was restarted cannot see whether the process before it lives, and at its start that one has
    not missed its heartbeats yet. So whoever is undecided is looked at again once it should have been heard of."""

    def __init__(
        self,
        coordinator: Coordinator,
        clock: Clock,
        *,
        name: str,
        own_id: WorkerId,
        is_exclusive: bool,
        has_ended: Callable[[ProcessIdentity], bool | None],
        tidies: bool = True,
    ) -> None:
        """`tidies`: it removes workers of other names too; behind a server that is the server's work."""
        self._tidies = tidies
        self._coordinator = coordinator
        self._clock = clock
        self._name = name
        self._own_id = own_id
        self._is_exclusive = is_exclusive
        self._has_ended = has_ended
        self._look_again: datetime | None = None

    def recover(self) -> None:
        """Frees what they held, and removes workers from the list that were not heard of for a day.

        Raises StoreUnavailable."""
        now = self._clock.now()
        workers = self._coordinator.workers()
        gone, undecided_until = judge_namesakes(
            workers,
            name=self._name,
            own=self._own_id,
            is_exclusive=self._is_exclusive,
            has_ended=self._has_ended,
            now=now,
        )
        self._look_again = None if undecided_until is None else undecided_until + _A_MOMENT
        for predecessor in gone:
            freed = self._coordinator.expire_worker(predecessor)
            log.info("jobs of a predecessor freed", predecessor=predecessor, jobs=len(freed))
        for lost in {*gone, *(long_lost(workers, now=now) if self._tidies else ())}:
            self._coordinator.deregister_worker(lost)

    def recover_if_due(self) -> None:
        """For a worker that has nothing to do: one comparison, unless somebody is undecided and the time has come."""
        if self._look_again is None or self._clock.now() < self._look_again:
            return
        try:
            self.recover()
        except StoreUnavailable as error:
            log.warning("the predecessors of this worker could not be looked up", error=str(error))
