"""Signals that end a command in good order."""

import threading
from typing import Any

from blobforge.cli.signals import set_from_handler


def test_an_event_is_set_though_the_interrupted_thread_holds_its_lock() -> None:
    """As when a signal comes in the instant in which the main thread begins to wait."""
    event: Any = threading.Event()

    with event._cond:
        set_from_handler(event)

    assert event.wait(30)
