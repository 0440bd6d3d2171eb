"""The registration of a worker: its id, status, heartbeat and report."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.json_value import JsonObject


class WorkerStatus(StrEnum):
    """As the worker said last; whether it lives is judged by its last heartbeat."""

    ONLINE = "online"
    OFFLINE = "offline"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """Its row among the workers of a queue. `metadata` is its status report."""

    id: WorkerId
    type: str
    status: WorkerStatus
    last_heartbeat: datetime
    current_job_id: JobId | None = None
    metadata: JsonObject = field(default_factory=dict)
