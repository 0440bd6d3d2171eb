"""One line by itself: a row of a table, a free one, a result in words, or a value whose name is elsewhere."""

from collections.abc import Sequence

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.free_lines import read_free_line, read_nameless_line
from blobforge.processors.lab_report.lines.observation import (
    Observation,
    can_be_name,
    is_known,
    is_step,
    with_unit_of_name,
)
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.running_text import is_sentence
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.notation.ranges import is_range
from blobforge.processors.lab_report.notation.units import is_unit
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.words import text_of
from blobforge.processors.lab_report.tables.lab_table import LabTable, is_under_range
from blobforge.processors.lab_report.tables.table_lines import (
    has_only_earlier,
    places_of_others,
    read_table_line,
    read_table_pair,
)
from blobforge.processors.lab_report.vocabulary import columns, outcomes, phrases
from blobforge.processors.lab_report.vocabulary.labels import begins_with_birth

_LONGEST_TOLD = 4
_RANGES = ("range", "low", "high")


def read_line(line: TaggedLine, tables: Sequence[LabTable], lexicon: Lexicon) -> LineRecord:
    """By the surest rule that fits."""
    if is_under_range(line, tables) or is_sentence(line) or _tells_birthday(line):
        return LineRecord(line)
    in_tables = _in_tables(line, tables)
    has_ranges = any(column.kind in _RANGES for table in tables for column in table.columns)
    rows = tuple(observation for observation in in_tables if _is_row(observation, lexicon, has_ranges=has_ranges))
    if rows:
        return LineRecord(line, Rule.TABLE_ROW, rows)
    if any(has_only_earlier(line, table) for table in tables):
        return LineRecord(line, Rule.EARLIER)
    words = tuple(observation for observation in in_tables if _is_in_words(line, observation, lexicon))
    if words and all(outcomes.is_outcomes(observation.words or "") for observation in words):
        return LineRecord(line, Rule.WORDS, words)
    return _read_freely(line, tables, in_tables, words, lexicon)


def _tells_birthday(line: TaggedLine) -> bool:
    """The head of a page, under the table of the page before it."""
    is_dated = any(span.label == "DATE" for span in line.spans)
    return is_dated and any(begins_with_birth(text_of(cell)) for cell in cells_of(line.row))


def _in_tables(line: TaggedLine, tables: Sequence[LabTable]) -> tuple[Observation, ...]:
    return tuple(
        with_unit_of_name(each)
        for table in tables
        if (observation := read_table_line(line, table)) is not None
        for each in read_table_pair(line, table, observation)
    )


def _read_freely(
    line: TaggedLine,
    tables: Sequence[LabTable],
    in_tables: Sequence[Observation],
    words: tuple[Observation, ...],
    lexicon: Lexicon,
) -> LineRecord:
    others = places_of_others(line, tables)
    free = tuple(with_unit_of_name(observation) for observation in read_free_line(line, lexicon, others))
    nameless = tuple(observation for observation in in_tables if observation.value and not observation.name)
    is_beside = bool(nameless) or not any(observation.value for observation in in_tables)
    if free and not _names_no_test(free[0].name, is_beside=bool(tables) and is_beside):
        return LineRecord(line, Rule.FREE_ROW, free)
    if words and not free:
        return LineRecord(line, Rule.WORDS, words)
    if free and not nameless and not columns.is_value_head(free[0].name):
        return LineRecord(line)
    nameless = nameless or free or _nameless(line)
    return LineRecord(line, Rule.NAMELESS if nameless else Rule.UNREAD, nameless)


def _names_no_test(name: str, *, is_beside: bool) -> bool:
    """The head of its column, or beside the column of names its unit or its method: the name is in another line."""
    return columns.is_value_head(name) or (is_beside and (phrases.is_technique(name) or is_unit(name)))


def _nameless(line: TaggedLine) -> tuple[Observation, ...]:
    observation = read_nameless_line(line)
    return (observation,) if observation else ()


def _is_row(observation: Observation, lexicon: Lexicon, *, has_ranges: bool) -> bool:
    if not observation.value or not observation.name:
        return False
    known = is_known(observation.name, observation.unit, lexicon)
    # In a column of names, a colon parts no label from its text where the row has all there is: IgE: birch.
    is_whole = is_unit(observation.unit or "") and is_range(observation.range or "")
    name = observation.name.replace(":", "") if is_whole else observation.name
    if not can_be_name(name, known=known) or "|" in name:
        return False
    if is_step(observation):
        return False
    # A limit alone is a step of a scale, unless it is known what was measured or no result has more than that.
    if observation.comparator is not None:
        has_unit = is_unit(observation.unit or "")
        return (
            known
            or (has_unit and not has_ranges)
            or (observation.range is not None and (has_unit or not observation.unit))
        )
    has_measure = observation.unit is not None or observation.range is not None
    return known or has_measure or outcomes.names_quotient(observation.name)


def _is_in_words(line: TaggedLine, observation: Observation, lexicon: Lexicon) -> bool:
    if observation.words is None or not can_be_name(observation.name, known=is_known(observation.name, None, lexicon)):
        return False
    is_told = any(span.label in ("OUTCOME", "RANGE", "FLAG", "LIMIT") for span in line.spans)
    return is_told and len(observation.words.split()) <= _LONGEST_TOLD
