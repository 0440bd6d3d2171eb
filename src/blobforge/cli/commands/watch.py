"""`blobforge watch`: the dashboard, drawn again and again."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, output
from blobforge.cli.output import json_option
from blobforge.cli.overview.facts import Overview, look
from blobforge.cli.signals import stopped_by
from blobforge.clock import SystemClock
from blobforge.domain.errors import StoreUnavailable

if TYPE_CHECKING:
    from blobforge.ports.coordinator import Coordinator


@click.command()
@click.option(
    "--interval",
    default=2.0,
    show_default=True,
    type=click.FloatRange(min=0.2, max=3600),
    metavar="SECONDS",
    help="The time between two looks.",
)
@json_option
def command(*, interval: float, as_json: bool) -> None:
    """Show the dashboard and keep it up to date, until Ctrl-C.

    On a terminal it has the screen for itself and gives it back as it was; elsewhere it is printed again and again.

    With --json: the document of `dashboard --json` at each look, one on each line.
    """
    from blobforge import wiring

    settings = context.settings()
    opened = wiring.open_coordinator(settings)
    stop = threading.Event()
    lost_after = timedelta(seconds=settings.worker.lease_seconds)
    with (
        closing(opened),
        stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, stop=lambda _: stop.set()),
    ):
        looks = _looks(opened.coordinator, settings.project, lost_after, interval, stop)
        if as_json:
            _print_documents(looks)
        elif output.is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb":
            _draw(looks)
        else:
            _print_boards(looks)


Look = Overview | StoreUnavailable
FOOT_LINES = 3
"""An empty one, a message, and one to spare for a long message."""


def _looks(
    coordinator: "Coordinator", project: str, lost_after: timedelta, interval: float, stop: threading.Event
) -> Iterator[Look]:
    """One look after the other; the first error is raised, for then there is nothing to show."""
    yield look(coordinator, project=project, now=SystemClock().now(), lost_after=lost_after)
    while not stop.wait(interval):
        try:
            yield look(coordinator, project=project, now=SystemClock().now(), lost_after=lost_after)
        except StoreUnavailable as error:
            yield error


def _print_documents(looks: Iterator[Look]) -> None:
    import json

    from blobforge.cli.overview.as_json import overview_json

    for seen in looks:
        if isinstance(seen, StoreUnavailable):
            output.warn(str(seen))
        else:
            click.echo(json.dumps(overview_json(seen)))
            sys.stdout.flush()


def _print_boards(looks: Iterator[Look]) -> None:
    from blobforge.cli.overview.board import SHORT, board
    from blobforge.cli.overview.paper import console, paper_of

    shown = console()
    for number, seen in enumerate(looks):
        if isinstance(seen, StoreUnavailable):
            output.warn(str(seen))
            continue
        if number:
            shown.print()
        shown.print(board(seen, paper_of(shown), SHORT))
        sys.stdout.flush()


def _draw(looks: Iterator[Look]) -> None:
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from blobforge.cli.overview.board import board, rows_for
    from blobforge.cli.overview.paper import console, paper_of

    shown = console()
    last: Overview | None = None
    with Live(console=shown, screen=True, auto_refresh=False) as live:
        for seen in looks:
            if isinstance(seen, Overview):
                last, foot = seen, Text("Ctrl-C ends", style="dim")
            else:
                foot = Text(f"the queue does not answer: {output.printable(str(seen), sys.stdout)}", style="red")
            assert last is not None, "the first look raises its error"
            rows = rows_for(last, height=shown.height - FOOT_LINES)
            live.update(Group(board(last, paper_of(shown), rows), Text(), foot), refresh=True)
