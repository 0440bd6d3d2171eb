"""A line under a table's head: each column says what its pieces are."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.codes import is_code
from blobforge.processors.lab_report.documents import Mark
from blobforge.processors.lab_report.lines import Line, joined
from blobforge.processors.lab_report.pairs import read_pair
from blobforge.processors.lab_report.ranges import is_range, printed_range
from blobforge.processors.lab_report.readings import Reading, clean_name
from blobforge.processors.lab_report.tables import Cell, Table, cells_in
from blobforge.processors.lab_report.units import is_unit, printed_unit

_MEASURED = ("NUMBER", "LIMIT")
_UNIT_TEXT = re.compile(r"[\w%‰/µμ.,·*×^°²³⁰-⁹\s()\[\]-]{1,24}")
_IN_A_FIELD = re.compile(r"(?:[ву]|in|per|par|por|im)\s\S+(?:\s\S+)?", re.IGNORECASE)
_RESULT = ("value", "unit", "range", "flag", "")
# Where no column has the ranges; an earlier result is a number, and what stands behind it is none.
_BESIDE = ("unit", "flag", "", "method", "other", "previous")
_OTHERS = ("range", "low", "high", "previous", "code", "other")
_SHORT_RANGE = 40
_SHORT_UNIT = 4
_AT_MARGIN = 3.0
_NAME_OVERLAP = 2
_NO_RANGE = re.compile(
    r"[\W_]*(?:(?:n[°º]|№)\s*[\d/-]+|(?:page|seite|página|hoja|pagina|стр\w*|стор\w*|лист|аркуш)\.?\s*\d.*|calc\w*\.?|final|n/?a|(?:see|vedi|siehe|ver|voir|см\.?|див\.?)\s?\w+\.?)?[\W_]*",
    re.IGNORECASE,
)


def read_table_line(line: Line, table: Table) -> Reading | None:
    """What the line says under this head; None where it is no row of the table."""
    cells = _with_whole_name(line, cells_in(line, table))
    own = _of_name(line, _places(cells, "name"), table)
    name = clean_name(_text(line, own))
    values = [cell for cell in cells if cell.kind == "value" and cell.places]
    if not values or _runs_across(line, table):
        return None
    value = next((cell for cell in values if _measured(cell)), values[0])
    measured = _measured(value)
    if measured is None or _has_words(line, value):
        if not name:
            return None
        return Reading(name, words=_text(line, value.places), unit=None, range=_range(line, cells, value, None))
    unit, unit_mark = _unit(line, cells, value)
    behind = _unit_behind(line, own) if unit is None else []
    if behind:
        # Where nothing is before it, the name stands above.
        name, unit = clean_name(_text(line, own[: -len(behind)])), printed_unit(_text(line, behind))
    unit = unit or next(
        (column.unit for column, cell in zip(table.columns, cells, strict=True) if cell.places == value.places), None
    )
    return Reading(
        name,
        value=line.number(measured),
        comparator=line.comparator(measured),
        unit=unit,
        range=_range(line, cells, value, unit_mark),
        flag=next(
            (line.text(mark.first, mark.last) for cell in cells for mark in cell.marks if _is_flag(mark, cell)), None
        ),
        code=line.code or next((text for text in _texts(line, cells, "code") if is_code(text)), None),
    )


def read_table_pair(line: Line, table: Table, reading: Reading) -> tuple[Reading, ...]:
    """The readings of a row that gives its result in two units."""
    marks = [mark for cell in cells_in(line, table) if cell.kind in _RESULT for mark in cell.marks]
    return read_pair(line, sorted(marks, key=lambda mark: mark.first), reading) if reading.value else (reading,)


def has_only_earlier(line: Line, table: Table) -> bool:
    """A name with results of earlier days and none of the day that counts."""
    cells = cells_in(line, table)
    if not _places(cells, "name") or _places(cells, "value"):
        return False
    earlier = [mark for cell in cells if cell.kind == "previous" and (mark := _measured(cell)) is not None]
    return any(_label_before(line, mark.first) not in (":", "=") for mark in earlier)


def places_of_others(line: Line, tables: Sequence[Table]) -> frozenset[int]:
    """Pieces that a table's head tells to be no result, in a line that has a name where the names are: what stands in
    the columns of ranges and of earlier results. But a number behind a colon is labelled by the line itself."""
    found: set[int] = set()
    for table in tables:
        cells = cells_in(line, table)
        if _places(cells, "name"):
            found.update(place for kind in _OTHERS for place in _places(cells, kind))
    return frozenset(place for place in found if _label_before(line, place) not in (":", "="))


def _label_before(line: Line, place: int) -> str:
    before = (piece.text for piece in reversed(line.pieces[:place]) if piece.kind not in ("gap", "flag", "compare"))
    return next(before, "")


def _with_whole_name(line: Line, cells: list[Cell]) -> list[Cell]:
    """A name that reaches into the next column, without a gap, ends there: its words are no value."""
    names = _places(cells, "name")
    if not names:
        return cells
    end = names[-1] + 1
    while (
        end < len(line.pieces)
        and line.pieces[end].kind in ("word", "mark")
        and line.pieces[end].cell == line.pieces[end - 1].cell
    ):
        end += 1
    more = tuple(range(names[-1] + 1, end))
    if sum(line.pieces[place].kind == "word" for place in more) > _NAME_OVERLAP:
        return cells
    return [
        cell._replace(
            places=(*cell.places, *more)
            if names[-1] in cell.places
            else tuple(place for place in cell.places if place not in more)
        )
        for cell in cells
    ]


def _unit_behind(line: Line, places: Sequence[int]) -> Sequence[int]:
    """The last cell of the column of names, where it is nothing but a unit and not part of a known name."""
    last = [place for place in places if line.pieces[place].cell == line.pieces[places[-1]].cell]
    named = {place for mark in line.names for place in range(mark.first, mark.last + 1)}
    return last if all(line.pieces[place].kind == "unit" and place not in named for place in last) else []


def _of_name(line: Line, places: Sequence[int], table: Table) -> Sequence[int]:
    """Without what stands beside the name in a cell of its own: the number of the line, a flag, the section's title."""
    cells = [list(cell) for _, cell in groupby(places, key=lambda place: line.pieces[place].cell)]
    margin = next(column.x0 for column in table.columns if column.kind == "name")
    begins = [at for at, cell in enumerate(cells) if abs(line.pieces[cell[0]].x0 - margin) < _AT_MARGIN]
    own = cells[begins[0] :] if begins else cells
    plain = [cell for cell in own if len(cell) > 1 or line.pieces[cell[0]].kind not in ("number", "flag")]
    return [place for cell in plain for place in cell]


