"""Looks at the machine as the product will use it: tools, stores, clocks. Each finding says what to do."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.doctor import backends, machine, rights
from blobforge.doctor.findings import Finding, Verdict, finding_of
from blobforge.domain.errors import InvalidSettings, StoreMismatch
from blobforge.objectstore.place import require_sdk
from blobforge.telemetry.hushed import hushed
from blobforge.wiring.buckets import FOREIGN_NOTICES

if TYPE_CHECKING:
    from blobforge.doctor.buckets import Adopted

__all__ = ["Finding", "Verdict", "adopt", "examine", "require_unused"]

_BEFORE: dict[str, Callable[[Settings], Finding]] = {
    "python": machine.python,
    "home": machine.home,
    "sqlite": machine.sqlite,
}
_AFTER: dict[str, Callable[[Settings], Finding]] = {
    "catalogue": machine.catalogue,
    "engine": machine.engine,
    "queue": backends.queue,
    "queue and store": backends.pair,
    "store": backends.store,
    "manifest": backends.manifest,
    "rights": rights.rights,
    "clock": machine.clock,
    "child processes": machine.children,
    "sandbox": machine.sandbox,
    "tesseract": machine.tesseract,
}


def examine(settings: Settings, *, refused: Sequence[str] = ()) -> Iterator[Finding]:
    """Every check, in the order in which a newcomer would want to mend them.

    `refused` is what makes these settings unusable: then queue and store are not looked at, which may be wrong ones.
    """
    for text in refused:
        yield Finding(name="settings", verdict=Verdict.PROBLEM, message=f"{text} [{InvalidSettings.code}]")
    # Another program in the queue is a finding of its own.
    with hushed(FOREIGN_NOTICES):
        yield from _examined(settings, is_refused=bool(refused))


def _examined(settings: Settings, *, is_refused: bool) -> Iterator[Finding]:
    for name, check in _BEFORE.items():
        yield finding_of(name, partial(check, settings))
    in_bucket = [] if is_refused else list(_in_bucket(settings))
    yield from in_bucket
    # A bucket that cannot be used need not say so again, which may take long.
    is_of_no_use = any(found.verdict is Verdict.PROBLEM for found in in_bucket)
    left_out = (*backends.used_for(settings), "queue and store") if is_of_no_use else ()
    if not is_refused and wiring.is_behind_server(settings):
        yield finding_of("server", partial(backends.server, settings))
        # The server keeps them, and its own doctor looks at them.
        left_out = ("queue", "store", "queue and store")
    left_out = ("queue", "store", "queue and store") if is_refused else left_out
    for name, check in _AFTER.items():
        if ("store" if name == "manifest" else name) in left_out:
            continue
        found = finding_of(name, partial(check, settings))
        yield found
        # Nothing is written into the place of a store that is away: it would be hidden when the disk is back.
        if found.verdict is Verdict.PROBLEM and StoreMismatch.code in found.message:
            left_out = (*left_out, "store")


def adopt(settings: Settings) -> "Adopted":
    """Takes over the queue of an older writer, and all of its jobs. Raises InvalidSettings, StoreUnavailable."""
    _require_queue_in_bucket(settings)
    from blobforge.doctor.buckets import adopt as adopt_bucket

    return adopt_bucket(settings)


def require_unused(settings: Settings) -> None:
    """Before a queue is adopted: raises PlaceInUse while a worker of another program lives, and as `adopt` does."""
    _require_queue_in_bucket(settings)
    from blobforge.doctor.buckets import require_unused as require_unused_bucket

    require_unused_bucket(settings)


def _require_queue_in_bucket(settings: Settings) -> None:
    if "queue" not in backends.used_for(settings):
        raise InvalidSettings(
            "only a queue in a bucket can be adopted: name it in BLOBFORGE_S3_BUCKET and BLOBFORGE_S3_PREFIX, or in "
            "BLOBFORGE_QUEUE"
        )
    require_sdk()


def _in_bucket(settings: Settings) -> Iterator[Finding]:
    if not backends.used_for(settings):
        return
    missing = finding_of("bucket", _sdk)
    if missing.verdict is Verdict.PROBLEM:
        yield missing
        return
    # The SDK takes long to import, and is not there for whoever has no bucket.
    from blobforge.doctor import buckets

    yield from buckets.examine(settings)


def _sdk() -> Finding:
    require_sdk()
    return Finding(name="bucket", verdict=Verdict.OK, message="the SDK is installed")
