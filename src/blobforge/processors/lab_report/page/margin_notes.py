"""Notes beside a table: a column of running text at the right is read apart from the lines that it stands next to."""

import re
from collections.abc import Iterator, Sequence

from blobforge.processors.lab_report.page.rows import PrintedRow, cells_of
from blobforge.processors.lab_report.page.words import PositionedWord, text_of

_PROSE_WORDS = 5
_FEWEST = 3
_NEAR = 3.0
_FAR = 15
_FIGURE = re.compile(r"[<>≤≥(\[]?\s?\d+(?:[.,]\d+)?(?:\s?[-–].*)?[\])%]?")
_PLAIN = re.compile(r"[^\W\d_]{2,}[.,;:]?")


def without_margin_notes(rows: Sequence[PrintedRow]) -> list[PrintedRow]:
    """Rows of one page; what stands in a column of notes becomes a row of its own, after the row beside it."""
    margin = _margin(rows)
    if margin is None:
        return list(rows)
    return [part for row in rows for part in _parted(row, margin)]


def _margin(rows: Sequence[PrintedRow]) -> float | None:
    """Where notes begin: several cells of running text start there, right of other cells, and hardly any figures."""
    starts = [cell[0].x0 for row in rows for cell in cells_of(row)[1:] if is_prose(cell) and _has_main_text(row, cell)]
    for start in sorted(set(starts)):
        notes = sum(abs(other - start) < _NEAR for other in starts)
        figures = sum(_is_figure(cell) and cell[0].x0 >= start - _NEAR for row in rows for cell in cells_of(row)[1:])
        if notes >= _FEWEST and figures < notes:
            return start
    return None


def is_prose(cell: Sequence[PositionedWord], fewest: int = _PROSE_WORDS) -> bool:
    """Mostly words in small letters."""
    plain = [word.text for word in cell if _PLAIN.fullmatch(word.text)]
    small = sum(word.islower() for word in plain)
    return len(plain) >= fewest and small * 2 > len(plain)


def _has_main_text(row: PrintedRow, note: Sequence[PositionedWord]) -> bool:
    """More than a number before the note, and not close to it: the second paragraph of a list is no note."""
    before = [word for word in row.words if word.x1 < note[0].x0]
    letters = sum(character.isalpha() for word in before for character in word.text)
    return letters > 2 and note[0].x0 - before[0].x0 > _FAR * note[0].size


def _is_figure(cell: Sequence[PositionedWord]) -> bool:
    return _FIGURE.fullmatch(text_of(cell)) is not None


def _parted(row: PrintedRow, margin: float) -> Iterator[PrintedRow]:
    cells = cells_of(row)
    main = [word for cell in cells if cell[0].x0 < margin - _NEAR for word in cell]
    note = [word for cell in cells if cell[0].x0 >= margin - _NEAR for word in cell]
    for words in (main, note):
        if words:
            yield row._replace(words=tuple(words))
