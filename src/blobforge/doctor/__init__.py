"""Looks at the machine as the product will use it: tools, stores, clocks. Each finding says what to do."""

from collections.abc import Callable, Iterator
from functools import partial

from blobforge.config.settings import Settings
from blobforge.doctor import backends, buckets, machine, rights
from blobforge.doctor.buckets import adopt, require_unused
from blobforge.doctor.findings import Finding, Verdict, finding_of
from blobforge.telemetry.hushed import hushed
from blobforge.wiring.buckets import NOTICES_OF_OTHERS

__all__ = ["Finding", "Verdict", "adopt", "examine", "require_unused"]

_BEFORE: dict[str, Callable[[Settings], Finding]] = {
    "python": machine.python,
    "home": machine.home,
    "sqlite": machine.sqlite,
}
_AFTER: dict[str, Callable[[Settings], Finding]] = {
    "queue": backends.queue,
    "store": backends.store,
    "queue and store": backends.pair,
    "manifest": backends.manifest,
    "rights": rights.rights,
    "clock": machine.clock,
    "child processes": machine.children,
    "sandbox": machine.sandbox,
    "tesseract": machine.tesseract,
}


def examine(settings: Settings) -> Iterator[Finding]:
    """Every check, in the order in which a newcomer would want to mend them."""
    # Another program in the queue is a finding of its own.
    with hushed(NOTICES_OF_OTHERS):
        yield from _examined(settings)


def _examined(settings: Settings) -> Iterator[Finding]:
    for name, check in _BEFORE.items():
        yield finding_of(name, partial(check, settings))
    in_bucket = list(buckets.examine(settings))
    yield from in_bucket
    # A bucket that cannot be used need not say so again, which may take long.
    is_of_no_use = any(found.verdict is Verdict.PROBLEM for found in in_bucket)
    left_out = (*buckets.used_for(settings), "queue and store") if is_of_no_use else ()
    for name, check in _AFTER.items():
        if ("store" if name == "manifest" else name) not in left_out:
            yield finding_of(name, partial(check, settings))
