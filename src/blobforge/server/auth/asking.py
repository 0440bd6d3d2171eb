"""Who asks, and what they may: every route names the action that it is."""

from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request

from blobforge.domain.access import Action, may, sees, worker_may
from blobforge.domain.access_errors import Forbidden
from blobforge.domain.account import Role
from blobforge.domain.errors import NotFound
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """`project` is the only one that they see; None is all. `name` is how the audit trail calls them. A worker has its
    name in `worker` and acts for no other."""

    name: str
    role: Role | None
    project: str | None = None
    worker: str | None = None
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

    def require_process(self, process: str) -> WorkerId:
        """A worker speaks for its own processes alone: its name, or an id below it. Raises Forbidden."""
        is_own = self.worker is not None and (process == self.worker or process.startswith(f"{self.worker}."))
        if not (self.acts_for_all or is_own):
            raise Forbidden(f"{self.name} may not act as {process!r}: a process of a worker is called NAME.…")
        return WorkerId(process)


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
