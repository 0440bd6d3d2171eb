"""`blobforge dashboard`: the queue, its workers and what they do, on one screen."""

from datetime import timedelta

import click

from blobforge.cli import context, output
from blobforge.cli.output import json_option
from blobforge.cli.overview.facts import look
from blobforge.clock import SystemClock


@click.command()
@click.option("-v", "--verbose", is_flag=True, help="Leave nothing out, and count by job type.")
@json_option
def command(*, verbose: bool, as_json: bool) -> None:
    """Show the queue, its workers and what they do.

    Progress is as of each worker's last heartbeat. With --json: project, now, counts by type and state, paused (types,
    with since and by), gaps (published results that miss pages, by type), doubts (those of repaired files or with
    doubtful pages), workers with their machine, metrics and jobs (a lost one's as it told them last), totals,
    seconds_left, failures.
    """
    from blobforge import wiring

    settings = context.settings_of_queue()
    opened = wiring.open_known_coordinator(settings)
    try:
        lost_after = timedelta(seconds=settings.worker.lease_seconds)
        seen = look(opened.coordinator, project=settings.project, now=SystemClock().now(), lost_after=lost_after)
    finally:
        opened.close()
    if as_json:
        from blobforge.cli.overview.as_json import overview_json

        output.print_json(overview_json(seen))
        return
    from blobforge.cli.overview.board import SHORT, board, verbose_board
    from blobforge.cli.overview.paper import console, paper_of
    from blobforge.cli.overview.showing import show

    shown = console()
    paper = paper_of(shown)
    show(shown, verbose_board(seen, paper) if verbose else board(seen, paper, SHORT))
