"""News of a SQLite queue: its write-ahead log is a file, and a look at a file is no statement."""

import threading
from collections.abc import Callable
from pathlib import Path

LOOK_EVERY_SECONDS = 0.02


class FileWakeup:
    """Tells listeners when the database was written to, by anyone on this machine."""

    def __init__(self, database: Path, *, look_every_seconds: float = LOOK_EVERY_SECONDS) -> None:
        # The log takes every write; the database itself changes when the log is folded into it.
        self._files = (Path(f"{database}-wal"), database)
        self._look_every_seconds = look_every_seconds

    def subscribe(self, listener: Callable[[], None]) -> "FileSubscription":
        return FileSubscription(self._files, listener, self._look_every_seconds)


class FileSubscription:
    def __init__(self, files: tuple[Path, ...], listener: Callable[[], None], look_every_seconds: float) -> None:
        self._files = files
        self._listener = listener
        self._look_every_seconds = look_every_seconds
        self._closed = threading.Event()
        # Looked at here and not in the thread, so that nothing after subscribe() is missed.
        self._seen = self._look()
        self._thread = threading.Thread(target=self._watch, name="wakeup", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _watch(self) -> None:
        while not self._closed.wait(self._look_every_seconds):
            now = self._look()
            if now != self._seen:
                self._seen = now
                self._listener()

    def _look(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_stamp(path) for path in self._files)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size
