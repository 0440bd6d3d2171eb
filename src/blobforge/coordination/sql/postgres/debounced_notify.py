"""NOTIFY, debounced: its commit takes a lock that all databases of the server share, so it must not be sent per job."""

import threading
from collections.abc import Callable
from functools import partial

from blobforge.domain.errors import StoreUnavailable
from blobforge.ports.runtime import Runtime, RuntimeEvent
from blobforge.runtime import SYSTEM_RUNTIME

QUIET_SECONDS = 0.02


class DebouncedNotify:
    """Sends at once, then at most once per quiet interval: calls that come in between share one NOTIFY at its end."""

    def __init__(
        self, send: Callable[[], None], *, quiet_seconds: float = QUIET_SECONDS, runtime: Runtime = SYSTEM_RUNTIME
    ) -> None:
        self._send = send
        self._runtime = runtime
        self._quiet_seconds = quiet_seconds
        self._lock = threading.Lock()
        # Held while it sends, so that close() can wait for the end of it.
        self._sending = threading.Lock()
        self._sent_at = float("-inf")
        # Set by close(), which sends what is pending itself.
        self._pending: RuntimeEvent | None = None

    def notify(self) -> None:
        with self._lock:
            if self._pending is not None:
                return
            wait = self._sent_at + self._quiet_seconds - self._runtime.monotonic()
            if wait > 0:
                self._pending = self._runtime.event()
                self._runtime.thread(partial(self._send_after, wait, self._pending), name="notify").start()
                return
        self._send_now()

    def close(self) -> None:
        """Sends what is still pending."""
        with self._lock:
            pending = self._pending
        if pending is not None:
            pending.set()
            self._send_now()
        with self._sending:
            """A send that had begun has ended."""

    def _send_after(self, seconds: float, called_off: RuntimeEvent) -> None:
        if not called_off.wait(seconds):
            self._send_now(unless=called_off)

    def _send_now(self, *, unless: RuntimeEvent | None = None) -> None:
        with self._sending:
            # Called off after its time had come: nothing is sent after close(), whose caller closes all connections.
            if unless is not None and unless.is_set():
                return
            with self._lock:
                self._pending = None
                self._sent_at = self._runtime.monotonic()
            try:
                self._send()
            except StoreUnavailable:
                """A lost notification costs a delay only: workers also poll."""
