"""`blobforge watch`: the dashboard, drawn again and again."""

import os
import signal
import sys
import threading
from contextlib import closing
from datetime import timedelta

import click

from blobforge.cli import context, output
from blobforge.cli.keys import ended_by_key
from blobforge.cli.number_range import within
from blobforge.cli.output import json_option
from blobforge.cli.overview.looking import looks
from blobforge.cli.signals import set_from_handler, stopped_by
from blobforge.clock import SystemClock

LEAST_SECONDS, MOST_SECONDS = 0.2, 3600.0


@click.command()
@click.option(
    "--interval",
    default=2.0,
    show_default=True,
    type=float,
    callback=within(LEAST_SECONDS, MOST_SECONDS, of="seconds"),
    metavar="SECONDS",
    help="The time between two looks.",
)
@json_option
def command(*, interval: float, as_json: bool) -> None:
    """Show the dashboard and keep it up to date, until q or Ctrl-C.

    On a terminal it has the screen for itself and gives it back as it was; elsewhere it is printed again and again.

    With --json: the document of `dashboard --json` at each look, one on each line.
    """
    from blobforge import wiring
    from blobforge.cli.overview import showing

    settings = context.settings_of_queue()
    opened = wiring.open_known_coordinator(settings)
    stop = threading.Event()
    with (
        closing(opened),
        stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, stop=lambda _: set_from_handler(stop)),
    ):
        seen = looks(
            opened.coordinator,
            project=settings.project,
            clock=SystemClock(),
            lost_after=timedelta(seconds=settings.worker.lease_seconds),
            every=timedelta(seconds=interval),
            stop=stop,
        )
        if as_json:
            showing.print_documents(seen)
        elif output.is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb":
            with ended_by_key(stop.set) as hears_keys:
                showing.draw(seen, ends="q or Ctrl-C ends" if hears_keys else "Ctrl-C ends")
        else:
            showing.print_boards(seen)
