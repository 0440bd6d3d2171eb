"""The progress bars of a library, turned into our progress while it works."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from blobforge.ports.processor import Progress, Report

SECONDS_BETWEEN = 2.0


@contextmanager
def progress_of_tqdm(report: Report, *, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Inside, every tqdm bar reports instead of drawing, at most once in two seconds; afterwards bars draw again.

    The class itself is changed, since libraries hold it under names of their own; `display` is the method that
    tqdm offers for this.
    """
    try:
        from tqdm.std import tqdm
    except ImportError:
        yield
        return
    original = tqdm.display
    tqdm.display = _display(report, clock)
    try:
        yield
    finally:
        tqdm.display = original


def _display(report: Report, clock: Callable[[], float]) -> Callable[..., bool]:
    last: float | None = None

    def display(bar: Any, **_where: Any) -> bool:
        nonlocal last
        now = clock()
        if bar.total and (last is None or now - last >= SECONDS_BETWEEN):
            last = now
            report(Progress(bar.desc.removesuffix(": ") or "converting", int(bar.n), int(bar.total)))
        return False  # nothing was drawn, so there is nothing to clear

    return display
