"""Tables that fit: where a terminal is narrow, the least important columns are left out, and long names are cut."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

GAP = 2
LEAST = 28
"""A column that may be cut keeps so many characters."""


class Field(NamedTuple):
    """`rank` 0 is always shown; the higher, the sooner it is left out. `cut`: its end may be left out, as of names."""

    title: str
    rank: int = 0
    right: bool = False
    cut: bool = False


def fitted(fields: Sequence[Field], rows: Sequence[Sequence[Text]], *, width: int) -> Table:
    """Columns in which no row has anything are left out too."""
    shown = [place for place, field in enumerate(fields) if not field.rank or any(row[place].plain for row in rows)]
    while _needs(fields, rows, shown) > width and any(fields[place].rank for place in shown):
        shown.remove(max(shown, key=lambda place: fields[place].rank))
    widths = _widths(fields, rows, shown, width)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim", show_edge=False)
    for place in shown:
        field = fields[place]
        table.add_column(
            field.title,
            justify="right" if field.right else "left",
            no_wrap=True,
            overflow="ellipsis",
            width=widths[place],
        )
    for row in rows:
        table.add_row(*(row[place] for place in shown))
    return table


def _needs(fields: Sequence[Field], rows: Sequence[Sequence[Text]], shown: Sequence[int]) -> int:
    widths = (_width(fields[place], rows, place) for place in shown)
    kept = (min(width, LEAST) if fields[place].cut else width for place, width in zip(shown, widths, strict=True))
    return sum(kept) + GAP * (len(shown) - 1)


def _widths(
    fields: Sequence[Field], rows: Sequence[Sequence[Text]], shown: Sequence[int], width: int
) -> dict[int, int]:
    """As wide as what they hold; those that may be cut share what is left, the shortest first."""
    widths = {place: _width(fields[place], rows, place) for place in shown}
    cut = sorted((place for place in shown if fields[place].cut), key=widths.__getitem__)
    left = width - GAP * (len(shown) - 1) - sum(widths[place] for place in shown if place not in cut)
    for number, place in enumerate(cut):
        widths[place] = max(min(widths[place], left // (len(cut) - number)), 1)
        left -= widths[place]
    return widths


def _width(field: Field, rows: Sequence[Sequence[Text]], place: int) -> int:
    return max([len(field.title), *(row[place].cell_len for row in rows)])
