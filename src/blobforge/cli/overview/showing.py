"""Facts onto stdout: once, again and again on a pipe, or drawn anew on the screen of a terminal."""

import sys
from collections.abc import Iterable

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from blobforge.cli import output
from blobforge.cli.overview.as_json import overview_json
from blobforge.cli.overview.board import SHORT, board, rows_for
from blobforge.cli.overview.facts import Overview
from blobforge.cli.overview.looking import Look
from blobforge.cli.overview.paper import console, paper_of
from blobforge.domain.errors import StoreUnavailable

FOOT_LINES = 3
"""An empty one, a message, and one to spare where that is long."""


def show(shown: Console, what: RenderableType) -> None:
    """Through click, so that a reader who went away (`| head`) is answered as by every command."""
    with shown.capture() as captured:
        shown.print(what)
    click.echo(captured.get(), nl=False, color=True)


def print_documents(looks: Iterable[Look]) -> None:
    """One JSON document on each line."""
    for seen in looks:
        if isinstance(seen, StoreUnavailable):
            output.warn(str(seen))
        else:
            output.print_json_line(overview_json(seen))
            sys.stdout.flush()


def print_boards(looks: Iterable[Look]) -> None:
    """One below the other, with an empty line between them."""
    shown = console()
    between: list[RenderableType] = []
    for seen in looks:
        if isinstance(seen, StoreUnavailable):
            output.warn(str(seen))
        else:
            show(shown, Group(*between, board(seen, paper_of(shown), SHORT)))
            sys.stdout.flush()
            between = [Text()]


def draw(looks: Iterable[Look], *, ends: str) -> None:
    """On a screen of its own; what was there before is there again at the end. `ends` says how it comes to that."""
    shown = console()
    last: Overview | None = None
    with Live(console=shown, screen=True, auto_refresh=False) as live:
        for seen in looks:
            if isinstance(seen, StoreUnavailable):
                foot = Text(output.printable(f"the queue does not answer: {seen}", sys.stdout), style="red")
            else:
                last, foot = seen, Text(ends, style="dim")
            parts: list[RenderableType] = [Text(), foot]
            if last is not None:
                parts.insert(0, board(last, paper_of(shown), rows_for(last, height=shown.height - FOOT_LINES)))
            live.update(Group(*parts), refresh=True)
