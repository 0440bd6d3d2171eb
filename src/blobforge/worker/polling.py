"""When a worker asks the queue again, and how many jobs it claims ahead of its slots."""

import time
from collections.abc import Callable, Sequence

from blobforge.worker.loop_settings import LoopSettings


class Polling:
    def __init__(self, settings: LoopSettings, *, seconds: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._seconds = seconds
        self._look_at = 0.0
        self._claim_at = 0.0
        self._idle_looks = 0
        self._pace = 0.0
        self._paced_at = self._seconds()

    def may_look(self) -> bool:
        return self._seconds() >= self._look_at

    def may_claim(self) -> bool:
        return self._seconds() >= self._claim_at

    def seconds_to_look(self) -> float:
        return self._look_at - self._seconds()

    def look_now(self) -> None:
        self._look_at = 0.0

    def look_later(self) -> None:
        """The queue does not answer."""
        self._look_at = self._seconds() + self._settings.look_again.total_seconds()

    def claim_later(self) -> None:
        """The queue answers, but what is claimed could not be done now."""
        self._claim_at = self._seconds() + self._settings.look_again.total_seconds()

    def note_endings(self, count: int) -> None:
        """What failed may soon be tried again, and how quickly jobs end says how many may be claimed ahead."""
        now = self._seconds()
        self._idle_looks = 0
        self._pace, self._paced_at = count / max(now - self._paced_at, 0.001), now

    def plan_next(self, *, found: int, room: int) -> None:
        """Who finds less than there is room for waits, the longer the more often that happens."""
        if found < room:
            self._idle_looks += 1
            wait = self._settings.look_again * 2 ** min(self._idle_looks - 1, 8)
            self._look_at = self._seconds() + min(wait, self._settings.look_again_most).total_seconds()
        else:
            self._idle_looks = 0
            self._look_at = 0.0

    def ahead(self) -> int:
        """One a slot, and more of them the quicker they are."""
        slots, most = self._settings.slots, self._settings.ahead
        return min(max(slots, int(self._pace * self._settings.ahead_for.total_seconds())), most)

    def beside(self, tiers: Sequence[int]) -> int:
        """One a slot more while as many documents as there are slots have given way once; as many again while twice as
        many have given way twice, and so on. So documents without end never keep the others from being claimed, and a
        worker does not hold many half-done ones, whose work would be lost when it ends."""
        if not self._settings.may_claim_beside:
            return 0
        slots, rounds = self._settings.slots, 0
        while sum(tier > rounds for tier in tiers) >= slots * (rounds + 1):
            rounds += 1
        return slots * rounds
