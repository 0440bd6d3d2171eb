"""Waits for a child process to end, and reads its peak memory."""

import os
import subprocess

from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.limits import peak_of

_LOOK_EVERY_SECONDS = 0.005


def reap(process: "subprocess.Popen[bytes]", seconds: float, *, runtime: Runtime = SYSTEM_RUNTIME) -> int:
    """Waits until the process has ended, and returns its peak memory in bytes; 0 where it was reaped before.

    Raises subprocess.TimeoutExpired.
    """
    give_up = runtime.monotonic() + seconds
    while process.returncode is None:
        try:
            # Popen.wait() would discard the resource usage.
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        except ChildProcessError:
            process.wait(seconds)
            break
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return peak_of(usage)
        if runtime.monotonic() >= give_up:
            raise subprocess.TimeoutExpired(process.args, seconds)
        runtime.sleep(_LOOK_EVERY_SECONDS)
    return 0
