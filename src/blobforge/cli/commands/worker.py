"""`blobforge worker`: takes jobs from the queue and does them."""

import signal
from collections.abc import Sequence

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.output import json_option
from blobforge.cli.signals import stopped_by
from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.ports.processor import Progress
from blobforge.worker.feed import Until


class LogOnly:
    """The loop logs what happens; a worker shows nothing beyond that."""

    def claimed(self, job: Job) -> None:
        """Logged by the loop."""

    def progressed(self, job: Job, progress: Progress) -> None:
        """Told with the heartbeat."""

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        """Logged by the loop."""

    def waiting(self, problem: StoreUnavailable) -> None:
        """Logged by the loop."""


@click.command()
@click.option("--slots", type=click.IntRange(min=1), help="Documents at the same time.  [default: all cores]")
@click.option("--type", "types", multiple=True, default=("pdf",), show_default=True, help="Job types to take.")
@click.option("--run-once", is_flag=True, help="Do one job, if there is one, and end.")
@click.option("--drain", is_flag=True, help="End when the queue is empty.")
@click.option("--on-term", type=click.Choice(["release", "finish"]), help="What SIGTERM does to running jobs.")
@click.option("--grace-seconds", type=float, help="How long 'finish' may take.")
@json_option
def command(
    *,
    slots: int | None,
    types: tuple[str, ...],
    run_once: bool,
    drain: bool,
    on_term: str | None,
    grace_seconds: float | None,
    as_json: bool,
) -> int:
    """Run a worker on the queue.

    The first SIGTERM or Ctrl-C hands running jobs back (or finishes them, with --on-term finish, for up to
    --grace-seconds); a second one skips the grace time.

    With --json, at the end: completed, failed, released, lost.
    """
    from blobforge import wiring

    if run_once and drain:
        raise click.UsageError("--run-once and --drain exclude each other")
    settings = context.settings(slots=slots, on_term=on_term, grace_seconds=grace_seconds)
    context.start_logging(settings)
    until = Until.ONE_JOB if run_once else Until.DRAINED if drain else Until.STOPPED
    opened = wiring.open_worker(settings, types=types, until=until, watcher=LogOnly())
    with stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, stop=opened.loop.stop):
        try:
            tally = opened.loop.run()
        finally:
            opened.close()
    facts = {
        "completed": tally.completed,
        "failed": tally.failed,
        "released": tally.released,
        "lost": tally.lost,
    }
    if as_json:
        output.print_json(facts)
    else:
        output.say(", ".join(f"{count} {what}" for what, count in facts.items()))
    return exit_codes.OK
