"""Signals that end a command in good order."""

import signal
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
