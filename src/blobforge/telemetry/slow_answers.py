"""A warning when a server does not answer soon, or refuses for long, with the setting that has its address."""

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
    patience = Patience(place, setting=setting)
    patience.begin()
    try:
        yield
    finally:
        patience.end()


class Patience:
    """With one request, which may be tried many times, from the moment when something seems wrong."""

    def __init__(self, place: str, *, setting: str) -> None:
        self._place = place
        self._setting = setting
        self._said: str | None = None
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        if self._timer is None and self._place not in _told:
            self._timer = threading.Timer(SOON_SECONDS, self._tell)
            self._timer.daemon = True
            self._timer.start()

    def refused(self, said: str) -> None:
        """By this answer of the server, or without one, and the request will be tried again."""
        self._said = said
        self.begin()

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _tell(self) -> None:
        if self._place in _told:
            return
        _told.add(self._place)
        facts = {"place": self._place, "setting": self._setting}
        if self._said is None:
            log.warning("no answer yet, waiting; is the address right?", **facts)
        else:
            log.warning(
                "the server refuses, trying again; does it have room, and is it the right one?",
                **facts,
                said=self._said,
            )
