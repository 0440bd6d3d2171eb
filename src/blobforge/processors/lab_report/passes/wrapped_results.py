# ruff: noqa: RUF001 - all the dashes that are printed
"""Results on two lines: a range printed below its value, a name that goes on in the next line."""

import re
from collections.abc import Sequence

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.observation import Observation, clean_name
from blobforge.processors.lab_report.lines.spacing import is_close, is_note
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine, joined
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.notation.ranges import is_labelled, is_range, printed_range
from blobforge.processors.lab_report.notation.units import is_quotient, is_unit, printed_unit
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.words import text_of
from blobforge.processors.lab_report.tables.lab_table import LabTable, cells_in, is_under_range
from blobforge.processors.lab_report.vocabulary import columns, limits, phrases

_OPEN_END = re.compile(rf"[-/,(]$|\bn\.$|\b{phrases.OPEN_ENDS}$", re.IGNORECASE)
_FIRST_HALF = re.compile(rf"[(\[]?\d[\d.,]*\s*(?:[-‐‑‒–—−~÷]|{limits.JOINER})$", re.IGNORECASE)
_LAST_HALF = re.compile(r"\d[\d.,]*[)\]]?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NORMAL = re.compile(rf"{limits.NORMAL}\s*:?\s*[\d<>≤≥]", re.IGNORECASE)
_CLOSING = re.compile(r"[^()]{1,30}\)")
_LABEL_WORDS = 4
_NAME_WORDS = 8
_RANGE_WORDS = 12
_SAME_MARGIN = 1.0
_HALVED = 0.3
_NEARER = 0.75
_CLOSE = 1.4


def continued_range(
    above: TaggedLine, observation: Observation, line: TaggedLine, tables: Sequence[LabTable]
) -> Observation | None:
    """The observation with the range of this line, which holds nothing else."""
    if not is_close(above, line):
        return None
    text = line.row.text
    bare = printed_range(text)
    cells = [text_of(cell) for cell in cells_of(line.row)]
    labelled = _labelled(above, line, cells) if observation.range is None and len(cells) > 1 else None
    if labelled is not None:
        return observation._replace(range=printed_range(labelled))
    if observation.range is None:
        is_whole = bare is not None and is_range(bare) and _is_all_range(line, text)
        return observation._replace(range=bare) if is_whole else None
    if _goes_on_range(above, observation.range, line, tables):
        return observation._replace(
            range=_longer(above, observation.range, text if is_under_range(line, tables) else cells[-1])
        )
    return None


def _longer(above: TaggedLine, limits: str, more: str) -> str:
    """Of several groups, normal is one, and no label of the range."""
    closing = above.row.text[-1] if above.row.text.endswith((";", ",")) else ""
    raw = next((text for cell in cells_of(above.row) if _is_group(text := text_of(cell), limits)), limits)
    return f"{raw}{closing} {more.strip(' ,;')}"


def _is_group(text: str, limits: str) -> bool:
    return _NORMAL.match(text) is not None and printed_range(text) == limits


def _is_tight(above: TaggedLine, line: TaggedLine) -> bool:
    """As close as the lines of one cell."""
    return line.row.box.bottom - above.row.box.bottom < _CLOSE * line.row.size


def _labelled(above: TaggedLine, line: TaggedLine, cells: Sequence[str]) -> str | None:
    """A range with its label; an earlier result may stand beside it, or a note before it."""
    if is_labelled(cells[0]):
        return cells[0]
    if columns.is_range_head(cells[0]) and is_range(cells[1]):
        return cells[1]
    return next((cell for cell in cells[1:] if is_labelled(cell)), None) if is_note(above, line, cells[0]) else None


def _goes_on_range(above: TaggedLine, limits: str, line: TaggedLine, tables: Sequence[LabTable]) -> bool:
    """In a column of ranges, below the last part of it, or the next group of people with theirs: women: 6.0-13.0."""
    if not is_range(line.row.text) or not any(span.label in ("RANGE", "LIMIT") for span in line.spans):
        # More words on a group of people.
        is_short = len(line.row.text.split()) <= _LABEL_WORDS and any(map(str.isalnum, line.row.text))
        return (
            is_short and _is_tight(above, line) and is_under_range(line, tables) and _stands_below(above, limits, line)
        )
    if is_under_range(line, tables):
        return True
    if not is_range(limits) or len(line.row.text.split()) > _RANGE_WORDS:
        return False
    groups = [text.partition(":") for text in (limits, line.row.text)]
    is_group = all(colon and phrases.is_grade(group) for group, colon, _ in groups)
    return is_group or _stands_below(above, limits, line)


def _stands_below(above: TaggedLine, limits: str, line: TaggedLine) -> bool:
    *before, own = cells_of(line.row)
    ends = [printed_range(text_of(cell)) for cell in cells_of(above.row) if abs(cell[0].x0 - own[0].x0) < _SAME_MARGIN]
    is_below = any(end is not None and limits.endswith(end) for end in ends)
    return is_below and all(is_note(above, line, text_of(cell)) and not is_unit(text_of(cell)) for cell in before)


def continued_unit(above: TaggedLine, observation: Observation, line: TaggedLine) -> Observation | None:
    """The observation with the unit that stands alone below its name."""
    text = line.row.text
    is_at_margin = abs(line.row.box.x0 - above.row.box.x0) < 2.5 * line.row.size
    if observation.unit is not None or not observation.value or not is_at_margin or not is_close(above, line):
        return None
    return (
        observation._replace(unit=printed_unit(text)) if is_unit(text) and not is_quotient(text.strip("()")) else None
    )


def begins_range(above: TaggedLine, line: TaggedLine, below: TaggedLine | None, tables: Sequence[LabTable]) -> bool:
    """A range of several lines around its result: this one is much nearer to the line below than to the one above."""
    if below is None or not is_close(line, below) or not is_range(line.row.text) or not is_under_range(line, tables):
        return False
    rise = line.row.box.bottom - above.row.box.bottom if above.row.page == line.row.page else float("inf")
    return below.row.box.bottom - line.row.box.bottom < _NEARER * rise


def closed_range(above: TaggedLine, observation: Observation, line: TaggedLine) -> Observation | None:
    """With a range whose first end closes a cell with a dash, and whose other end alone is in this line."""
    other = line.row.text
    if not is_close(above, line) or not _LAST_HALF.fullmatch(other) or is_range(observation.range or ""):
        return None
    for cell in cells_of(above.row):
        text = text_of(cell)
        match = _FIRST_HALF.search(text)
        if match and abs(cell[-1].x1 - line.row.box.x0) < (cell[-1].x1 - cell[0].x0) + 2 * line.row.size:
            return observation._replace(range=printed_range(f"{match.group()} {other}"))
    return None


def continued_name(
    above: TaggedLine, observation: Observation, line: TaggedLine, lexicon: Lexicon
) -> Observation | None:
    """The observation with a name of two lines, where the first is unfinished or where only both are a known name."""
    text = line.row.text
    starts_alike = abs(line.row.box.x0 - above.row.box.x0) < 2.5 * line.row.size
    if not observation.name or not starts_alike or not is_close(above, line):
        return None
    is_open = observation.name.count("(") > observation.name.count(")")
    closes = is_open and _CLOSING.fullmatch(text) is not None
    if not closes and any(span.label in ("NUMBER", "RANGE") and not _is_year(line, span) for span in line.spans):
        return None
    if len(text.split()) > _LABEL_WORDS or len(cells_of(line.row)) > 1:
        return None
    printed = text_of(cells_of(above.row)[0])
    unfinished = is_open or _OPEN_END.search(printed)
    if is_note(above, line, text) and not unfinished:
        return None
    first = printed if clean_name(printed) == observation.name else observation.name
    whole = clean_name(f"{first} {text}")
    if (
        unfinished
        or _goes_on(above, line)
        or (not _finds(lexicon, observation.name, observation.unit) and _finds(lexicon, whole, observation.unit))
        # In brackets stands the abbreviation of the name, or else a method.
        or (text.startswith("(") and _finds(lexicon, text.strip("()"), observation.unit))
    ):
        return observation._replace(name=whole)
    return None


def _is_year(line: TaggedLine, span: TaggedSpan) -> bool:
    """As names have it: CKD-EPI 2009."""
    return _YEAR.fullmatch(line.text(span.first, span.last)) is not None


def continued_both(
    above: TaggedLine, result: TaggedLine, observation: Observation, line: TaggedLine, tables: Sequence[LabTable]
) -> Observation | None:
    """With name and range, which both go on in this line, and nothing does in the other columns. `result` is the
    line of the result, and `above` the last that went on it."""
    if observation.range is None or not is_close(above, line) or not _is_tight(above, line):
        return None
    for table in tables:
        cells = [cell for cell in cells_in(line, table) if cell.places]
        if [cell.kind for cell in cells] == ["name", "range"]:
            name, limits = (joined(line.tokens[place] for place in cell.places) for cell in cells)
            longer = observation._replace(range=f"{observation.range} {limits}")
            if observation.unit is None and is_unit(name):
                return longer._replace(unit=printed_unit(name))
            return (
                longer
                if is_note(result, line, name)
                else longer._replace(name=clean_name(f"{observation.name} {name}"))
            )
    return None


def labels_range(line: TaggedLine) -> bool:
    """Reference range: alone; the range itself is in the next line."""
    return any(
        span.label == "range"
        and span.first == 0
        and all(token.kind == "punctuation" for token in line.tokens[span.last + 1 :])
        for span in line.heads
    )


def _goes_on(above: TaggedLine, line: TaggedLine) -> bool:
    """In small letters, and closer than rows are: the rest of a sentence is further away, or longer."""
    fall = line.row.box.bottom - above.row.box.bottom
    return line.row.text[0].islower() and fall < _CLOSE * line.row.size


def name_around(
    above: TaggedLine | None, line: TaggedLine, below: TaggedLine | None, lines: int = 1
) -> tuple[TaggedLine, ...]:
    """The lines of text that hold the name of this line's value: above it, or half above and half below."""
    if above is None or not _is_text(above) or not is_close(above, line, lines):
        return ()
    if below is None or not _is_text(below) or below.row.page != line.row.page:
        return (above,)
    rise = line.row.box.bottom - above.row.box.bottom
    fall = below.row.box.bottom - line.row.box.bottom
    halved = abs(rise - fall) < _HALVED * line.row.size and rise < line.row.size
    return (above, below) if halved else (above,)


def _is_text(line: TaggedLine) -> bool:
    """A few words; a number may be part of a name, but not its beginning."""
    has_measures = any(
        span.label in ("LIMIT", "DATE") or (span.label in ("NUMBER", "RANGE") and span.first == 0)
        for span in line.spans
    )
    return not has_measures and 0 < len(line.row.text.split()) <= _NAME_WORDS and not line.row.text.endswith(":")


def _finds(lexicon: Lexicon, name: str, unit: str | None) -> bool:
    return lexicon.find(name, unit=unit) is not None


def _is_all_range(line: TaggedLine, text: str) -> bool:
    """No words but those that label a range; or its label, and the group of people that it is for."""
    if is_labelled(text) and len(text.split()) <= _RANGE_WORDS:
        return True
    marked = {place for span in line.spans for place in range(span.first, span.last + 1)}
    words = [
        token.text
        for place, token in enumerate(line.tokens)
        if token.kind in ("word", "outcome") and place not in marked and not phrases.is_grade(token.text)
    ]
    return (len(words) <= _LABEL_WORDS and printed_range(" ".join([*words, ":", "1"])) == "1") or not words
