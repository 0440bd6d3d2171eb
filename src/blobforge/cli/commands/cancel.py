"""`blobforge cancel`: a document is not wanted any more, or not by the worker that has it."""

from typing import NamedTuple

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.job_table import job_label
from blobforge.cli.jobs import find_job, job_json
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_queue
from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject
from blobforge.ports.coordinator import Coordinator


class _Outcome(NamedTuple):
    name: str
    outcome: Job | BlobForgeError


@click.command()
@click.argument("jobs", nargs=-1, required=True, metavar="HASH|#ID...")
@click.option("--requeue", is_flag=True, help="Take it from its worker and give it back to the queue instead.")
@json_option
def command(jobs: tuple[str, ...], *, requeue: bool, as_json: bool) -> int:
    """Cancel jobs for good; a worker that has one ends its work within seconds.

    With --requeue a running job is pending again, and its attempt does not count. 'retry' revives a cancelled job.

    With --json: done, failed, and results, a list of name, job (null where it failed), code, message.
    """
    settings = context.settings()
    with opened_queue(settings) as queue:
        outcomes = [_move(queue, name, settings.project, requeue=requeue) for name in dict.fromkeys(jobs)]
    errors = [outcome for _, outcome in outcomes if isinstance(outcome, BlobForgeError)]
    if as_json:
        results: list[JsonObject] = [_json(entry) for entry in outcomes]
        output.print_json({"done": len(outcomes) - len(errors), "failed": len(errors), "results": [*results]})
    else:
        _tell(outcomes)
    if not errors:
        return exit_codes.OK
    return exit_codes.PARTIAL if len(errors) < len(outcomes) else exit_codes.exit_code(errors[0])


def _move(queue: Coordinator, name: str, project: str, *, requeue: bool) -> _Outcome:
    try:
        found = find_job(queue, name, project=project)
        return _Outcome(name, queue.requeue(found.id) if requeue else queue.cancel(found.id))
    except StoreUnavailable:
        raise
    except BlobForgeError as error:
        return _Outcome(name, error)


def _json(entry: _Outcome) -> JsonObject:
    if isinstance(entry.outcome, Job):
        return {"name": entry.name, "job": job_json(entry.outcome), "code": None, "message": None}
    return {"name": entry.name, "job": None, "code": entry.outcome.code, "message": str(entry.outcome)}


def _tell(outcomes: list[_Outcome]) -> None:
    for _, outcome in outcomes:
        if isinstance(outcome, Job):
            output.say(f"{job_label(outcome)} is {outcome.state}")
        else:
            output.complain(f"{outcome} [{outcome.code}]")