def _is_flag(mark: Mark, cell: Cell) -> bool:
    return mark.label == "FLAG" and cell.kind not in ("name", "previous", "method", "other")


def _measured(cell: Cell) -> Mark | None:
    """A number, before any range: 2-3 cells in a field is no number."""
    found = [mark for mark in cell.marks if mark.label in (*_MEASURED, "RANGE")]
    return found[0] if found and found[0].label in _MEASURED else None


def _has_words(line: Line, cell: Cell) -> bool:
    """Text in the column of values that is neither flag nor unit: a remark, or a sentence that runs through it."""
    marked = {place for mark in cell.marks for place in range(mark.first, mark.last + 1)}
    words = [place for place in cell.places if place not in marked and line.pieces[place].kind == "word"]
    return bool(words) and (len(words) > 1 or words[0] == cell.places[0])


def _runs_across(line: Line, table: Table) -> bool:
    """A word over the edge between names and values: a sentence."""
    kinds = [column.kind for column in table.columns]
    edges = [table.edges[place + 1] for place in range(len(kinds) - 1) if "name" in kinds[place : place + 2]]
    return any(word.x0 < edge - 2 and word.x1 > edge + 2 for word in line.row.words for edge in edges)


def _unit(line: Line, cells: Sequence[Cell], value: Cell) -> tuple[str | None, Mark | None]:
    """From its own column, or else beside the value, or else behind the range; and where it was found."""
    for cell in cells:
        if cell.kind != "unit":
            continue
        mark = next((mark for mark in cell.marks if mark.label == "UNIT"), None)
        if mark is not None and not any(other.label in ("RANGE", "LIMIT") for other in cell.marks):
            reaches_over = mark.last not in cell.places
            return printed_unit(
                line.text(mark.first, mark.last) if reaches_over else _text(line, _without_flags(line, cell))
            ), mark
        if mark is not None:
            return printed_unit(line.text(mark.first, mark.last)), mark
        text = _text(line, cell.places)
        if text and _is_unit_text(text, cell):
            return printed_unit(text), None
    for cell in (value, *(cell for cell in cells if cell.kind in ("flag", "", "other")), *_ranges(cells)):
        mark = next((mark for mark in cell.marks if mark.label == "UNIT"), None)
        if mark is not None:
            return printed_unit(line.text(mark.first, mark.last)), mark
    return _short_unit(line, value), None


