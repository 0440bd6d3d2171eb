"""`blobforge list`: jobs, newest first."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from blobforge.cli import context, output
from blobforge.cli.filters import Filters, filter_options, page_of
from blobforge.cli.job_table import print_jobs
from blobforge.cli.jobs import LARGEST_ID, id_json, job_json, priority_text
from blobforge.cli.output import json_option
from blobforge.clock import SystemClock
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job


@click.command()
@filter_options
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000), help="At most so many.")
@click.option(
    "--after", type=click.IntRange(1, LARGEST_ID), help="Go on below this job id, the `next` of the page before."
)
@click.option("-v", "--verbose", is_flag=True, help="All facts of each job, in a few lines.")
@json_option
def command(*, limit: int, after: int | None, verbose: bool, as_json: bool, **filters: Any) -> None:
    """List jobs, newest first.

    With --json: jobs, and next, the --after of the next page (null at the end). Ids are text, here as in all JSON: on a
    bucket they are larger than the numbers that many readers of JSON keep.
    """
    from blobforge import wiring

    settings = context.settings_of_queue()
    opened = wiring.open_known_coordinator(settings)
    try:
        # One more than is shown, to know whether there is another page.
        found = page_of(
            opened.coordinator,
            Filters(**filters),
            project=settings.project,
            after=None if after is None else JobId(after),
            limit=limit + 1,
        )
    finally:
        opened.close()
    jobs = found[:limit]
    following = jobs[-1].id if len(found) > limit else None
    if as_json:
        output.print_json(
            {"jobs": [job_json(job) for job in jobs], "next": None if following is None else id_json(following)}
        )
        return
    if not jobs:
        output.say("no jobs")
        return
    if verbose:
        _print_paragraphs(jobs, SystemClock().now())
    else:
        print_jobs(jobs)
    if following is not None:
        output.say(f"more: --after {following}")


def _print_paragraphs(jobs: Sequence[Job], now: datetime) -> None:
    for number, job in enumerate(jobs):
        if number:
            output.print_line()
        output.print_line(f"#{job.id}  {job.state.value}  {priority_text(job)}  {job.project}/{job.type}")
        size = "" if job.source_size is None else f" ({output.size_text(job.source_size)})"
        output.print_fact("  document  ", f"{job.source_path or 'unknown'}{size}")
        output.print_fact("  hash      ", job.source_hash)
        changed = output.age_text(job.updated_at, now=now)
        output.print_fact("  attempts  ", f"{job.attempts} of {job.max_attempts}, changed {changed}")
        if job.worker_id:
            output.print_fact("  worker    ", job.worker_id)
        if job.error_code:
            output.print_fact("  error     ", f"{job.last_error} [{job.error_code}]")
