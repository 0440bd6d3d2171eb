"""Staged races: two calls at once that meet at a barrier, so that the test does not depend on luck."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

First = TypeVar("First")
Second = TypeVar("Second")


def at_once(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
    """Runs both in threads of their own and waits for both; an exception of either is raised here."""
    results: dict[int, object] = {}
    errors: list[BaseException] = []

    def run(place: int, call: Callable[[], object]) -> None:
        try:
            results[place] = call()
        except BaseException as error:  # noqa: BLE001 - handed to the test, which is the one to judge
            errors.append(error)

    threads = [
        threading.Thread(target=run, args=(place, call), name=f"race-{place}")
        for place, call in enumerate((first, second))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results[0], results[1]  # type: ignore[return-value]


def meet(barrier: threading.Barrier) -> None:
    """Waits until both have read. A store that locks lets one in at a time: then the wait times out."""
    with suppress(threading.BrokenBarrierError):
        barrier.wait(timeout=0.3)