def _short_unit(line: Line, value: Cell) -> str | None:
    """An abbreviation in capitals behind the number, whatever it stands for: 2.84 COI."""
    measured = _measured(value)
    after = line.pieces[measured.last + 1] if measured and measured.last + 1 in value.places else None
    is_short = after is not None and after.kind == "word" and len(after.text) <= _SHORT_UNIT and after.text.isupper()
    return after.text if after is not None and is_short else None


def _ranges(cells: Iterable[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.kind == "range"]


def _is_unit_text(text: str, cell: Cell) -> bool:
    if _IN_A_FIELD.fullmatch(text):
        return True
    if any(mark.label in ("RANGE", "LIMIT", "NUMBER", "FLAG", "OUTCOME", "DATE") for mark in cell.marks):
        return False
    words = text.split()
    is_short = len(words) == 1 or (len(words) == 2 and any(map(is_unit, words)))
    return _UNIT_TEXT.fullmatch(text) is not None and any(map(str.isalpha, text)) and is_short


def _without_flags(line: Line, cell: Cell) -> list[int]:
    return [place for place in cell.places if line.pieces[place].kind != "flag" or len(cell.places) == 1]


def _range(line: Line, cells: Sequence[Cell], value: Cell, unit: Mark | None) -> str | None:
    ends = [next(iter(_texts(line, cells, kind)), "") for kind in ("low", "high")]
    if any(map(any_digit, ends)):
        return " - ".join(end for end in ends if end)
    own = next((cell for cell in cells if cell.kind == "range" and cell.places), None)
    if own is not None:
        text = _range_text(line, own, unit)
        if text:
            return text
    for cell in (value, *(cell for cell in cells if cell.kind in _BESIDE)):
        mark = next((mark for mark in cell.marks if mark.label == "RANGE"), None) or _limit_behind(cell)
        if mark is not None:
            return printed_range(line.text(mark.first, mark.last))
    return None


def _limit_behind(cell: Cell) -> Mark | None:
    """A limit that stands behind the value, in its cell: 5.1 mmol/L (< 5.6)."""
    measured = _measured(cell)
    return next(
        (mark for mark in cell.marks if mark.label == "LIMIT" and measured and mark.first > measured.last), None
    )


def any_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _range_text(line: Line, cell: Cell, unit: Mark | None) -> str | None:
    """All that the column holds, but for flags beside the range, a unit that is found nowhere else, and side notes."""
    dropped = set(range(unit.first, unit.last + 1)) if unit is not None and _ends_with(line, cell, unit) else set()
    runs: dict[int, list[int]] = {}
    for place in cell.places:
        if place not in dropped:
            runs.setdefault(line.pieces[place].cell, []).append(place)
    texts = [_text(line, _bare(line, run)) for run in runs.values()]
    at = next((at for at, text in enumerate(texts) if is_range(text)), None)
    whole = " ".join(text for text in texts if text)
    if at is not None:
        step = at and vocabulary.is_grade(texts[at - 1]) and not vocabulary.is_flag(texts[at - 1])
        return printed_range(" ".join(texts[at - 1 : at + 1]) if step else texts[at])
    if is_range(whole) or (0 < len(whole) <= _SHORT_RANGE and not _NO_RANGE.fullmatch(whole)):
        return printed_range(whole)
    return None


def _ends_with(line: Line, cell: Cell, unit: Mark) -> bool:
    """A unit in the midst of the text (% of total) is part of what the column says."""
    if unit.first not in cell.places:
        return False
    return unit.last == cell.places[-1] or line.pieces[unit.last + 1].kind in ("mark", "gap")


def _bare(line: Line, places: Sequence[int]) -> list[int]:
    """Without flags at the ends, unless there is nothing else."""
    kept = list(places)
    # H: 13 - 17 is for men.
    while len(kept) > 1 and line.pieces[kept[0]].kind == "flag" and line.pieces[kept[1]].text != ":":
        kept.pop(0)
    # < 40 Low is a step of a scale.
    is_step = len(kept) > 2 and line.pieces[kept[0]].kind == "compare" and line.pieces[kept[-1]].text.isalpha()
    while kept and line.pieces[kept[-1]].kind == "flag" and len(kept) > 1 and not is_step:
        kept.pop()
    return kept


def _places(cells: Iterable[Cell], kind: str) -> list[int]:
    return [place for cell in cells if cell.kind == kind for place in cell.places]


def _texts(line: Line, cells: Iterable[Cell], kind: str) -> list[str]:
    return [_text(line, cell.places) for cell in cells if cell.kind == kind and cell.places]


def _text(line: Line, places: Iterable[int]) -> str:
    return joined(line.pieces[place] for place in places)
