"""`blobforge retry`: documents once more."""

import click

from blobforge.cli import context, output
from blobforge.cli.job_table import job_label
from blobforge.cli.jobs import job_json, priority_text
from blobforge.cli.one_by_one import exit_code_of, print_outcomes, steered, tell_outcomes
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_pair
from blobforge.cli.tiers import TIER
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State
from blobforge.domain.priority import Priority


@click.command()
@click.argument("jobs", nargs=-1, required=True, metavar="HASH|#ID...")
@click.option("--priority", type=TIER, metavar="TIER", help="Their new priority.  [default: as before]")
@click.option(
    "--reset-retries/--keep-retries",
    "reset",
    default=True,
    help="Give them all their attempts anew, or keep the count: then each has what is left, and at least one.  "
    "[default: reset-retries]",
)
@json_option
def command(jobs: tuple[str, ...], *, priority: Priority | None, reset: bool, as_json: bool) -> int:
    """Run failed, dead, cancelled or completed jobs again.

    They are pending at once, whatever they waited for. Of a completed job a worker makes a new result only where the
    old one is gone, or was made by another engine, version or option; until then the old one stays.

    With --json: job. Where several are named: done, failed, and results, a list of name, job (null where it failed),
    code, message.
    """
    settings = context.settings_of_queue()
    before: dict[JobId, State] = {}
    with opened_pair(settings) as queue:

        def move(job: Job) -> Job:
            before[job.id] = job.state
            return queue.retry(job.id, reset_attempts=reset, priority=priority)

        outcomes = steered(queue, jobs, settings.project, move)
    only = outcomes[0].outcome if len(outcomes) == 1 else None
    if isinstance(only, BlobForgeError):
        raise only
    if not as_json:
        tell_outcomes(outcomes, lambda job: _sentence(job, before[job.id]))
    elif only is not None:
        output.print_json({"job": job_json(only)})
    else:
        print_outcomes(outcomes)
    return exit_code_of(outcomes)


def _sentence(retried: Job, before: State) -> str:
    left = retried.max_attempts - retried.attempts
    attempts = "1 attempt" if left == 1 else f"{left} attempts"
    return f"{job_label(retried)} was {before} and is pending, with {attempts} and priority {priority_text(retried)}"
