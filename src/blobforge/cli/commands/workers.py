"""`blobforge workers`: each worker, and all of them together."""

from datetime import timedelta

import click

from blobforge.cli import context, output
from blobforge.cli.output import json_option
from blobforge.cli.overview.facts import look_at_workers, totals_of
from blobforge.clock import SystemClock


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """List the workers with what they have done.

    The counts of a worker include those before its restarts. A worker that missed three heartbeats is shown as lost.

    With --json: workers (id, name, type, standing, last_heartbeat, slots, running, jobs, machine, metrics,
    run_windows, opens_at) and totals.
    """
    from blobforge import wiring

    settings = context.settings()
    opened = wiring.open_coordinator(settings)
    try:
        lost_after = timedelta(seconds=settings.worker.lease_seconds)
        seen = look_at_workers(opened.coordinator, now=SystemClock().now(), lost_after=lost_after)
    finally:
        opened.close()
    totals = totals_of(seen)
    if as_json:
        from blobforge.cli.overview.as_json import totals_json, worker_json

        output.print_json({"workers": [worker_json(worker) for worker in seen], "totals": totals_json(totals)})
        return
    if not seen:
        output.say("no worker is signed in; start one with 'blobforge worker'")
        return
    from blobforge.cli.overview.paper import console, paper_of
    from blobforge.cli.overview.showing import show
    from blobforge.cli.overview.workers import totals_line, workers_table

    shown = console()
    paper = paper_of(shown)
    show(shown, workers_table(seen, paper))
    show(shown, totals_line(totals, paper))
