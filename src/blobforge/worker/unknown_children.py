"""Children of this process that it has not started: a child can make some for it where no sandbox refuses that, and
the first process of a container is given those whose own parent has ended."""

import os
from contextlib import suppress

from blobforge.ports.runtime import Runtime

_REAP_EVERY_SECONDS = 0.005


def reap_unknown(child: int) -> bool:
    """Reaps those that have ended in the group of a child of ours, but not that child: somebody waits for it. Whether
    there are more."""
    if not hasattr(os, "waitid"):
        return False  # where this is missing, nobody makes any
    with suppress(ChildProcessError):
        # Looked at first, and left: it may be the child itself.
        while ended := os.waitid(os.P_PGID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == child:
                return True
            os.waitpid(ended.si_pid, 0)
        return True
    return False


def reap_all_unknown(child: int, seconds: float, *, runtime: Runtime) -> None:
    """Once the child is gone and its group was killed: the others need a moment to end, and some may never."""
    deadline = runtime.monotonic() + seconds
    while reap_unknown(child) and runtime.monotonic() < deadline:
        runtime.sleep(_REAP_EVERY_SECONDS)
