"""The abilities of a worker: known at its start, and reduced where something turns out not to work."""

from collections.abc import Iterable

from blobforge.domain.needs import NOTHING
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)


class Abilities:
    """Only the loop changes them; others read a whole set at once."""

    def __init__(self, has: Iterable[str] = NOTHING) -> None:
        self.has = frozenset(has)

    def lose(self, words: frozenset[str]) -> None:
        """Jobs that need these would be declined again."""
        gone = self.has & words
        if gone:
            self.has -= gone
            log.warning("this worker cannot do what it seemed to", lacks=sorted(gone))
