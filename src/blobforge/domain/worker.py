"""A worker as others see it: who it is, whether it lives, what it is doing."""

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
