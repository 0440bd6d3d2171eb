"""A batch with a limit of items and of seconds that an item waits."""

import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Batch(Generic[Item]):
    def __init__(self, *, limit: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._items: list[Item] = []
        self._closes_at = 0.0

    def add(self, *items: Item) -> None:
        self.extend(items)

    def extend(self, items: Sequence[Item]) -> None:
        if not self._items:
            self._closes_at = self._clock() + self._seconds
        self._items.extend(items)

    def is_due(self) -> bool:
        return bool(self._items) and (len(self._items) >= self._limit or self._clock() >= self._closes_at)

    def take(self) -> list[Item]:
        items, self._items = self._items, []
        return items
