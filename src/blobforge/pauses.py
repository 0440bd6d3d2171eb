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
