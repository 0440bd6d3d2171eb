"""The wake-up of a SQLite queue: polls the write-ahead log by stat(), which costs less than a statement."""

import threading
from collections.abc import Callable
from pathlib import Path

POLL_EVERY_SECONDS = 0.02


class FileWakeup:
    """Calls listeners when any process of this machine has written to the database."""

    def __init__(self, database: Path, *, poll_every_seconds: float = POLL_EVERY_SECONDS) -> None:
        # Every write goes to the log; the database file changes at a checkpoint.
        self._files = (Path(f"{database}-wal"), database)
        self._poll_every_seconds = poll_every_seconds

    def subscribe(self, listener: Callable[[], None]) -> "FileSubscription":
        return FileSubscription(self._files, listener, self._poll_every_seconds)


class FileSubscription:
    def __init__(self, files: tuple[Path, ...], listener: Callable[[], None], poll_every_seconds: float) -> None:
        self._files = files
        self._listener = listener
        self._poll_every_seconds = poll_every_seconds
        self._closed = threading.Event()
        # Read here and not in the thread, so that no write after subscribe() is missed.
        self._seen = self._stamps()
        self._thread = threading.Thread(target=self._watch, name="wakeup", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _watch(self) -> None:
        while not self._closed.wait(self._poll_every_seconds):
            stamps = self._stamps()
            if stamps != self._seen:
                self._seen = stamps
                self._listener()

    def _stamps(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_stamp(path) for path in self._files)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size
