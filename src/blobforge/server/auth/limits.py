"""How often a wrong secret may come from one address. The counts are of this process: a restart forgives."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256

from blobforge.domain.errors import TooManyRequests

MOST_FAILURES = 10
WITHIN_SECONDS = 60.0
MOST_ADDRESSES = 10_000
MOST_CREDENTIALS = 10_000


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


class KnownCredentials:
    """What let somebody in lately, by its hash. Behind a proxy, all have one address: who was right before is not shut
    out with a neighbour who is wrong. Belongs to one event loop."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def knows(self, credentials: str) -> bool:
        return _digest(credentials) in self._known

    def keep(self, credentials: str) -> None:
        digest = _digest(credentials)
        self._known[digest] = None
        self._known.move_to_end(digest)
        while len(self._known) > MOST_CREDENTIALS:
            self._known.popitem(last=False)

    def forget(self, credentials: str) -> None:
        self._known.pop(_digest(credentials), None)


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
