"""Lines of a report for tests, written as text: two spaces and more make a gap, as they do on paper."""

import re
from functools import cache

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.lines.tagger import LineTagger
from blobforge.processors.lab_report.page.rows import PrintedRow, rows_of
from blobforge.processors.lab_report.page.words import PositionedWord

SIZE = 10.0
WIDTH = 5.0
LINE = 16.0


@cache
def tagger() -> LineTagger:
    return LineTagger("blank:xx", table())


def words(text: str, *, size: float = SIZE) -> list[PositionedWord]:
    """Each letter has the same width; an empty line is an empty line."""
    return [
        PositionedWord(found.group(), found.start() * WIDTH, top, found.end() * WIDTH - 1, top + size, size)
        for number, line in enumerate(text.strip("\n").splitlines())
        for top in (number * LINE,)
        for found in re.finditer(r"\S+", line)
    ]


def rows(text: str) -> list[PrintedRow]:
    return rows_of(1, words(text))


def moved(line: list[PositionedWord], fall: float) -> list[PositionedWord]:
    """Words further down: for lines that stand closer than lines do."""
    return [word._replace(top=word.top + fall, bottom=word.bottom + fall) for word in line]
