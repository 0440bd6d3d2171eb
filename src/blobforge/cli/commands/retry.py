"""`blobforge retry`: a document once more."""

import click

from blobforge.cli import context, output
from blobforge.cli.job_table import job_label
from blobforge.cli.jobs import find_job, job_json, priority_text
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_pair
from blobforge.cli.tiers import TIER
from blobforge.domain.priority import Priority


@click.command()
@click.argument("job", metavar="HASH|#ID")
@click.option("--priority", type=TIER, metavar="TIER", help="Its new priority.  [default: as before]")
@click.option(
    "--reset-retries/--keep-retries",
    "reset",
    default=True,
    help="Give it all its attempts anew, or keep the count: then it has what is left, and at least one.  "
    "[default: reset-retries]",
)
@json_option
def command(job: str, *, priority: Priority | None, reset: bool, as_json: bool) -> None:
    """Run a failed, dead, cancelled or completed job again.

    It is pending at once, whatever it waited for. Of a completed job a worker makes a new result only where the old one
    is gone, or was made by another engine, version or option; until then the old one stays.

    With --json: job.
    """
    settings = context.settings()
    with opened_pair(settings) as queue:
        found = find_job(queue, job, project=settings.project)
        retried = queue.retry(found.id, reset_attempts=reset, priority=priority)
    if as_json:
        output.print_json({"job": job_json(retried)})
        return
    left = retried.max_attempts - retried.attempts
    attempts = "1 attempt" if left == 1 else f"{left} attempts"
    output.say(
        f"{job_label(retried)} was {found.state} and is pending, with {attempts} and priority {priority_text(retried)}"
    )
