"""A warning when a server does not answer soon, with the setting that has its address."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

SOON_SECONDS = 2.5
"""With the start of the program, less than the five seconds after which people think that it hangs."""

_told: set[str] = set()


@contextmanager
def told_when_slow(place: str, *, setting: str) -> Iterator[None]:
    """Around a first request: it goes on, since a slow server may be the right one. Once for a place and a process."""
    timer = threading.Timer(SOON_SECONDS, _tell, (place, setting))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _tell(place: str, setting: str) -> None:
    if place not in _told:
        _told.add(place)
        log.warning("no answer yet, waiting; is the address right?", place=place, setting=setting)
