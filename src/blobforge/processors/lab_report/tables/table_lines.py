"""A line under a table's head: each column says what its tokens are."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from blobforge.processors.lab_report.lines.loinc_codes import is_code
from blobforge.processors.lab_report.lines.observation import Observation, clean_name
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine, joined
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.lines.unit_pairs import read_pair
from blobforge.processors.lab_report.notation.ranges import is_range, printed_range
from blobforge.processors.lab_report.notation.units import is_unit, printed_unit
from blobforge.processors.lab_report.tables.lab_table import ColumnCell, LabTable, cells_in
from blobforge.processors.lab_report.vocabulary import limits, outcomes, phrases
from blobforge.processors.lab_report.vocabulary.patterns import any_term

_MEASURED = ("NUMBER", "LIMIT")
_UNIT_TEXT = re.compile(r"[\w%‰/µμ.,·*×^°²³⁰-⁹\s()\[\]-]{1,24}")
_IN_A_FIELD = re.compile(rf"{any_term('units', 'in_a_field')}\s\S+(?:\s\S+)?", re.IGNORECASE)
_RESULT = ("value", "unit", "range", "flag", "")
# Where no column has the ranges; an earlier result is a number, and what stands behind it is none.
_BESIDE = ("unit", "flag", "", "method", "other", "previous")
_OTHERS = ("range", "low", "high", "previous", "code", "other")
_SHORT_RANGE = 40
_SHORT_UNIT = 4
_AT_MARGIN = 3.0
_NAME_OVERLAP = 2
_NO_RANGE = re.compile(
    rf"[\W_]*(?:(?:n[°º]|№)\s*[\d/-]+|{phrases.PAGE}\.?\s*\d.*|{limits.NO_RANGE}|n/?a|{phrases.SEE}\s?\w+\.?)?[\W_]*",
    re.IGNORECASE,
)


def read_table_line(line: TaggedLine, table: LabTable) -> Observation | None:
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
        return Observation(name, words=_text(line, value.places), unit=None, range=_range(line, cells, value, None))
    unit, unit_mark = _unit(line, cells, value)
    behind = _unit_behind(line, own) if unit is None else []
    if behind:
        # Where nothing is before it, the name stands above.
        name, unit = clean_name(_text(line, own[: -len(behind)])), printed_unit(_text(line, behind))
    unit = unit or next(
        (column.unit for column, cell in zip(table.columns, cells, strict=True) if cell.places == value.places), None
    )
    return Observation(
        name,
        value=line.number(measured),
        comparator=line.comparator(measured),
        unit=unit,
        range=_range(line, cells, value, unit_mark),
        flag=next(
            (line.text(span.first, span.last) for cell in cells for span in cell.spans if _is_flag(span, cell)), None
        ),
        code=line.code or next((text for text in _texts(line, cells, "code") if is_code(text)), None),
    )


def read_table_pair(line: TaggedLine, table: LabTable, observation: Observation) -> tuple[Observation, ...]:
    """The observations of a row that gives its result in two units."""
    spans = [span for cell in cells_in(line, table) if cell.kind in _RESULT for span in cell.spans]
    return (
        read_pair(line, sorted(spans, key=lambda span: span.first), observation)
        if observation.value
        else (observation,)
    )


def has_only_earlier(line: TaggedLine, table: LabTable) -> bool:
    """A name with results of earlier days and none of the day that counts."""
    cells = cells_in(line, table)
    if not _places(cells, "name") or _places(cells, "value"):
        return False
    earlier = [span for cell in cells if cell.kind == "previous" and (span := _measured(cell)) is not None]
    return any(_label_before(line, span.first) not in (":", "=") for span in earlier)


def places_of_others(line: TaggedLine, tables: Sequence[LabTable]) -> frozenset[int]:
    """Tokens that a table's head tells to be no result, in a line that has a name where the names are: what stands in
    the columns of ranges and of earlier results. But a number behind a colon is labelled by the line itself."""
    found: set[int] = set()
    for table in tables:
        cells = cells_in(line, table)
        if _places(cells, "name"):
            found.update(place for kind in _OTHERS for place in _places(cells, kind))
    return frozenset(place for place in found if _label_before(line, place) not in (":", "="))


def _label_before(line: TaggedLine, place: int) -> str:
    before = (token.text for token in reversed(line.tokens[:place]) if token.kind not in ("gap", "flag", "compare"))
    return next(before, "")


def _with_whole_name(line: TaggedLine, cells: list[ColumnCell]) -> list[ColumnCell]:
    """A name that reaches into the next column, without a gap, ends there: its words are no value."""
    names = _places(cells, "name")
    if not names:
        return cells
    end = names[-1] + 1
    while (
        end < len(line.tokens)
        and line.tokens[end].kind in ("word", "punctuation")
        and line.tokens[end].cell == line.tokens[end - 1].cell
    ):
        end += 1
    more = tuple(range(names[-1] + 1, end))
    if sum(line.tokens[place].kind == "word" for place in more) > _NAME_OVERLAP:
        return cells
    return [
        cell._replace(
            places=(*cell.places, *more)
            if names[-1] in cell.places
            else tuple(place for place in cell.places if place not in more)
        )
        for cell in cells
    ]


def _unit_behind(line: TaggedLine, places: Sequence[int]) -> Sequence[int]:
    """The last cell of the column of names, where it is nothing but a unit and not part of a known name."""
    last = [place for place in places if line.tokens[place].cell == line.tokens[places[-1]].cell]
    named = {place for span in line.names for place in range(span.first, span.last + 1)}
    return last if all(line.tokens[place].kind == "unit" and place not in named for place in last) else []


def _of_name(line: TaggedLine, places: Sequence[int], table: LabTable) -> Sequence[int]:
    """Without what stands beside the name in a cell of its own: the number of the line, a flag, the section's title."""
    cells = [list(cell) for _, cell in groupby(places, key=lambda place: line.tokens[place].cell)]
    margin = next(column.x0 for column in table.columns if column.kind == "name")
    begins = [at for at, cell in enumerate(cells) if abs(line.tokens[cell[0]].x0 - margin) < _AT_MARGIN]
    own = cells[begins[0] :] if begins else cells
    plain = [cell for cell in own if len(cell) > 1 or line.tokens[cell[0]].kind not in ("number", "flag")]
    return [place for cell in plain for place in cell]


