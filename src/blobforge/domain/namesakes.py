"""Workers of one name: which of them are gone, so that their jobs need not wait for their leases.

Several processes of one name may live side by side, as containers of one kind do. So a name alone proves nothing: a
worker counts as gone when its process is known to have ended, when it missed three signs of life, or when its successor
says that there is never more than one of its name.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from blobforge.domain.ids import WorkerId
from blobforge.domain.worker import Worker
from blobforge.domain.worker_report import ProcessMark, read_report

MISSED = 3
"""So many heartbeats in a row are no coincidence."""


def gone_namesakes(
    workers: Iterable[Worker],
    *,
    name: str,
    own: WorkerId,
    is_exclusive: bool,
    has_ended: Callable[[ProcessMark], bool | None],
    now: datetime,
) -> list[WorkerId]:
    """`has_ended` says of a process whether it has; None where that cannot be seen from here."""
    gone: list[WorkerId] = []
    for worker in workers:
        report = read_report(worker.metadata, worker_id=worker.id)
        if worker.id == own or report.name != name:
            continue
        ended = True if is_exclusive else has_ended(report.process)
        if ended is None and report.heartbeat_seconds is not None:
            ended = now - worker.last_heartbeat > MISSED * timedelta(seconds=report.heartbeat_seconds)
        if ended:
            gone.append(worker.id)
    return gone
