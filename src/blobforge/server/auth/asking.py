"""Who asks, and what they may: every route names the action that it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request

from blobforge.domain.access import Action, may, sees, worker_may
from blobforge.domain.access_errors import Forbidden
from blobforge.domain.account import Role, WorkerAccount
from blobforge.domain.errors import LeaseLost, NotFound
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """`project` is the only one that they see; None is all. `name` is how messages and the audit trail call them. A
    worker acts for no other."""

    name: str
    role: Role | None
    project: str | None = None
    worker: WorkerAccount | None = None
    acts_for_all: bool = False
    """Where access is not controlled: whoever comes is any worker, and may do anything."""

    def require(self, *actions: Action) -> None:
        """One of them is enough. Raises Forbidden."""
        if not any(self.may(action) for action in actions):
            wanted = " or ".join(action.value for action in actions)
            raise Forbidden(f"{self.name} may not do this: it needs the right to {wanted}")

    def may(self, action: Action) -> bool:
        if self.acts_for_all:
            return True
        if self.worker is not None:
            return worker_may(action)
        return self.role is not None and may(self.role, action)

    def sees(self, project: str) -> bool:
        return sees(self.project, project)

    def require_project(self, project: str) -> None:
        """Raises Forbidden."""
        if not self.sees(project):
            raise Forbidden(f"{self.name} belongs to project {self.project!r} and has no access to {project!r}")

    def require_seen(self, job: Job) -> Job:
        """A job of another project is not there for them. Raises NotFound."""
        if not self.sees(job.project):
            raise NotFound(f"there is no job #{job.id}")
        return job

    @property
    def is_draining(self) -> bool:
        """Whether it is to finish what it has, and gets nothing more."""
        return self.worker is not None and self.worker.is_draining

    def types(self, wanted: Sequence[str]) -> tuple[str, ...]:
        """Those of the job types that this worker is for. Raises Forbidden where none is."""
        if self.worker is None or not self.worker.types:
            return tuple(wanted)
        allowed = tuple(name for name in wanted if name in self.worker.types)
        if not allowed:
            raise Forbidden(f"{self.name} is for jobs of type {', '.join(self.worker.types)} alone")
        return allowed

    def require_process(self, process: str) -> WorkerId:
        """A worker speaks for its own processes alone, and an exclusive one for the last that registered.

        Raises Forbidden, LeaseLost.
        """
        self.require_name(process)
        if self.worker is not None and self.worker.is_exclusive and self.worker.process not in (None, process):
            raise LeaseLost(f"{process} was replaced: {self.worker.process} registered as worker {self.worker.name}")
        return WorkerId(process)

    def require_name(self, process: str) -> WorkerId:
        """The same for what a worker says of its processes, also of those that it replaced. Raises Forbidden."""
        if not self.acts_for_all and (self.worker is None or not is_process_of(process, self.worker.name)):
            raise Forbidden(f"{self.name} may not act as {process!r}: a process of a worker is called NAME.PID.NONCE")
        return WorkerId(process)


_PROCESS = re.compile(r"\.[0-9]+\.[0-9a-f]{8}")


def is_process_of(process: str, name: str) -> bool:
    """Whether an id is that of a process of this name, or the name itself, for those who have no more to say."""
    return process == name or (process.startswith(name) and bool(_PROCESS.fullmatch(process[len(name) :])))


class Doorman(Protocol):
    """Tells who sent a request."""

    async def asker(self, request: Request) -> Asker:
        """Raises NotSignedIn, Forbidden, TooManyRequests."""
        ...


EVERYONE = Asker(name="anyone", role=None, acts_for_all=True)


class OpenDoor:
    """Without access control: on this machine alone, or where somebody asked for it."""

    async def asker(self, request: Request) -> Asker:  # noqa: ARG002 - fixed by the protocol
        return EVERYONE