def _is_flag(span: TaggedSpan, cell: ColumnCell) -> bool:
    return span.label == "FLAG" and cell.kind not in ("name", "previous", "method", "other")


def _measured(cell: ColumnCell) -> TaggedSpan | None:
    """A number, before any range: 2-3 cells in a field is no number."""
    found = [span for span in cell.spans if span.label in (*_MEASURED, "RANGE")]
    return found[0] if found and found[0].label in _MEASURED else None


def _has_words(line: TaggedLine, cell: ColumnCell) -> bool:
    """Text in the column of values that is neither flag nor unit: a remark, or a sentence that runs through it."""
    marked = {place for span in cell.spans for place in range(span.first, span.last + 1)}
    words = [place for place in cell.places if place not in marked and line.tokens[place].kind == "word"]
    return bool(words) and (len(words) > 1 or words[0] == cell.places[0])


def _runs_across(line: TaggedLine, table: LabTable) -> bool:
    """A word over the edge between names and values: a sentence."""
    kinds = [column.kind for column in table.columns]
    edges = [table.edges[place + 1] for place in range(len(kinds) - 1) if "name" in kinds[place : place + 2]]
    return any(word.x0 < edge - 2 and word.x1 > edge + 2 for word in line.row.words for edge in edges)


def _unit(line: TaggedLine, cells: Sequence[ColumnCell], value: ColumnCell) -> tuple[str | None, TaggedSpan | None]:
    """From its own column, or else beside the value, or else behind the range; and where it was found."""
    for cell in cells:
        if cell.kind != "unit":
            continue
        span = next((span for span in cell.spans if span.label == "UNIT"), None)
        if span is not None and not any(other.label in ("RANGE", "LIMIT") for other in cell.spans):
            reaches_over = span.last not in cell.places
            return printed_unit(
                line.text(span.first, span.last) if reaches_over else _text(line, _without_flags(line, cell))
            ), span
        if span is not None:
            return printed_unit(line.text(span.first, span.last)), span
        text = _text(line, cell.places)
        if text and _is_unit_text(text, cell):
            return printed_unit(text), None
    for cell in (value, *(cell for cell in cells if cell.kind in ("flag", "", "other")), *_ranges(cells)):
        span = next((span for span in cell.spans if span.label == "UNIT"), None)
        if span is not None:
            return printed_unit(line.text(span.first, span.last)), span
    return _short_unit(line, value), None


def _short_unit(line: TaggedLine, value: ColumnCell) -> str | None:
    """An abbreviation in capitals behind the number, whatever it stands for: 2.84 COI."""
    measured = _measured(value)
    after = line.tokens[measured.last + 1] if measured and measured.last + 1 in value.places else None
    is_short = after is not None and after.kind == "word" and len(after.text) <= _SHORT_UNIT and after.text.isupper()
    return after.text if after is not None and is_short else None


