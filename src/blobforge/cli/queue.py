"""The queue as commands hold it: opened for a while, and gone through page by page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from blobforge.domain.errors import StoreMismatch, StoreUnavailable

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.domain.ids import JobId
    from blobforge.domain.job import Job
    from blobforge.ports.coordinator import Coordinator
    from blobforge.ports.job_store import JobFilter
    from blobforge.wiring.queues import OpenedCoordinator

PAGE = 500


@contextmanager
def opened_queue(settings: Settings) -> Iterator[Coordinator]:
    """Raises InvalidSettings, StoreUnavailable."""
    from blobforge import wiring

    opened = wiring.open_known_coordinator(settings)
    try:
        yield opened.coordinator
    finally:
        opened.close()


@contextmanager
def opened_pair(settings: Settings) -> Iterator[Coordinator]:
    """The same, for what needs the documents of its jobs too. Raises StoreMismatch besides."""
    with opened_with_store(settings) as opened:
        yield opened.coordinator


@contextmanager
def opened_unless_mismatched(settings: Settings) -> Iterator[Coordinator]:
    """The same, for what can do without the store: one that is away is no other one. Raises StoreMismatch."""
    with opened_with_any_store(settings) as (queue, mismatch):
        if mismatch is not None:
            raise mismatch
        yield queue


@contextmanager
def opened_with_any_store(settings: Settings) -> Iterator[tuple[Coordinator, StoreMismatch | None]]:
    """The same, for who only looks at the queue, with what is wrong with the store."""
    from blobforge import wiring

    opened = wiring.open_known_coordinator(settings)
    try:
        yield opened.coordinator, _mismatch(settings, opened)
    finally:
        opened.close()


@contextmanager
def opened_with_store(settings: Settings) -> Iterator[OpenedCoordinator]:
    """The same, for what has to know how queue and store belong together."""
    from blobforge import wiring

    opened = wiring.open_known_coordinator(settings)
    try:
        wiring.check_pair(settings, opened)
        yield opened
    finally:
        opened.close()


def pages(coordinator: Coordinator, wanted: JobFilter, *, size: int = PAGE) -> Iterator[list[Job]]:
    """All jobs that are wanted, newest first. What a page holds may be changed before the next is asked for."""
    after: JobId | None = None
    while found := coordinator.page(wanted, after=after, limit=size):
        yield found
        if len(found) < size:
            return
        after = found[-1].id


def _mismatch(settings: Settings, opened: OpenedCoordinator) -> StoreMismatch | None:
    from blobforge import wiring

    try:
        wiring.check_pair(settings, opened)
    except StoreMismatch as error:
        return error
    except StoreUnavailable:
        return None
    return None
