"""The wake-up of a SQLite queue: polls the write-ahead log by stat(), which costs less than a statement."""

from collections.abc import Callable
from pathlib import Path

from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

POLL_EVERY_SECONDS = 0.02


class FileWakeup:
    """Calls listeners when any process of this machine has written to the database."""

    def __init__(
        self, database: Path, *, poll_every_seconds: float = POLL_EVERY_SECONDS, runtime: Runtime = SYSTEM_RUNTIME
    ) -> None:
        # Every write goes to the log; the database file changes at a checkpoint.
        self._files = (Path(f"{database}-wal"), database)
        self._poll_every_seconds = poll_every_seconds
        self._runtime = runtime

    def subscribe(self, listener: Callable[[], None]) -> "FileSubscription":
        return FileSubscription(self._files, listener, self._poll_every_seconds, runtime=self._runtime)


class FileSubscription:
    def __init__(
        self,
        files: tuple[Path, ...],
        listener: Callable[[], None],
        poll_every_seconds: float,
        *,
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        self._files = files
        self._listener = listener
        self._poll_every_seconds = poll_every_seconds
        self._closed = runtime.event()
        # Read here and not in the thread, so that no write after subscribe() is missed.
        self._seen = self._stamps()
        self._thread = runtime.thread(self._watch, name="wakeup")
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
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
