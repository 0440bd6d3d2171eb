"""The line before the slots, shared fairly: no document keeps the others waiting, however long it is."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item")

QUANTUM = 40
"""After so many turns a document gives way to those that have had fewer: that is 2,000 pages in slices of 50."""

QUANTUM_SECONDS = 60.0
"""After so long at a slot it does so too, however few its pages are."""

TIER_GROWTH = 4
"""After so many times as much it gives way again: rarely enough that long documents are ended one after the other."""


class Turn(NamedTuple, Generic[Item]):
    """Whose it is, what it is, and when it was taken."""

    rank: int
    item: Item
    since: float


@dataclass(slots=True)
class _Group(Generic[Item]):
    """One document's share."""

    waiting: deque[Item] = field(default_factory=deque)
    in_hand: int = 0
    taken: int = 0
    seconds: float = 0.0

    @property
    def tier(self) -> int:
        """How many times it gave way: 0 below one quantum, then 1, from four quanta 2, from sixteen 3."""
        quanta = max(self.taken / QUANTUM, self.seconds / QUANTUM_SECONDS)
        return 0 if quanta < 1 else 1 + int(math.log2(quanta) / math.log2(TIER_GROWTH))


class FairQueue(Generic[Item]):
    """Items of one rank belong together, and come in their order. Who has the fewest in hand is next; among equals, who
    has had the least of the slots, counted roughly, so that ordinary documents are ended one after the other; then the
    lower rank. Threads may share it."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._groups: dict[int, _Group[Item]] = {}
        self._changed = threading.Condition()
        self._is_closed = False

    def put(self, item: Item, *, rank: int) -> None:
        with self._changed:
            self._groups.setdefault(rank, _Group()).waiting.append(item)
            self._changed.notify()

    def take(self) -> Turn[Item] | None:
        """Waits for one; None when it is closed. Each is to be given back when it is done."""
        with self._changed:
            while not self._is_closed:
                if (rank := self._next()) is not None:
                    group = self._groups[rank]
                    group.in_hand += 1
                    group.taken += 1
                    return Turn(rank, group.waiting.popleft(), self._monotonic())
                self._changed.wait()
        return None

    def give_back(self, turn: Turn[Item]) -> None:
        with self._changed:
            group = self._groups[turn.rank]
            group.in_hand -= 1
            group.seconds += self._monotonic() - turn.since
            if not group.in_hand and not group.waiting:
                del self._groups[turn.rank]

    def tiers(self) -> list[int]:
        """How many times each document gave way that still has items, waiting or in hand."""
        with self._changed:
            return [group.tier for group in self._groups.values()]

    def close(self) -> None:
        """What still waits is dropped."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _next(self) -> int | None:
        waiting = [(group.in_hand, group.tier, rank) for rank, group in self._groups.items() if group.waiting]
        return min(waiting)[-1] if waiting else None
