"""A multilevel feedback queue before the slots: no document keeps the others waiting, however long it is."""

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

Item = TypeVar("Item")

QUANTUM = 40
"""After so many items a document moves down to level 1, behind those with fewer: 2,000 pages in slices of 50."""

QUANTUM_SECONDS = 60.0
"""So does one that has used the slots for so long, however few its pages are."""

LEVEL_GROWTH = 4
"""Each further level takes so many times as much: rare enough that long documents are finished one by one."""


class TakenItem(NamedTuple, Generic[Item]):
    """An item, the rank of its document, and when it was taken."""

    rank: int
    item: Item
    since: float


@dataclass(slots=True)
class _Group(Generic[Item]):
    """The items of one document, and what it has used of the slots."""

    waiting: deque[Item] = field(default_factory=deque)
    active: int = 0
    taken: int = 0
    seconds: float = 0.0

    @property
    def level(self) -> int:
        """0 below one quantum, then 1, from four quanta 2, from sixteen 3."""
        quanta = max(self.taken / QUANTUM, self.seconds / QUANTUM_SECONDS)
        return 0 if quanta < 1 else 1 + int(math.log2(quanta) / math.log2(LEVEL_GROWTH))


class FairQueue(Generic[Item]):
    """Shares the slots between documents. Thread-safe.

    Items of one rank belong to one document and keep their order. The document with the fewest active items is next.
    Among equals it is the one at the lowest level, and then of the lowest rank. Levels are coarse, so that ordinary
    documents are finished one by one.
    """

    def __init__(self, *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        self._monotonic = runtime.monotonic
        self._groups: dict[int, _Group[Item]] = {}
        self._changed = runtime.condition()
        self._is_closed = False

    def put(self, item: Item, *, rank: int) -> None:
        with self._changed:
            self._groups.setdefault(rank, _Group()).waiting.append(item)
            self._changed.notify()

    def take(self) -> TakenItem[Item] | None:
        """Blocks for the next item; None when the queue is closed. Each must be given back when it is done."""
        with self._changed:
            while not self._is_closed:
                if (rank := self._next()) is not None:
                    group = self._groups[rank]
                    group.active += 1
                    group.taken += 1
                    return TakenItem(rank, group.waiting.popleft(), self._monotonic())
                self._changed.wait()
        return None

    def give_back(self, taken_item: TakenItem[Item]) -> None:
        with self._changed:
            group = self._groups[taken_item.rank]
            group.active -= 1
            group.seconds += self._monotonic() - taken_item.since
            if not group.active and not group.waiting:
                del self._groups[taken_item.rank]

    def levels(self) -> list[int]:
        """Of each document that still has items, waiting or active."""
        with self._changed:
            return [group.level for group in self._groups.values()]

    def close(self) -> None:
        """Drops the items that still wait."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _next(self) -> int | None:
        waiting = [(group.active, group.level, rank) for rank, group in self._groups.items() if group.waiting]
        return min(waiting)[-1] if waiting else None
