"""A look at the file that finds nothing new rings no woken."""

import os
import threading
from pathlib import Path

from blobforge.coordination.sql.wakeup import FileSubscription


class CountedPath(type(Path())):  # type: ignore[misc]
    """A path that tells how often it was looked at."""

    looks = 0
    looked_often = threading.Event()

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        CountedPath.looks += 1
        if CountedPath.looks > 10:
            CountedPath.looked_often.set()
        return Path(str(self)).stat(follow_symlinks=follow_symlinks)


def test_no_listener_is_called_while_nothing_is_written(tmp_path: Path) -> None:
    database = CountedPath(tmp_path / "queue.db")
    database.write_bytes(b"as it was")
    rung = threading.Event()

    subscription = FileSubscription((database,), rung.set, poll_every_seconds=0.001)
    assert CountedPath.looked_often.wait(timeout=10)
    assert not rung.is_set()

    database.write_bytes(b"as it is now")
    assert rung.wait(timeout=10)
    subscription.close()
