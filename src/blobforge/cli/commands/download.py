"""`blobforge download`: the result of a job as a zip file."""

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.flaws import warn_of_flaws
from blobforge.cli.jobs import find_job, id_json
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_pair
from blobforge.clock import SystemClock
from blobforge.domain.job import Job, State, title
from blobforge.domain.result_record import result_record
from blobforge.results.download import download, target_of
from blobforge.results.published_by_job import require_published, state_in_words


@click.command()
@click.argument("job", metavar="HASH|#ID")
@click.option("-o", "--out", type=click.Path(), default=".", help="File or folder to write to.  [default: here]")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@json_option
def command(job: str, *, out: str, force: bool, as_json: bool) -> int:
    """Fetch the result of a job as a zip file.

    In it are document.md, its pictures in assets/, and info.json with an account of every page. A file that is there
    already is not overwritten.

    Exit code: 0 it is whole, 3 pages are missing in it.

    With --json: job_id, source_hash, state, key, recipe, path, size, pages, pages_failed, doubts.
    """
    from blobforge import wiring

    settings = context.settings_of_queue()
    with opened_pair(settings) as queue:
        found = find_job(queue, job, project=settings.project)
        published = require_published(found, now=SystemClock().now())
    target = target_of(found, out)
    blobs = wiring.open_blobs(settings)
    size = download(blobs, found, published.key, target, force=force)
    record = result_record(found)
    code = exit_codes.PARTIAL if record.has_gaps else exit_codes.OK
    if as_json:
        output.print_json(
            {
                "job_id": id_json(found.id),
                "source_hash": found.source_hash,
                "state": found.state.value,
                "key": published.key,
                "recipe": published.recipe_id,
                "path": str(target),
                "size": size,
                "pages": record.pages,
                "pages_failed": record.pages_failed,
                "doubts": record.doubts or None,
            }
        )
        return code
    warn_of_a_new_run(found)
    warn_of_flaws([(title(found), record.gaps), (title(found), record.doubts)])
    output.say(f"{output.size_text(size)} written to {target}")
    return code


def warn_of_a_new_run(job: Job) -> None:
    """The published result of a job that runs again is the one of its run before."""
    if job.state is not State.COMPLETED:
        how = state_in_words(job, now=SystemClock().now())
        output.warn(f"{title(job)} was started again, and this is its result from before: {how}")
