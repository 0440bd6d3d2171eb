"""Steering jobs that are named: what became of each is told, and the others go on."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blobforge.cli import exit_codes, output
from blobforge.cli.jobs import find_job, job_json
from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject
from blobforge.ports.coordinator import Coordinator


class SteeredJob(NamedTuple):
    name: str
    outcome: Job | BlobForgeError


def steered(queue: Coordinator, names: Sequence[str], project: str, move: Callable[[Job], Job]) -> list[SteeredJob]:
    """Each name once. Raises StoreUnavailable."""
    return [_steered(queue, name, project, move) for name in dict.fromkeys(names)]


def steered_together(
    queue: Coordinator,
    names: Sequence[str],
    project: str,
    move: Callable[[Sequence[JobId]], list[Job | BlobForgeError]],
) -> list[SteeredJob]:
    """The same in one step for all of them. Raises StoreUnavailable."""
    found = steered(queue, names, project, lambda job: job)
    ids = list(dict.fromkeys(outcome.id for _, outcome in found if isinstance(outcome, Job)))
    moved = dict(zip(ids, move(ids), strict=True)) if ids else {}
    return [SteeredJob(name, moved[outcome.id] if isinstance(outcome, Job) else outcome) for name, outcome in found]


def print_outcomes(outcomes: Sequence[SteeredJob]) -> None:
    """For programs: done, failed, and results."""
    errors = _errors(outcomes)
    results: list[JsonObject] = [_json(entry) for entry in outcomes]
    output.print_json({"done": len(outcomes) - len(errors), "failed": len(errors), "results": [*results]})


def tell_outcomes(outcomes: Sequence[SteeredJob], sentence: Callable[[Job], str]) -> None:
    for _, outcome in outcomes:
        if isinstance(outcome, Job):
            output.say(sentence(outcome))
        else:
            output.complain(f"{outcome} [{outcome.code}]")


def exit_code_of(outcomes: Sequence[SteeredJob]) -> int:
    errors = _errors(outcomes)
    if not errors:
        return exit_codes.OK
    return exit_codes.PARTIAL if len(errors) < len(outcomes) else exit_codes.exit_code(errors[0])


def _steered(queue: Coordinator, name: str, project: str, move: Callable[[Job], Job]) -> SteeredJob:
    try:
        return SteeredJob(name, move(find_job(queue, name, project=project)))
    except StoreUnavailable:
        raise
    except BlobForgeError as error:
        return SteeredJob(name, error)


def _errors(outcomes: Sequence[SteeredJob]) -> list[BlobForgeError]:
    return [outcome for _, outcome in outcomes if isinstance(outcome, BlobForgeError)]


def _json(entry: SteeredJob) -> JsonObject:
    if isinstance(entry.outcome, Job):
        return {"name": entry.name, "job": job_json(entry.outcome), "code": None, "message": None}
    return {"name": entry.name, "job": None, "code": entry.outcome.code, "message": str(entry.outcome)}
