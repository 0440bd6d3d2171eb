"""Signals that end a command in good order."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stopped_by(*numbers: signal.Signals, stop: Callable[[int], None]) -> Iterator[None]:
    """Within it, each of these signals calls `stop`; the handlers stay until the clean-up is done.

    What was told to be ignored stays so: `nohup` keeps a run alive when its terminal is gone.
    """
    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, lambda number, _: stop(number)) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def set_from_handler(event: threading.Event) -> None:
    """Sets it by another thread: the one that a signal has interrupted may hold the event's own lock right now, as
    when it begins to wait for it, and would wait for itself."""
    threading.Thread(target=event.set, name="stop", daemon=True).start()
