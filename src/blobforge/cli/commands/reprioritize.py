"""`blobforge reprioritize`: a waiting document before or behind others."""

import click

from blobforge.cli import context, output
from blobforge.cli.job_table import job_label
from blobforge.cli.jobs import find_job, job_json, priority_text
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_queue
from blobforge.cli.tiers import TIER
from blobforge.domain.priority import Priority


@click.command()
@click.argument("job", metavar="HASH|#ID")
@click.argument("tier", type=TIER, metavar="TIER")
@json_option
def command(job: str, tier: Priority, *, as_json: bool) -> None:
    """Give a waiting job another priority.

    TIER is 1 (critical) to 5 (background), a name such as high, or a slug such as 2_high. Only a pending or failed
    job has a place in the line; 'retry --priority' brings others back into it.

    With --json: job.
    """
    settings = context.settings_of_queue()
    with opened_queue(settings) as queue:
        found = find_job(queue, job, project=settings.project)
        changed = queue.reprioritize(found.id, priority=tier)
    if as_json:
        output.print_json({"job": job_json(changed)})
    else:
        output.say(f"{job_label(changed)}: its priority is {priority_text(changed)} (it was {priority_text(found)})")
