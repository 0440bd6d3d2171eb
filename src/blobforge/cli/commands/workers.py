"""`blobforge workers`: each worker, and all of them together."""

from collections.abc import Mapping
from datetime import timedelta

import click

from blobforge.cli import context, output, worker_accounts
from blobforge.cli.groups import HelpfulGroup
from blobforge.cli.output import Column, json_option
from blobforge.cli.overview.facts import look_at_workers, past_workers, totals_of
from blobforge.clock import SystemClock
from blobforge.domain.json_value import JsonObject
from blobforge.domain.worker_report import Metrics


@click.group(cls=HelpfulGroup, invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, *, as_json: bool) -> None:
    """List the workers with what they have done, or manage their accounts.

    The counts of a worker include those before its restarts. A worker that missed three heartbeats is shown as lost.

    With --json: workers (id, name, type, standing, last_heartbeat, slots, running, jobs, machine, metrics,
    run_windows, opens_at, has, and drained: the account by which it drains), past (name and metrics of those that are
    gone), and totals.
    """
    if ctx.invoked_subcommand is not None:
        if as_json:
            raise click.UsageError(f"write options behind '{ctx.invoked_subcommand}'")
        return
    _list(as_json=as_json)


for _account_command in worker_accounts.COMMANDS:
    command.add_command(_account_command)


def _list(*, as_json: bool) -> None:
    from blobforge import wiring

    settings = context.settings()
    opened = wiring.open_known_coordinator(settings)
    try:
        lost_after = timedelta(seconds=settings.worker.lease_seconds)
        now = SystemClock().now()
        seen = look_at_workers(opened.coordinator, now=now, lost_after=lost_after)
        past = past_workers(opened.coordinator.records(), seen, now=now)
    finally:
        opened.close()
    totals = totals_of(seen, past)
    if as_json:
        from blobforge.cli.overview.as_json import metrics_json, totals_json, worker_json

        gone: list[JsonObject] = [{"name": name, "metrics": metrics_json(metrics)} for name, metrics in past.items()]
        workers = [worker_json(worker) for worker in seen]
        output.print_json({"workers": workers, "past": gone, "totals": totals_json(totals)})
        return
    if not seen:
        output.say("no worker is signed in; start one with 'blobforge worker'")
        _tell_past(past)
        return
    from blobforge.cli.overview.paper import console, paper_of
    from blobforge.cli.overview.showing import show
    from blobforge.cli.overview.workers import totals_line, workers_table

    shown = console()
    paper = paper_of(shown)
    show(shown, workers_table(seen, paper))
    show(shown, totals_line(totals, paper))
    _tell_past(past)


def _tell_past(past: Mapping[str, Metrics]) -> None:
    if not past:
        return
    columns = [
        Column("PAST WORKER", keep=True),
        *(Column(title, right=True, keep=True) for title in ("DONE", "FAILED", "SIZE")),
    ]
    output.print_table(
        columns,
        [
            [name, str(done.jobs_completed), str(done.jobs_failed), output.size_text(done.bytes_processed)]
            for name, done in past.items()
        ],
    )
