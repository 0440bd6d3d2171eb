"""`blobforge pause`: workers finish what they have of a type, and get nothing more of it."""

import click

from blobforge.cli import context, output
from blobforge.cli.accounts import local_actor
from blobforge.cli.choices import JOB_TYPE, job_types
from blobforge.cli.output import json_option
from blobforge.cli.overview.as_json import pause_json
from blobforge.cli.queue import opened_queue


@click.command()
@click.argument("job_type", type=JOB_TYPE, metavar="TYPE")
@json_option
def command(job_type: str, *, as_json: bool) -> None:
    """Keep all workers from claiming jobs of a type in this project, until 'resume'.

    What runs goes on, and documents can be submitted as ever. It holds for every worker of the queue, and outlasts
    restarts; 'status', 'dashboard' and 'why' tell of it. 'convert' is not kept by it. A queue in a bucket cannot be
    paused.

    With --json: pause (project, type, since, by).
    """
    settings = context.settings_of_queue()
    with opened_queue(settings) as queue:
        found = queue.pause(settings.project, job_type, by=str(local_actor()))
        is_known = any(there == job_type for there, _ in queue.counts(project=settings.project))
    if as_json:
        output.print_json({"pause": pause_json(found)})
    else:
        output.say(
            f"jobs of type {job_type} are paused in project {settings.project}; 'blobforge resume {job_type}' ends it"
        )
    if not is_known and job_type not in (known := job_types()):
        output.warn(
            f"project {settings.project} has no job of type {job_type}, and nothing here serves that type; there are "
            f"{', '.join(known)}"
        )
