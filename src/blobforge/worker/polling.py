"""When a worker polls the queue, later where it found nothing, and how many jobs it prefetches beyond its slots."""

from collections.abc import Callable, Sequence

from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.loop_settings import LoopSettings


class Polling:
    """Does nothing itself: the loop asks it, and tells it what each poll gave."""

    def __init__(self, settings: LoopSettings, *, seconds: Callable[[], float] = SYSTEM_RUNTIME.monotonic) -> None:
        self._settings = settings
        self._seconds = seconds
        self._poll_at = 0.0
        self._empty_polls = 0
        self._jobs_per_second = 0.0
        self._counted_at = self._seconds()

    def may_poll(self) -> bool:
        return self._seconds() >= self._poll_at

    def seconds_to_poll(self) -> float:
        return self._poll_at - self._seconds()

    def poll_now(self) -> None:
        self._poll_at = 0.0

    def poll_later(self) -> None:
        """The queue does not answer."""
        self._poll_at = self._seconds() + self._settings.poll_interval.total_seconds()

    def note_endings(self, count: int) -> None:
        """Resets the polling back-off: failed jobs may soon be due. Measures the throughput, for prefetching."""
        now = self._seconds()
        self._empty_polls = 0
        self._jobs_per_second, self._counted_at = count / max(now - self._counted_at, 0.001), now

    def plan_next(self, *, found: int, limit: int) -> None:
        """Backs off exponentially while polls find fewer jobs than could be claimed."""
        if found < limit:
            self._empty_polls += 1
            wait = self._settings.poll_interval * 2 ** min(self._empty_polls - 1, 8)
            self._poll_at = self._seconds() + min(wait, self._settings.longest_poll_interval).total_seconds()
        else:
            self._empty_polls = 0
            self._poll_at = 0.0

    def prefetch(self) -> int:
        """One job a slot, and more the higher the throughput is."""
        slots, most = self._settings.slots, self._settings.prefetch
        return min(max(slots, int(self._jobs_per_second * self._settings.prefetch_for.total_seconds())), most)

    def oversubscription(self, levels: Sequence[int]) -> int:
        """Jobs to hold beyond the slots while long documents have them, by the levels of the fair queue.

        One more a slot while as many documents as there are slots are at level 1 or above, as many again while twice
        as many are at level 2 or above, and so on. So endless documents never keep others from being claimed, and a
        worker does not hold many unfinished ones, whose work would be lost when it ends.
        """
        if not self._settings.may_oversubscribe:
            return 0
        slots, rounds = self._settings.slots, 0
        while sum(level > rounds for level in levels) >= slots * (rounds + 1):
            rounds += 1
        return slots * rounds
