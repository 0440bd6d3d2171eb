"""New and changed files of libraries since the last scan, once nobody writes to them any more."""

import time
from collections.abc import Callable, Iterable

from blobforge.ingest.libraries import Library
from blobforge.ingest.scan import Seen, Unreadable
from blobforge.ports.hash_cache import FileStat

QUIET_NS = 2_000_000_000
"""Who still writes to a file changes it more often than that."""

Walk = Callable[[], Iterable[tuple[Library, Seen]]]


class Follower:
    def __init__(self, walk: Walk, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._walk = walk
        self._now_ns = now_ns
        self._last: dict[str, FileStat | str] = {}
        self._told: dict[str, FileStat | str] = {}
        self._pending: dict[str, FileStat | str] = {}

    def news(self) -> list[tuple[Library, Seen]]:
        """Returned again until `done` is called, so that what failed is retried."""
        now = self._now_ns()
        told: dict[str, FileStat | str] = {}
        looks: dict[str, FileStat | str] = {}
        news: list[tuple[Library, Seen]] = []
        for library, seen in self._walk():
            path, look = _look(seen)
            looks[path] = look
            if self._told.get(path) == look:
                told[path] = look
            elif isinstance(seen, Unreadable) or self._is_quiet(seen.stat, now):
                told[path] = look
                news.append((library, seen))
        self._last, self._pending = looks, told
        return news

    def done(self) -> None:
        self._told = self._pending

    def _is_quiet(self, stat: FileStat, now: int) -> bool:
        """By its modification time or, where clocks differ, because it is unchanged since the last scan."""
        return now - stat.mtime_ns >= QUIET_NS or self._last.get(stat.path) == stat


def _look(seen: Seen) -> tuple[str, FileStat | str]:
    return (seen.path, str(seen.error)) if isinstance(seen, Unreadable) else (seen.stat.path, seen.stat)
