"""Workers of one name: which of them are gone, so that their jobs need not wait for their leases.

Several processes of one name may live side by side, as containers of one kind do. So a name alone proves nothing: a
worker counts as gone when its process is known to have ended, when it missed three heartbeats, or when its successor
says that there is never more than one of its name.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from blobforge.domain.ids import WorkerId
from blobforge.domain.worker import Worker
from blobforge.domain.worker_report import ProcessIdentity, read_report

MISSED = 3
"""So many missed heartbeats in a row are no coincidence."""


class Namesakes(NamedTuple):
    """`undecided_until` is when the first of those that may be gone has missed its heartbeats; None where none may."""

    gone: list[WorkerId]
    undecided_until: datetime | None


def judge_namesakes(
    workers: Iterable[Worker],
    *,
    name: str,
    own: WorkerId,
    is_exclusive: bool,
    has_ended: Callable[[ProcessIdentity], bool | None],
    now: datetime,
) -> Namesakes:
    """`has_ended` says of a process whether it has; None where that cannot be seen from here."""
    gone: list[WorkerId] = []
    undecided: list[datetime] = []
    for worker in workers:
        report = read_report(worker.metadata, worker_id=worker.id)
        if worker.id == own or report.name != name:
            continue
        ended = True if is_exclusive else has_ended(report.process)
        if ended is None and report.heartbeat_seconds is not None:
            missed_at = worker.last_heartbeat + MISSED * timedelta(seconds=report.heartbeat_seconds)
            ended = now > missed_at
            undecided += [] if ended else [missed_at]
        if ended:
            gone.append(worker.id)
    return Namesakes(gone, min(undecided, default=None))
