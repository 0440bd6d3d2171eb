"""`blobforge resume`: workers get jobs of a type again that was paused."""

import click

from blobforge.cli import context, output
from blobforge.cli.choices import JOB_TYPE
from blobforge.cli.output import json_option
from blobforge.cli.overview.as_json import pause_json
from blobforge.cli.queue import opened_queue


@click.command()
@click.argument("job_type", type=JOB_TYPE, metavar="TYPE")
@json_option
def command(job_type: str, *, as_json: bool) -> None:
    """Give workers jobs of a type again that 'pause' kept from them. Idle ones take them at once.

    With --json: pause (project, type, since, by), or null where the type was not paused.
    """
    settings = context.settings_of_queue()
    with opened_queue(settings) as queue:
        ended = queue.resume(settings.project, job_type)
    if as_json:
        output.print_json({"pause": None if ended is None else pause_json(ended)})
    elif ended is None:
        output.say(f"jobs of type {job_type} were not paused in project {settings.project}")
    else:
        output.say(f"jobs of type {job_type} are given to workers again in project {settings.project}")
