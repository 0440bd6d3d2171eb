"""Which role may do what, as one table, and which project is seen from which."""

from collections.abc import Mapping
from enum import StrEnum

from blobforge.domain.account import Role


class Action(StrEnum):
    READ = "read"
    """Jobs and results."""
    READ_DISCREET = "read_discreet"
    """The results of discreet processors, such as those of lab reports."""
    SUBMIT = "submit"
    """Also upload documents."""
    STEER = "steer"
    """Retry, cancel, reprioritize, reprocess."""
    PAUSE = "pause"
    """A job type, for all workers."""
    MANAGE_WORKERS = "manage_workers"
    MANAGE_TOKENS = "manage_tokens"
    READ_AUDIT = "read_audit"
    WORK = "work"
    """Claim jobs, and end them."""


_EVERYBODY = frozenset(Role)
_OPERATORS = frozenset({Role.OPERATOR, Role.ADMIN})
_ADMINS = frozenset({Role.ADMIN})

ROLES: Mapping[Action, frozenset[Role]] = {
    Action.READ: _EVERYBODY,
    Action.READ_DISCREET: _OPERATORS,
    Action.SUBMIT: _OPERATORS,
    Action.STEER: _OPERATORS,
    Action.PAUSE: _OPERATORS,
    Action.MANAGE_WORKERS: _ADMINS,
    Action.MANAGE_TOKENS: _ADMINS,
    Action.READ_AUDIT: _ADMINS,
    # A worker has a secret of its own and no role: nobody works with the token of a person.
    Action.WORK: frozenset(),
}


def may(role: Role, action: Action) -> bool:
    return role in ROLES[action]


def worker_may(action: Action) -> bool:
    """Who signed in by a worker's secret works, and does nothing else."""
    return action is Action.WORK


def sees(project_of_asker: str | None, project: str | None) -> bool:
    """None is an asker of all projects; or a thing that belongs to no project, or to all of them: it is seen only by
    who sees all."""
    return project_of_asker is None or project_of_asker == project
