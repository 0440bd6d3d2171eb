"""`blobforge retry-all`: all documents that went wrong, once more."""

from collections import Counter

import click

from blobforge.cli import context, output
from blobforge.cli.jobs import id_json
from blobforge.cli.many import Choice, choice_options, print_codes
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_pair
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import JsonObject
from blobforge.ports.coordinator import Coordinator


@click.command()
@click.option("--failed", is_flag=True, help="Jobs that wait for another attempt: they need not wait any more.")
@click.option("--dead", is_flag=True, help="Jobs that were given up.")
@click.option("--gaps", is_flag=True, help="Completed jobs whose result misses pages.")
@choice_options
@click.option("--yes", is_flag=True, expose_value=False, help="Do not ask; it never does.")
@json_option
def command(
    *, failed: bool, dead: bool, gaps: bool, code: str | None, job_type: str | None, dry_run: bool, as_json: bool
) -> None:
    """Run all jobs again that failed, are dead or have gaps in their result, with all their attempts.

    Of a result with gaps a worker makes a new one only where what was missing is there now, as tesseract may be;
    'reprocess' makes one by another engine. A job that somebody else changes meanwhile is told and passed over.

    With --json: matched, retried, by_code (how many of each error code), passed_over (a list of job_id, message),
    dry_run.
    """
    settings = context.settings_of_queue()
    choices = _choices(settings.project, job_type, code, failed=failed, dead=dead, gaps=gaps)
    if not choices:
        raise click.UsageError("say which: --failed, --dead, --gaps or several of them")
    codes: Counter[str] = Counter()
    refused: list[JsonObject] = []
    with opened_pair(settings) as queue:
        for choice in choices:
            for jobs in choice.pages(queue):
                codes.update(map(choice.code_of, jobs))
                refused += [] if dry_run else _retry(queue, jobs)
    matched = codes.total()
    retried = 0 if dry_run else matched - len(refused)
    if as_json:
        account: JsonObject = {"matched": matched, "retried": retried, "by_code": dict(codes.most_common())}
        output.print_json({**account, "passed_over": [*refused], "dry_run": dry_run})
        return
    print_codes(codes)
    for job in refused:
        output.warn(f"{job['message']}; passed over")
    output.say(f"{matched} would be retried" if dry_run else f"{retried} retried, {len(refused)} passed over")


def _choices(
    project: str, job_type: str | None, code: str | None, *, failed: bool, dead: bool, gaps: bool
) -> list[Choice]:
    states = {State.FAILED: failed, State.DEAD: dead, State.COMPLETED: gaps}
    return [
        Choice(project=project, state=state, job_type=job_type, code=code)
        for state, is_wanted in states.items()
        if is_wanted
    ]


def _retry(queue: Coordinator, jobs: list[Job]) -> list[JsonObject]:
    """Those that were not retried, and why."""
    outcomes = zip(jobs, queue.retry_unchanged(jobs), strict=True)
    return [
        {"job_id": id_json(job.id), "message": str(outcome)}
        for job, outcome in outcomes
        if isinstance(outcome, BlobForgeError)
    ]
