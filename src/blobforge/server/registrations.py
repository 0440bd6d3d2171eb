"""What a process of a worker says of itself, as the queue keeps it."""

from dataclasses import replace

from blobforge.domain.account import WorkerAccount
from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import DRAINED
from blobforge.server.auth.asking import Asker
from blobforge.server.parts import ServerParts
from blobforge.wire.queue import WorkerRow


def registration_of(row: WorkerRow, process: WorkerId, asker: Asker, parts: ServerParts) -> Worker:
    """Of a process that may say so. Raises InvalidValue."""
    said = Worker(
        id=process,
        type=row.type,
        status=_status(row.status),
        # By the server's clock: that of the worker's machine may be wrong.
        last_heartbeat=parts.clock.now(),
        current_job_id=None if row.current_job_id is None else JobId(row.current_job_id),
        metadata=row.metadata,
    )
    return as_its_account_says(said, asker.worker)


def as_its_account_says(worker: Worker, account: WorkerAccount | None) -> Worker:
    """A worker does not know that its account drains: it only gets nothing more. Who looks shall see it."""
    metadata = {key: value for key, value in worker.metadata.items() if key != DRAINED}
    if account is None or not account.is_draining:
        return replace(worker, metadata=metadata)
    return replace(worker, status=WorkerStatus.DRAINING, metadata={**metadata, DRAINED: account.name})


def _status(text: str) -> WorkerStatus:
    try:
        return WorkerStatus(text)
    except ValueError as error:
        raise InvalidValue(f"{text!r} is no status of a worker: there are {', '.join(WorkerStatus)}") from error
