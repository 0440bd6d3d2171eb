"""`blobforge janitor`: what time and crashes ask for, at once instead of now and then."""

import signal
import sys
import threading
from contextlib import closing

import click

from blobforge.cli import context, output
from blobforge.cli.job_table import print_jobs
from blobforge.cli.jobs import job_json
from blobforge.cli.number_range import within
from blobforge.cli.output import json_option
from blobforge.cli.progress import counted
from blobforge.cli.signals import set_from_handler, stopped_by
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.json_value import JsonObject
from blobforge.ports.coordinator import Coordinator, Swept
from blobforge.telemetry.lazy import LazyLogger

EVERY_SECONDS = 60.0
LEAST_SECONDS, MOST_SECONDS = 0.2, 86_400.0

log = LazyLogger(__name__)


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--loop", is_flag=True, help="Look again and again, until Ctrl-C.")
@click.option(
    "--every",
    type=float,
    callback=within(LEAST_SECONDS, MOST_SECONDS, of="seconds"),
    metavar="SECONDS",
    help=f"With --loop: the time between two looks.  [default: {EVERY_SECONDS:g}]",
)
@json_option
def command(*, dry_run: bool, loop: bool, every: float | None, as_json: bool) -> None:
    """Free the jobs of lost workers and the failed ones whose back-off is over, and repair the queue.

    Workers do the same by themselves now and then, so that nobody has to run it; it helps where no worker runs, and
    shows what is wrong. A job whose attempts are used up is dead afterwards, and is not retried by anyone but people.

    A queue in a bucket may hold traces of crashes and of other programs: each is told, and repaired where it is ours.

    With --json: woken, a list of jobs as in `list` as they are after it, or would be; mended, a list of texts;
    left_alone, a list of texts on what is not BlobForge's; dry_run. With --loop, one such document on each line.
    """
    from blobforge import wiring

    if every is not None and not loop:
        raise click.UsageError("--every goes with --loop")
    settings = context.settings()
    wiring.require_server_machine(settings, "janitor")
    if loop:
        context.start_logging(settings)
    with closing(wiring.open_known_coordinator(settings)) as opened:
        if loop:
            _look_again_and_again(opened.coordinator, every or EVERY_SECONDS, dry_run=dry_run, as_json=as_json)
            return
        swept = opened.coordinator.sweep(dry_run=dry_run)
    if as_json:
        output.print_json(_account(swept, dry_run=dry_run))
    else:
        _show(swept, dry_run=dry_run)


def _look_again_and_again(coordinator: Coordinator, every: float, *, dry_run: bool, as_json: bool) -> None:
    stop, known = threading.Event(), Swept([], [], [])
    with stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, stop=lambda _: set_from_handler(stop)):
        log.info("janitor started", every_seconds=every, dry_run=dry_run)
        while not stop.is_set():
            try:
                swept = coordinator.sweep(dry_run=dry_run)
            except StoreUnavailable as error:
                log.warning("the queue does not answer; waiting", error=str(error))
            else:
                _log(swept, known, dry_run=dry_run)
                known = swept
                if as_json:
                    output.print_json_line(_account(swept, dry_run=dry_run))
                    sys.stdout.flush()
            stop.wait(every)
        log.info("janitor ended")


def _log(swept: Swept, known: Swept, *, dry_run: bool) -> None:
    """Without what was told at the look before, and is still so."""
    for job in [job for job in swept.reaped if job not in known.reaped]:
        facts = {"job_id": job.id, "hash": job.source_hash, "now": job.state.value, "attempts": job.attempts}
        log.info("job would be reaped" if dry_run else "job reaped", **facts, code=job.error_code)
    for what in [what for what in swept.repaired if what not in known.repaired]:
        log.warning("inconsistency in the queue", what=what)
    for what in [what for what in swept.left_alone if what not in known.left_alone]:
        log.warning("foreign object left alone", what=what)


def _show(swept: Swept, *, dry_run: bool) -> None:
    if swept.reaped:
        print_jobs(swept.reaped)
    for what in (*swept.repaired, *swept.left_alone):
        output.print_line(what)
    jobs, repaired = counted(len(swept.reaped), "job"), _counted_inconsistencies(len(swept.repaired))
    others = f", {counted(len(swept.left_alone), 'foreign object')} left alone" if swept.left_alone else ""
    if not any(swept):
        output.say("everything is in order")
    elif dry_run:
        output.say(f"{jobs} would be freed, {repaired} found{others}; nothing was changed")
    else:
        output.say(f"{jobs} freed, {repaired} repaired{others}")


def _counted_inconsistencies(number: int) -> str:
    return "1 inconsistency" if number == 1 else f"{number} inconsistencies"


def _account(swept: Swept, *, dry_run: bool) -> JsonObject:
    # The names that scripts know.
    return {
        "woken": [job_json(job) for job in swept.reaped],
        "mended": [*swept.repaired],
        "left_alone": [*swept.left_alone],
        "dry_run": dry_run,
    }
