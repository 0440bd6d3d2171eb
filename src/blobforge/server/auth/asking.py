"""Who asks, and what they may: every route names the action that it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from starlette.requests import Request

from blobforge.domain.access import Action, may, sees, worker_may
from blobforge.domain.account import ApiToken, Role, WorkerAccount, is_process_of, works_on
from blobforge.domain.audit import Actor, ActorKind
from blobforge.domain.errors import Forbidden, InvalidValue, LeaseLost, NotFound
from blobforge.domain.ids import DEFAULT_PROJECT, WorkerId, parse_name
from blobforge.domain.job import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """`project` is the only one that they see; None is all. `name` is how messages and the audit trail call them. A
    worker acts for no other."""

    name: str
    role: Role | None
    project: str | None = None
    worker: WorkerAccount | None = None
    token: ApiToken | None = None
    request_id: str | None = None
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

    def require_all_projects(self) -> None:
        """For what belongs to no project. Raises Forbidden."""
        if self.project is not None:
            raise Forbidden(f"{self.name} belongs to project {self.project!r}, and this is of all projects")

    def require_project(self, project: str) -> None:
        """Raises Forbidden."""
        if not self.sees(project):
            raise Forbidden(f"{self.name} belongs to project {self.project!r} and has no access to {project!r}")

    def project_of(self, wanted: str | None) -> str:
        """Where none is named, the one that they are for; of those who see all, the default. Raises InvalidValue,
        Forbidden."""
        if wanted is None:
            return self.project or DEFAULT_PROJECT
        self.require_project(parse_name(wanted, of="project"))
        return wanted

    def require_seen(self, job: Job) -> Job:
        """A job of another project is not there for them. Raises NotFound."""
        if not self.sees(job.project):
            raise NotFound(f"there is no job #{job.id}")
        return job

    @property
    def is_draining(self) -> bool:
        """Whether it is to finish what it has, and gets nothing more."""
        return self.worker is not None and self.worker.is_draining

    def works_on(self, job_type: str) -> bool:
        return self.worker is None or works_on(self.worker, job_type)

    def types(self, wanted: Sequence[str]) -> tuple[str, ...]:
        """Those of the job types that this worker is for. Raises Forbidden where none is."""
        allowed = tuple(name for name in wanted if self.works_on(name))
        if wanted and not allowed and self.worker is not None:
            raise Forbidden(f"{self.name} is for jobs of type {', '.join(self.worker.types)} alone")
        return allowed

    @property
    def actor(self) -> Actor | None:
        """How the audit trail names them; None where nobody knows who they are."""
        if self.token is not None:
            return Actor(ActorKind.TOKEN, str(self.token.id))
        return None if self.worker is None else Actor(ActorKind.WORKER, self.worker.name)

    def require_process(self, process: str) -> WorkerId:
        """A worker speaks for its own processes alone, and an exclusive one for the last that registered.

        Raises Forbidden, LeaseLost.
        """
        known = self.require_name(process)
        if self.worker is not None and self.worker.is_exclusive and self.worker.process not in (None, process):
            raise replaced(process, self.worker)
        return known

    def require_name(self, process: str) -> WorkerId:
        """The same for what a worker says of its processes, also of those that it replaced. Raises Forbidden,
        InvalidValue."""
        if self.acts_for_all and not process:
            raise InvalidValue("a process of a worker has a name")
        if not self.acts_for_all and (self.worker is None or not is_process_of(process, self.worker.name)):
            raise Forbidden(f"{self.name} may not act as {process!r}: a process of a worker is called NAME.PID.NONCE")
        return WorkerId(process)


def replaced(process: str, account: WorkerAccount) -> LeaseLost:
    return LeaseLost(f"{process} was replaced: {account.process} registered as worker {account.name}")


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
