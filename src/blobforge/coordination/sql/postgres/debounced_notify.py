"""NOTIFY, debounced: its commit takes a lock that all databases of the server share, so it must not be sent per job."""

import threading
import time
from collections.abc import Callable

from blobforge.domain.errors import StoreUnavailable

QUIET_SECONDS = 0.02


class DebouncedNotify:
    """Sends at once, then at most once per quiet interval: calls that come in between share one NOTIFY at its end."""

    def __init__(self, send: Callable[[], None], *, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._send = send
        self._quiet_seconds = quiet_seconds
        self._lock = threading.Lock()
        # Held while it sends, so that close() can wait for the end of it.
        self._sending = threading.Lock()
        self._sent_at = float("-inf")
        self._pending: threading.Timer | None = None

    def notify(self) -> None:
        with self._lock:
            if self._pending is not None:
                return
            wait = self._sent_at + self._quiet_seconds - time.monotonic()
            if wait > 0:
                self._pending = threading.Timer(wait, self._send_now)
                self._pending.daemon = True
                self._pending.start()
                return
        self._send_now()

    def close(self) -> None:
        """Sends what is still pending."""
        with self._lock:
            pending = self._pending
        if pending is not None:
            pending.cancel()
            self._send_now()
        with self._sending:
            """A send that had begun has ended."""

    def _send_now(self) -> None:
        with self._sending:
            with self._lock:
                self._pending = None
                self._sent_at = time.monotonic()
            try:
                self._send()
            except StoreUnavailable:
                """A lost notification costs a delay only: workers also poll."""
