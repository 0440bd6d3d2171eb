"""`blobforge download`: the result of a job as a zip file."""

import click

from blobforge.cli import context, output
from blobforge.cli.jobs import find_job
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_queue
from blobforge.clock import SystemClock
from blobforge.domain.job import Job, State
from blobforge.results.download import download, target_of
from blobforge.results.published import require_published, standing, title


@click.command()
@click.argument("job", metavar="HASH|#ID")
@click.option("-o", "--out", type=click.Path(), default=".", help="File or folder to write to.  [default: here]")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@json_option
def command(job: str, *, out: str, force: bool, as_json: bool) -> None:
    """Fetch the result of a job as a zip file.

    In it are document.md, its pictures in assets/, and info.json with an account of every page. A file that is there
    already is not overwritten.

    With --json: job_id, source_hash, state, key, recipe, path, size.
    """
    from blobforge import wiring

    settings = context.settings()
    with opened_queue(settings) as queue:
        found = find_job(queue, job, project=settings.project)
        published = require_published(found, now=SystemClock().now())
    target = target_of(found, out)
    blobs = wiring.open_blobs(settings)
    size = download(blobs, found, published.key, target, force=force)
    if as_json:
        output.print_json(
            {
                "job_id": found.id,
                "source_hash": found.source_hash,
                "state": found.state.value,
                "key": published.key,
                "recipe": published.recipe_id,
                "path": str(target),
                "size": size,
            }
        )
        return
    warn_of_a_new_run(found)
    output.say(f"{output.size_text(size)} written to {target}")


def warn_of_a_new_run(job: Job) -> None:
    """The published result of a job that runs again is the one of its run before."""
    if job.state is not State.COMPLETED:
        how = standing(job, now=SystemClock().now())
        output.warn(f"{title(job)} was started again, and this is its result from before: {how}")