def _ranges(cells: Iterable[ColumnCell]) -> list[ColumnCell]:
    return [cell for cell in cells if cell.kind == "range"]


def _is_unit_text(text: str, cell: ColumnCell) -> bool:
    if _IN_A_FIELD.fullmatch(text):
        return True
    if any(span.label in ("RANGE", "LIMIT", "NUMBER", "FLAG", "OUTCOME", "DATE") for span in cell.spans):
        return False
    words = text.split()
    is_short = len(words) == 1 or (len(words) == 2 and any(map(is_unit, words)))
    return _UNIT_TEXT.fullmatch(text) is not None and any(map(str.isalpha, text)) and is_short


def _without_flags(line: TaggedLine, cell: ColumnCell) -> list[int]:
    return [place for place in cell.places if line.tokens[place].kind != "flag" or len(cell.places) == 1]


def _range(line: TaggedLine, cells: Sequence[ColumnCell], value: ColumnCell, unit: TaggedSpan | None) -> str | None:
    ends = [next(iter(_texts(line, cells, kind)), "") for kind in ("low", "high")]
    if any(map(any_digit, ends)):
        return " - ".join(end for end in ends if end)
    own = next((cell for cell in cells if cell.kind == "range" and cell.places), None)
    if own is not None:
        text = _range_text(line, own, unit)
        if text:
            return text
    for cell in (value, *(cell for cell in cells if cell.kind in _BESIDE)):
        span = next((span for span in cell.spans if span.label == "RANGE"), None) or _limit_behind(cell)
        if span is not None:
            return printed_range(line.text(span.first, span.last))
    return None


def _limit_behind(cell: ColumnCell) -> TaggedSpan | None:
    """A limit that stands behind the value, in its cell: 5.1 mmol/L (< 5.6)."""
    measured = _measured(cell)
    return next(
        (span for span in cell.spans if span.label == "LIMIT" and measured and span.first > measured.last), None
    )


def any_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _range_text(line: TaggedLine, cell: ColumnCell, unit: TaggedSpan | None) -> str | None:
    """All that the column holds, but for flags beside the range, a unit that is found nowhere else, and side notes."""
    dropped = set(range(unit.first, unit.last + 1)) if unit is not None and _ends_with(line, cell, unit) else set()
    runs: dict[int, list[int]] = {}
    for place in cell.places:
        if place not in dropped:
            runs.setdefault(line.tokens[place].cell, []).append(place)
    texts = [_text(line, _bare(line, run)) for run in runs.values()]
    at = next((at for at, text in enumerate(texts) if is_range(text)), None)
    whole = " ".join(text for text in texts if text)
    if at is not None:
        step = at and phrases.is_grade(texts[at - 1]) and not outcomes.is_flag(texts[at - 1])
        return printed_range(" ".join(texts[at - 1 : at + 1]) if step else texts[at])
    if is_range(whole) or (0 < len(whole) <= _SHORT_RANGE and not _NO_RANGE.fullmatch(whole)):
        return printed_range(whole)
    return None


def _ends_with(line: TaggedLine, cell: ColumnCell, unit: TaggedSpan) -> bool:
    """A unit in the midst of the text (% of total) is part of what the column says."""
    if unit.first not in cell.places:
        return False
    return unit.last == cell.places[-1] or line.tokens[unit.last + 1].kind in ("punctuation", "gap")


def _bare(line: TaggedLine, places: Sequence[int]) -> list[int]:
    """Without flags at the ends, unless there is nothing else."""
    kept = list(places)
    # H: 13 - 17 is for men.
    while len(kept) > 1 and line.tokens[kept[0]].kind == "flag" and line.tokens[kept[1]].text != ":":
        kept.pop(0)
    # < 40 Low is a step of a scale.
    is_step = len(kept) > 2 and line.tokens[kept[0]].kind == "compare" and line.tokens[kept[-1]].text.isalpha()
    while kept and line.tokens[kept[-1]].kind == "flag" and len(kept) > 1 and not is_step:
        kept.pop()
    return kept


def _places(cells: Iterable[ColumnCell], kind: str) -> list[int]:
    return [place for cell in cells if cell.kind == kind for place in cell.places]


def _texts(line: TaggedLine, cells: Iterable[ColumnCell], kind: str) -> list[str]:
    return [_text(line, cell.places) for cell in cells if cell.kind == kind and cell.places]


def _text(line: TaggedLine, places: Iterable[int]) -> str:
    return joined(line.tokens[place] for place in places)
