"""The registration of a worker: its id, status, heartbeat and report."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.json_value import JsonObject


class WorkerStatus(StrEnum):
    ONLINE = "online"
    OFFLINE = "offline"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    id: WorkerId
    type: str
    status: WorkerStatus
    last_heartbeat: datetime
    current_job_id: JobId | None = None
    metadata: JsonObject = field(default_factory=dict)
