"""The worker beside a server: a process like any other worker, which is started again when it ends by itself."""

import os
import subprocess
import sys
import threading
from collections.abc import Mapping

from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

ENDS_WITHIN_SECONDS = 30
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0
WELL_AFTER_SECONDS = 60.0
"""One that lived for so long had nothing wrong with its start."""

_OF_THE_SERVER = ("BLOBFORGE_QUEUE", "BLOBFORGE_STORE", "BLOBFORGE_DB_PATH", "BLOBFORGE_S3_", "BLOBFORGE_SERVER_URL")
"""What the worker has no use for: it has the server."""


class NoWorker:
    """Beside a server that was not asked for one."""

    def begin(self) -> None:
        """There is none to begin."""

    def end(self) -> None:
        """There is none to end."""


class WorkerBeside:
    """Without it, a server whose worker was killed would take documents and convert none."""

    def __init__(self, variables: Mapping[str, str], *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        """`variables` say where the server is and who the worker is."""
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_SERVER)}
        self._environment |= variables
        self._runtime = runtime
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Not where it was told to end before."""
        with self._lock:
            if not self._ending.is_set():
                self._process = first = self._started()
                self._thread = threading.Thread(
                    target=self._watch, args=(first,), name="worker beside the server", daemon=True
                )
                self._thread.start()

    def end(self) -> None:
        """Gives it time to hand back what it has. Ending twice is no error."""
        with self._lock:
            self._ending.set()
            process, watching = self._process, self._thread
        if process is None or watching is None:
            return
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(ENDS_WITHIN_SECONDS)
            except subprocess.TimeoutExpired:
                log.warning("the worker does not end; it is killed", pid=process.pid)
                process.kill()
                process.wait()
        watching.join()

    def _watch(self, process: "subprocess.Popen[bytes]") -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            began = self._runtime.monotonic()
            code = process.wait()
            if self._ending.is_set():
                return
            if self._runtime.monotonic() - began >= WELL_AFTER_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            log.error("the worker beside the server ended; it is started again", exit_code=code, seconds=pause)
            if self._ending.wait(pause):
                return
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            with self._lock:
                if self._ending.is_set():
                    return
                self._process = process = self._started()

    def _started(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, "-m", "blobforge", "worker"], env=self._environment)
