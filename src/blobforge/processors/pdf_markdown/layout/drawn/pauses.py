"""Python looks for dead objects each time that many were made. A page makes thousands, which die by themselves."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Nothing is looked for meanwhile: of glyphs and strokes none holds another that holds it, so none stays behind."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
