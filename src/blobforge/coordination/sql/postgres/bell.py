"""NOTIFY, but not too often: committing one takes a lock that all of the server's databases share."""

import threading
import time
from collections.abc import Callable

from blobforge.domain.errors import StoreUnavailable

QUIET_SECONDS = 0.02


class Bell:
    """Rings at once, then at most once in a while: what comes in between is rung for together."""

    def __init__(self, ring: Callable[[], None], *, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._ring = ring
        self._quiet_seconds = quiet_seconds
        self._lock = threading.Lock()
        # Held while it rings, so that close() can wait for the end of it.
        self._ringing = threading.Lock()
        self._rung_at = float("-inf")
        self._later: threading.Timer | None = None

    def ring(self) -> None:
        with self._lock:
            if self._later is not None:
                return
            wait = self._rung_at + self._quiet_seconds - time.monotonic()
            if wait > 0:
                self._later = threading.Timer(wait, self._ring_now)
                self._later.daemon = True
                self._later.start()
                return
        self._ring_now()

    def close(self) -> None:
        """Rings for what nobody was told of yet."""
        with self._lock:
            later = self._later
        if later is not None:
            later.cancel()
            self._ring_now()
        with self._ringing:
            """Whoever rings has ended."""

    def _ring_now(self) -> None:
        with self._ringing:
            with self._lock:
                self._later = None
                self._rung_at = time.monotonic()
            try:
                self._ring()
            except StoreUnavailable:
                """Nobody waits for it in vain: workers also look by themselves."""
