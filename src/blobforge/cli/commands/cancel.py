"""`blobforge cancel`: a document is not wanted any more, or not by the worker that has it."""

import click

from blobforge.cli import context
from blobforge.cli.job_table import job_label
from blobforge.cli.one_by_one import exit_code_of, print_outcomes, steered, steered_together, tell_outcomes
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_queue


@click.command()
@click.argument("jobs", nargs=-1, required=True, metavar="HASH|#ID...")
@click.option("--requeue", is_flag=True, help="Take it from its worker and give it back to the queue instead.")
@json_option
def command(jobs: tuple[str, ...], *, requeue: bool, as_json: bool) -> int:
    """Cancel jobs for good; a worker that has one ends its work within seconds.

    With --requeue a running job is pending again, and its attempt does not count. 'retry' revives a cancelled job.

    With --json: done, failed, and results, a list of name, job (null where it failed), code, message.
    """
    settings = context.settings_of_queue()
    with opened_queue(settings) as queue:
        if requeue:
            outcomes = steered(queue, jobs, settings.project, lambda job: queue.requeue(job.id))
        else:
            outcomes = steered_together(queue, jobs, settings.project, queue.cancel_many)
    if as_json:
        print_outcomes(outcomes)
    else:
        tell_outcomes(outcomes, lambda job: f"{job_label(job)} is {job.state}")
    return exit_code_of(outcomes)
