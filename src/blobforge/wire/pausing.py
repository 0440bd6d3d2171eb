"""Messages of those who pause a type of jobs."""

from datetime import datetime

from pydantic import BaseModel

from blobforge.domain.pause import Pause
from blobforge.wire.bounds import Project, Word


class LaneMessage(BaseModel):
    project: Project = None
    type: Word


class PauseRow(BaseModel):
    project: str
    type: str
    since: datetime
    by: str

    @classmethod
    def of(cls, pause: Pause) -> "PauseRow":
        return cls(**pause._asdict())

    def as_pause(self) -> Pause:
        return Pause(**dict(self))


class PauseRows(BaseModel):
    pauses: list[PauseRow]

    def as_pauses(self) -> list[Pause]:
        return [row.as_pause() for row in self.pauses]
