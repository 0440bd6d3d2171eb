"""Whether a worker still has the store of its queue: another one may be confirmed while it runs."""

from collections.abc import Callable

from blobforge.domain.errors import StoreMismatch, StoreUnavailable

VALID_FOR_SECONDS = 1.0


class KeptPair:
    """Threads may share it."""

    def __init__(self, ask: Callable[[], None], *, monotonic: Callable[[], float]) -> None:
        """`ask` raises StoreMismatch."""
        self._ask = ask
        self._monotonic = monotonic
        self._asked_at: float | None = None

    def require(self) -> None:
        """Before a result is used or published; asks at most once a second. Raises as `require_now`."""
        now = self._monotonic()
        if self._asked_at is None or now >= self._asked_at + VALID_FOR_SECONDS:
            self.require_now()
            self._asked_at = now

    def require_now(self) -> None:
        """Before a document counts as missing. Raises StoreUnavailable, which costs a job no attempt."""
        try:
            self._ask()
        except StoreMismatch as mismatch:
            raise StoreUnavailable(str(mismatch)) from mismatch
