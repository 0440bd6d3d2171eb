"""The wake-up of SQLite polls, and calls its listener only after a write."""

import os
import threading
from pathlib import Path

from blobforge.coordination.sql.wakeup import FileSubscription


class CountedPath(type(Path())):  # type: ignore[misc]
    """A path that counts how often it was polled."""

    polls = 0
    polled_often = threading.Event()

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        CountedPath.polls += 1
        if CountedPath.polls > 10:
            CountedPath.polled_often.set()
        return Path(str(self)).stat(follow_symlinks=follow_symlinks)


def test_no_listener_is_called_while_nothing_is_written(tmp_path: Path) -> None:
    database = CountedPath(tmp_path / "queue.db")
    database.write_bytes(b"as it was")
    called = threading.Event()

    subscription = FileSubscription((database,), called.set, poll_every_seconds=0.001)
    assert CountedPath.polled_often.wait(timeout=10)
    assert not called.is_set()

    database.write_bytes(b"as it is now")
    assert called.wait(timeout=10)
    subscription.close()
