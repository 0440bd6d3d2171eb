"""What a process of a worker says of itself, as the queue keeps it."""

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.server.parts import ServerParts
from blobforge.wire.queue import WorkerRow


def registration_of(row: WorkerRow, process: WorkerId, parts: ServerParts) -> Worker:
    """Of a process that may say so. Raises InvalidValue."""
    return Worker(
        id=process,
        type=row.type,
        status=_status(row.status),
        # By the server's clock: that of the worker's machine may be wrong.
        last_heartbeat=parts.clock.now(),
        current_job_id=None if row.current_job_id is None else JobId(row.current_job_id),
        metadata=row.metadata,
    )


def _status(text: str) -> WorkerStatus:
    try:
        return WorkerStatus(text)
    except ValueError as error:
        raise InvalidValue(f"{text!r} is no status of a worker: there are {', '.join(WorkerStatus)}") from error
