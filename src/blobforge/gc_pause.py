"""Pauses of Python's garbage collector, for work that makes many objects at once, the glyphs of a page or the jobs of a
library: its passes find nothing there and cost time."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0
_was_enabled = True


@contextmanager
def gc_paused() -> Iterator[None]:
    """Nothing is looked for meanwhile. For work that makes many objects of which none holds one that holds it.

    Threads may pause at the same time: the last one ends the pause.
    """
    _begin()
    try:
        yield
    finally:
        _end()


@contextmanager
def gc_resumed() -> Iterator[None]:
    """As usual again, for a part that takes long within one where nothing is looked for."""
    with _lock:
        if _was_enabled:
            gc.enable()
    try:
        yield
    finally:
        with _lock:
            if _pauses:
                gc.disable()


def _begin() -> None:
    global _pauses, _was_enabled  # noqa: PLW0603 - the collector is one for the whole process
    with _lock:
        if not _pauses:
            _was_enabled = gc.isenabled()
        _pauses += 1
        gc.disable()


def _end() -> None:
    global _pauses  # noqa: PLW0603 - as above
    with _lock:
        _pauses -= 1
        if not _pauses and _was_enabled:
            gc.enable()
