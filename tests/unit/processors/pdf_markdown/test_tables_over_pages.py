"""Rows at the edges of a table that goes on over pages stay as they are, and keep their labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.processors.pdf_markdown.whole_documents import Draw, converted
from tests.unit.processors.pdfs import HEIGHT

Row = tuple[str, str, str]
LONG = 30
TOP = 60.0


def sheet(rows: Sequence[Row], *, step: float, has_grid: bool) -> Draw:
    """Rows from the head of the page to its foot."""

    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 10)
        for place, (label, count, amount) in enumerate(rows):
            y = HEIGHT - TOP - step * place
            canvas.drawString(60, y, label)
            canvas.drawRightString(380, y, count)
            canvas.drawRightString(520, y, amount)
        if has_grid:
            levels = [HEIGHT - TOP + 14 - step * place for place in range(len(rows) + 1)]
            canvas.grid([54, 300, 390, 530], levels)

    return draw


def ledger(*, first: str, last: str, count: bool, pages: int = 4) -> list[list[Row]]:
    """On each page rows of its own, between one that takes up the sum and one that hands it on."""
    found: list[list[Row]] = []
    for page in range(pages):
        rows = [
            (f"Screw {LONG * page + place}", str(place * 7 % 90 + 3), f"{place * 31 + page}.50")
            for place in range(LONG)
        ]
        sum_of = [f"{1000 + 3517 * (page + place)}.92" for place in (0, 1)]
        found.append(
            [
                (first, str(153 + page) if count else "", sum_of[0]),
                *rows,
                (last, str(412 + page) if count else "", sum_of[1]),
            ]
        )
    return found


def cells(markdown: str) -> list[Row]:
    rows = [line.strip("|").split("|") for line in markdown.splitlines() if line.startswith("|") and "---" not in line]
    return [(row[0].strip(), row[1].strip(), row[2].strip()) for row in rows]


@pytest.mark.parametrize("has_grid", [False, True], ids=["plain", "grid"])
@pytest.mark.parametrize("step", [14.0, 20.0, 22.0])
@pytest.mark.parametrize(
    ("first", "last", "count"),
    [
        ("Brought forward", "Carried forward", False),
        ("Balance", "Carried forward", True),
        ("Carried over", "Carried over", False),
    ],
)
def test_each_row_at_the_edges_of_a_table_over_pages_stays_by_itself(
    tmp_path: Path, first: str, last: str, count: bool, step: float, has_grid: bool
) -> None:
    pages = ledger(first=first, last=last, count=count)

    found = converted(tmp_path / "a.pdf", *(sheet(rows, step=step, has_grid=has_grid) for rows in pages))

    assert cells(found) == [row for rows in pages for row in rows]


def test_a_sum_that_stands_apart_from_the_rows_keeps_its_label(tmp_path: Path) -> None:
    pages = [rows[1:] for rows in ledger(first="", last="Carried forward", count=False)]

    def with_sum(rows: Sequence[Row]) -> Draw:
        def draw(canvas: Any) -> None:
            sheet(rows[:-1], step=20, has_grid=False)(canvas)
            canvas.drawString(60, 62, rows[-1][0])
            canvas.drawRightString(520, 62, rows[-1][2])

        return draw

    found = converted(tmp_path / "a.pdf", *map(with_sum, pages))

    for rows in pages:
        assert f"{rows[-1][0]} {rows[-1][2]}" in found
