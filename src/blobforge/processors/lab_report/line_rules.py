"""One line by itself: a row of a table, a free one, a result in words, or a value whose name is elsewhere."""

from collections.abc import Sequence

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.found import EARLIER, FREE_ROW, NAMELESS, TABLE_ROW, WORDS, Found
from blobforge.processors.lab_report.free_rows import read_free_line, read_nameless_line
from blobforge.processors.lab_report.labels import begins_with_birth
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.ranges import is_range
from blobforge.processors.lab_report.readings import Reading, can_be_name, is_known, is_step, with_unit_of_name
from blobforge.processors.lab_report.rows import cells_of
from blobforge.processors.lab_report.running_text import is_sentence
from blobforge.processors.lab_report.table_rows import (
    has_only_earlier,
    places_of_others,
    read_table_line,
    read_table_pair,
)
from blobforge.processors.lab_report.tables import Table
from blobforge.processors.lab_report.units import is_unit
from blobforge.processors.lab_report.words import text_of
from blobforge.processors.lab_report.wrapping import is_under_range

_LONGEST_TOLD = 4
_RANGES = ("range", "low", "high")


def read_line(line: Line, tables: Sequence[Table], lexicon: Lexicon) -> Found:
    """By the surest rule that fits."""
    if is_under_range(line, tables) or is_sentence(line) or _tells_birthday(line):
        return Found(line)
    in_tables = _in_tables(line, tables)
    has_ranges = any(column.kind in _RANGES for table in tables for column in table.columns)
    rows = tuple(reading for reading in in_tables if _is_row(reading, lexicon, has_ranges=has_ranges))
    if rows:
        return Found(line, TABLE_ROW, rows)
    if any(has_only_earlier(line, table) for table in tables):
        return Found(line, EARLIER)
    words = tuple(reading for reading in in_tables if _is_in_words(line, reading, lexicon))
    if words and all(vocabulary.is_outcomes(reading.words or "") for reading in words):
        return Found(line, WORDS, words)
    return _read_freely(line, tables, in_tables, words, lexicon)


def _tells_birthday(line: Line) -> bool:
    """The head of a page, under the table of the page before it."""
    is_dated = any(mark.label == "DATE" for mark in line.marks)
    return is_dated and any(begins_with_birth(text_of(cell)) for cell in cells_of(line.row))


def _in_tables(line: Line, tables: Sequence[Table]) -> tuple[Reading, ...]:
    return tuple(
        with_unit_of_name(each)
        for table in tables
        if (reading := read_table_line(line, table)) is not None
        for each in read_table_pair(line, table, reading)
    )


def _read_freely(
    line: Line,
    tables: Sequence[Table],
    in_tables: Sequence[Reading],
    words: tuple[Reading, ...],
    lexicon: Lexicon,
) -> Found:
    others = places_of_others(line, tables)
    free = tuple(with_unit_of_name(reading) for reading in read_free_line(line, lexicon, others))
    nameless = tuple(reading for reading in in_tables if reading.value and not reading.name)
    is_beside = bool(nameless) or not any(reading.value for reading in in_tables)
    if free and not _names_no_test(free[0].name, is_beside=bool(tables) and is_beside):
        return Found(line, FREE_ROW, free)
    if words and not free:
        return Found(line, WORDS, words)
    if free and not nameless and not vocabulary.is_value_head(free[0].name):
        return Found(line)
    nameless = nameless or free or _nameless(line)
    return Found(line, NAMELESS if nameless else None, nameless)


def _names_no_test(name: str, *, is_beside: bool) -> bool:
    """The head of its column, or beside the column of names its unit or its method: the name is in another line."""
    return vocabulary.is_value_head(name) or (is_beside and (vocabulary.is_technique(name) or is_unit(name)))


def _nameless(line: Line) -> tuple[Reading, ...]:
    reading = read_nameless_line(line)
    return (reading,) if reading else ()


def _is_row(reading: Reading, lexicon: Lexicon, *, has_ranges: bool) -> bool:
    if not reading.value or not reading.name:
        return False
    known = is_known(reading.name, reading.unit, lexicon)
    # In a column of names, a colon parts no label from its text where the row has all there is: IgE: birch.
    is_whole = is_unit(reading.unit or "") and is_range(reading.range or "")
    name = reading.name.replace(":", "") if is_whole else reading.name
    if not can_be_name(name, known=known) or "|" in name:
        return False
    if is_step(reading):
        return False
    # A limit alone is a step of a scale, unless it is known what was measured or no result has more than that.
    if reading.comparator is not None:
        has_unit = is_unit(reading.unit or "")
        return known or (has_unit and not has_ranges) or (reading.range is not None and (has_unit or not reading.unit))
    has_measure = reading.unit is not None or reading.range is not None
    return known or has_measure or vocabulary.names_quotient(reading.name)


def _is_in_words(line: Line, reading: Reading, lexicon: Lexicon) -> bool:
    if reading.words is None or not can_be_name(reading.name, known=is_known(reading.name, None, lexicon)):
        return False
    is_told = any(mark.label in ("OUTCOME", "RANGE", "FLAG", "LIMIT") for mark in line.marks)
    return is_told and len(reading.words.split()) <= _LONGEST_TOLD
