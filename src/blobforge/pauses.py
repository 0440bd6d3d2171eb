"""Python looks for dead objects each time that many were made: the glyphs of a page, the jobs of a library."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Nothing is looked for meanwhile. For work that makes many objects of which none holds one that holds it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def collected() -> Iterator[None]:
    """As usual again, for a part that takes long within one where nothing is looked for."""
    was_enabled = gc.isenabled()
    gc.enable()
    try:
        yield
    finally:
        if not was_enabled:
            gc.disable()
