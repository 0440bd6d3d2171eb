"""`blobforge list`: jobs, newest first."""

import click

from blobforge.cli import context, output
from blobforge.cli.jobs import LARGEST_ID, SHORT_HASH, job_json, priority_text
from blobforge.cli.output import Column, json_option
from blobforge.clock import SystemClock
from blobforge.domain.ids import JobId
from blobforge.domain.job import State
from blobforge.ports.job_store import JobFilter


@click.command()
@click.option("--state", type=click.Choice([state.value for state in State]), help="Only jobs in this state.")
@click.option("--type", "job_type", help="Only jobs of this type.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000), help="At most so many.")
@click.option(
    "--after", type=click.IntRange(1, LARGEST_ID), help="Go on below this job id, the `next` of the page before."
)
@json_option
def command(*, state: str | None, job_type: str | None, limit: int, after: int | None, as_json: bool) -> None:
    """List jobs, newest first.

    With --json: jobs, and next, the --after of the next page (null at the end).
    """
    from blobforge import wiring

    settings = context.settings()
    opened = wiring.open_coordinator(settings)
    try:
        wanted = JobFilter(project=settings.project, type=job_type, state=State(state) if state else None)
        # One more than is shown, to know whether there is another page.
        found = opened.coordinator.page(wanted, after=None if after is None else JobId(after), limit=limit + 1)
    finally:
        opened.close()
    jobs = found[:limit]
    following = jobs[-1].id if len(found) > limit else None
    if as_json:
        output.print_json({"jobs": [job_json(job) for job in jobs], "next": following})
        return
    if not jobs:
        output.say("no jobs")
        return
    now = SystemClock().now()
    columns = [
        *(Column(title, keep=True) for title in ("ID", "HASH", "TYPE", "STATE", "PRIORITY", "CHANGED")),
        Column("DOCUMENT"),
        Column("ERROR"),
    ]
    output.print_table(
        columns,
        [
            [
                f"#{job.id}",
                job.source_hash[:SHORT_HASH],
                job.type,
                job.state.value,
                priority_text(job),
                output.age_text(job.updated_at, now=now),
                (job.source_path or "").rpartition("/")[2],
                job.error_code or "",
            ]
            for job in jobs
        ],
    )
    if following is not None:
        output.say(f"more: --after {following}")
