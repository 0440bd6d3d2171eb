"""How often a wrong secret may come from one address. The counts are of this process: a restart forgives."""

from collections import OrderedDict
from collections.abc import Callable

from blobforge.domain.access_errors import TooManyRequests

MOST_FAILURES = 10
WITHIN_SECONDS = 60.0
MOST_ADDRESSES = 10_000


class FailureLimit:
    """Belongs to one event loop."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        """`seconds` is a monotonic clock."""
        self._seconds = seconds
        self._failures: OrderedDict[str, list[float]] = OrderedDict()

    def require_room(self, address: str) -> None:
        """Raises TooManyRequests."""
        if len(self._recent(address)) >= MOST_FAILURES:
            raise TooManyRequests(
                f"{MOST_FAILURES} wrong tokens or secrets came from {address} within {WITHIN_SECONDS:.0f} seconds: "
                "wait a minute"
            )

    def count(self, address: str) -> None:
        self._failures[address] = [*self._recent(address), self._seconds()]
        self._failures.move_to_end(address)
        while len(self._failures) > MOST_ADDRESSES:
            self._failures.popitem(last=False)

    def _recent(self, address: str) -> list[float]:
        since = self._seconds() - WITHIN_SECONDS
        return [moment for moment in self._failures.get(address, []) if moment > since]
