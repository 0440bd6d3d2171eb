"""Tells texts of table cells from prose, lists and contents."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.model.table import Cell, DetectedTable, Row
from blobforge.processors.pdf_markdown.layout.text.list_contents import contents_in
from blobforge.processors.pdf_markdown.layout.text.list_entries import is_list

_LONG = 38
_SHORT = 3
_RANGE = 7
_TITLE_AND_PAGE = 2
_MOST = 0.8


def is_prose(rows: Iterable[Row]) -> bool:
    texts = [line.text for row in rows for line in row]
    is_long = sum(len(text) > _LONG for text in texts) > 0.5 * len(texts)
    return is_long or sum(text[:1].islower() for text in texts) > 0.55 * len(texts)


def is_text(rows: Iterable[Row]) -> bool:
    """Whether it is a line of running text with wide gaps in it: long pieces, that begin with small letters."""
    texts = [line.text for row in rows for line in row]
    return any(len(text) > _LONG for text in texts) and sum(text[:1].islower() for text in texts) > 0.5 * len(texts)


def is_mostly_prose(rows: Iterable[Row]) -> bool:
    """By letters: a number beside each note does not make the notes a table."""
    lengths = [len(line.text) for row in rows for line in row]
    return sum(length for length in lengths if length > _LONG) > 0.75 * sum(lengths)


def is_of_figures(rows: Iterable[Row]) -> bool:
    texts = [line.text for row in rows for line in row[1:]]
    figures = sum(len(text) <= _SHORT or any(map(str.isdigit, text)) for text in texts)
    return figures >= 0.6 * len(texts)


def begins_with_figures(rows: Iterable[Row], *, end: float) -> bool:
    """Whether what stands before `end`, the end of the first column, are numbers or ranges, such as a die shows."""
    firsts = [row[0].text for row in rows if row[0].left < end]
    numbered = sum(text[0].isdigit() and len(text) <= _RANGE for text in firsts)
    return numbered > _SHORT and numbered >= _MOST * len(firsts)


def entries_of_contents(rows: Sequence[Row]) -> set[int]:
    """The places of the rows that are a title and its page."""
    whole = {
        place: TextLine([word for line in row for word in line.words], row[0].base, row[0].style, row[0].order)
        for place, row in enumerate(rows)
        if len(row) <= _TITLE_AND_PAGE
    }
    entries = contents_in([*whole.values()])
    return {place for place, line in whole.items() if id(line) in entries}


def is_sparse(table: DetectedTable) -> bool:
    """Whether most cells are empty: the labels along the axes of a chart are in rows and columns too."""
    cells = [bool(cell) for row in table.rows for cell in row]
    return sum(cells) < 0.4 * len(cells)


def is_of_columns(table: DetectedTable) -> bool:
    """Whether each column is running text or a list for itself."""
    columns = [[row[column] for row in table.rows if row[column]] for column in _inner(table)]
    return all(
        is_list([word for line in cell for word in line.words] for cell in _without_title(cells))
        or _is_running([line for cell in cells for line in cell])
        for cells in columns
    )


def _without_title(cells: Sequence[Cell]) -> Sequence[Cell]:
    """Over a list may stand what it lists."""
    return cells[1:] if len(cells) > 1 else cells


def _is_running(lines: Sequence[TextLine]) -> bool:
    """Whether most lines end where the next word had no room any more."""
    if len(lines) <= _SHORT:
        return False
    end = max(line.right for line in lines)
    full = [
        len(upper.words) > _SHORT and upper.right + 0.2 * upper.size + lower.words[0].right - lower.left > end
        for upper, lower in pairwise(lines)
    ]
    return 2 * sum(full) > len(full)


def _inner(table: DetectedTable) -> range:
    return range(len(table.rows[0]))
