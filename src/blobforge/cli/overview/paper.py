"""What a view is drawn on: how wide it is, which signs it can show, and how text from elsewhere is made safe for it."""

import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from blobforge.cli import output
from blobforge.domain.job import State

WITHOUT_TERMINAL = 120
"""Columns, where there is no terminal that has a width."""


class Signs(NamedTuple):
    full: str
    half: str
    rest: str
    live: str
    quiet: str
    lost: str
    bad: str
    between: str


LINES = Signs("━", "╸", "─", "●", "○", "✗", "✗", " · ")
PLAIN = Signs("#", "", "-", "*", "o", "x", "x", " | ")

STATE_STYLES = {
    State.PENDING: "blue",
    State.RUNNING: "cyan",
    State.COMPLETED: "green",
    State.FAILED: "yellow",
    State.DEAD: "red",
    State.CANCELLED: "dim",
}


class Paper(NamedTuple):
    """`clean` takes out of a text what would disturb a terminal, or cannot be shown on it."""

    width: int
    signs: Signs = LINES
    clean: Callable[[str], str] = str

    def text(self, text: str, style: str = "") -> Text:
        return Text(self.clean(text), style=style)

    def bar(self, share: float, *, width: int, style: str = "green") -> Text:
        halves = round(share * width * 2) if self.signs.half else 2 * round(share * width)
        full, half = divmod(halves, 2)
        done = self.signs.full * full + self.signs.half * half
        return Text.assemble((done, style), (self.signs.rest * (width - len(done)), "dim"))


def console() -> Console:
    """On stdout. Without colours there are no styles at all, and without a terminal nothing is cut to 80 columns."""
    width = None if output.is_terminal(sys.stdout) or "COLUMNS" in os.environ else WITHOUT_TERMINAL
    return Console(
        file=sys.stdout,
        highlight=False,
        markup=False,
        emoji=False,
        width=width,
        color_system="auto" if output.has_colour(sys.stdout) else None,
    )


def paper_of(shown: Console) -> Paper:
    signs = PLAIN if shown.options.ascii_only else LINES
    return Paper(shown.width, signs, lambda text: output.printable(text, sys.stdout))
