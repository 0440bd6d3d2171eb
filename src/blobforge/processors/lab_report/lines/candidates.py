"""A line without a table's head, in parts: where a name ends, which number is its value, what is its range."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.lab_report.lines.observation import Observation, clean_name
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.notation.ranges import printed_range
from blobforge.processors.lab_report.notation.units import printed_unit
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.tokens import LineToken
from blobforge.processors.lab_report.page.words import text_of
from blobforge.processors.lab_report.vocabulary import outcomes, phrases
from blobforge.processors.lab_report.vocabulary.limits import ends_range, is_range_label

_MEASURED = ("NUMBER", "LIMIT")
_YEAR = re.compile(r"(?:19|20)\d\d")


class LineSegment(NamedTuple):
    """Tokens `first` to `last` of a line that speak of one test."""

    first: int
    last: int


class ResultCandidate(NamedTuple):
    """An observation that is not judged yet; its name ends at this token, and this is its value."""

    observation: Observation
    segment: LineSegment
    name_end: int
    value: TaggedSpan


def segments_of(line: TaggedLine) -> Iterator[LineSegment]:
    """Two tests on a line: the second begins at a cell of words that follows a measurement and has one behind it."""
    first = 0
    gaps = [place for place, token in enumerate(line.tokens) if token.kind == "gap" and place + 1 < len(line.tokens)]
    if gaps and _is_list(line):
        yield from (LineSegment(start + 1, end - 1) for start, end in pairwise([-1, *gaps, len(line.tokens)]))
        return
    for place in gaps:
        has_value = any(span.label in _MEASURED and first <= span.first < place for span in line.spans)
        comes_value = any(span.first > place + 1 and _can_be_value(line, span) for span in line.spans)
        if has_value and comes_value and _begins_name(line, place + 1):
            yield LineSegment(first, place - 1)
            first = place + 1
    yield LineSegment(first, len(line.tokens) - 1)


def _is_list(line: TaggedLine) -> bool:
    """Every cell has its label: Colour: yellow, Density: 1.022."""
    cells = cells_of(line.row)
    return len(cells) > 1 and all(":" in text_of(cell)[:-1] for cell in cells)


def _can_be_value(line: TaggedLine, span: TaggedSpan) -> bool:
    """A limit without a unit is rather the end of a range: deficient < 3.1."""
    if span.label == "NUMBER":
        return True
    return span.label == "LIMIT" and any(
        other.label == "UNIT" and line.tokens[other.first - 1].kind in ("number", "gap") and other.first > span.last
        for other in line.spans
    )


def _begins_name(line: TaggedLine, place: int) -> bool:
    token = line.tokens[place]
    return token.kind == "word" and any(map(str.isalpha, token.text)) and not is_range_label(token.text)


def candidate_of(
    line: TaggedLine, segment: LineSegment, others: frozenset[int] = frozenset()
) -> ResultCandidate | None:
    spans = [span for span in line.spans if segment.first <= span.first and span.last <= segment.last]
    value = _value(line, segment, spans, others)
    if value is None:
        return None
    return candidate_with(line, segment, spans, value, _name_end(line, segment, spans, value))


def candidate_with(
    line: TaggedLine, segment: LineSegment, spans: list[TaggedSpan], value: TaggedSpan, name_end: int
) -> ResultCandidate:
    unit = _unit(spans, value, name_end)
    limits = [span for span in spans if span.label in ("RANGE", "LIMIT") and span != value and span.first > name_end]
    flags = [span for span in spans if span.label == "FLAG" and span.first > name_end]
    observation = Observation(
        clean_name(_name(line, segment, name_end)),
        value=line.number(value),
        comparator=line.comparator(value),
        unit=printed_unit(line.text(unit.first, unit.last)) if unit else None,
        range=_printed(line, limits, unit),
        flag=line.text(flags[0].first, flags[0].last) if flags else None,
        code=line.code,
    )
    return ResultCandidate(observation, segment, name_end, value)


def _name(line: TaggedLine, segment: LineSegment, name_end: int) -> str:
    """Of several cells of text before the value, the first has the name; the next ones, a method or a material. But
    where a colon labels the value, the label is the name."""
    cells: dict[int, list[int]] = {}
    for place in range(segment.first, name_end + 1):
        if line.tokens[place].kind != "gap":
            cells.setdefault(line.tokens[place].cell, []).append(place)
    texts = [line.text(own[0], own[-1]) for own in cells.values() if not _is_flag(line, own[0]) or len(own) > 1]
    if texts and name_end + 1 < len(line.tokens) and line.tokens[name_end + 1].text == ":":
        return texts[-1]
    return next((text for text in texts if sum(map(str.isalpha, text)) > 1), texts[0] if texts else "")


def _value(
    line: TaggedLine, segment: LineSegment, spans: list[TaggedSpan], others: frozenset[int]
) -> TaggedSpan | None:
    """The first number at the start of a cell or behind a colon; or else one that a unit or a range follows, since
    names have numbers too; or else the first. A limit is the value only where there is no number."""
    named = {place for span in line.names for place in range(span.first, span.last + 1)}
    candidates = [
        span
        for span in spans
        if span.label in _MEASURED
        and others.isdisjoint(range(span.first, span.last + 1))
        and not _is_in_remark(line, span)
        and not _is_labelled_range(line, span)
        and not _is_year(line, span)
        and not ends_range(line.tokens[span.first].text)
        and not named.issuperset(range(span.first, span.last + 1))
        and _has_letters(line, spans, LineSegment(segment.first, span.first - 1))
    ]
    numbers = [span for span in candidates if span.label == "NUMBER"] or candidates
    leading = [span for span in numbers if _leads(line, span)]
    followed = [span for span in numbers if any(other.first == span.last + 1 for other in spans)]
    limits = [span for span in candidates if span.label == "LIMIT" and _leads(line, span)]
    told = next((span for span in limits if _is_told_limit(spans, span)), None)
    if told is not None and all(told.first < span.first for span in numbers if span.label == "NUMBER"):
        return told
    return next(iter(leading or followed or limits or numbers), None)


def _is_told_limit(spans: list[TaggedSpan], limit: TaggedSpan) -> bool:
    """A limit with its unit, and the range behind it: less could not be measured."""
    has_unit = any(span.label == "UNIT" and span.first == limit.last + 1 for span in spans)
    return has_unit and any(span.label in ("RANGE", "LIMIT") and span.first > limit.last for span in spans)


def _is_labelled_range(line: TaggedLine, span: TaggedSpan) -> bool:
    """Reference: < 40 says nothing of a result."""
    return span.label == "LIMIT" and any(
        head.label == "range" and _only_marks(line.tokens[head.last + 1 : span.first])
        for head in line.heads
        if head.last < span.first
    )


def _is_year(line: TaggedLine, span: TaggedSpan) -> bool:
    """ESC/EAS 2019: is of that year."""
    ends = span.last + 1 < len(line.tokens) and line.tokens[span.last + 1].text in (":", ",", ";")
    return ends and _YEAR.fullmatch(line.text(span.first, span.last)) is not None


def _only_marks(tokens: Sequence[LineToken]) -> bool:
    return all(token.kind == "punctuation" for token in tokens)


def _is_in_remark(line: TaggedLine, span: TaggedSpan) -> bool:
    """Between brackets that hold words: targets (ESC 2019)."""
    own = line.tokens[span.first].cell
    inside = (place for place in range(span.first) if line.tokens[place].cell == own)
    before = [place for place in inside if {"(", ")"}.intersection(line.tokens[place].text)]
    if not before or ")" in line.tokens[before[-1]].text:
        return False
    return any(token.kind == "word" for token in line.tokens[before[-1] + 1 : span.first])


def _has_letters(line: TaggedLine, spans: list[TaggedSpan], segment: LineSegment) -> bool:
    """Text that can be a name, and not only the words of a range."""
    ranges = {place for span in spans if span.label in ("RANGE", "LIMIT") for place in range(span.first, span.last + 1)}
    places = set(range(segment.first, segment.last + 1)) - ranges
    return any(map(str.isalpha, "".join(line.tokens[place].text for place in places)))


def _leads(line: TaggedLine, span: TaggedSpan) -> bool:
    """Nothing but flags is between it and the start of its cell, or a colon."""
    place = span.first - 1
    while place >= 0 and (line.tokens[place].kind == "flag" or outcomes.is_same_again(line.tokens[place].text)):
        place -= 1
    return place < 0 or line.tokens[place].kind == "gap" or line.tokens[place].text in (":", "=")


def _name_end(line: TaggedLine, segment: LineSegment, spans: list[TaggedSpan], value: TaggedSpan) -> int:
    """The last token before the value, or before a range or unit that comes first; without flags and colons."""
    end = value.first - 1
    for span in spans:
        if span.label in ("RANGE", "LIMIT", "UNIT") and segment.first < span.first < end and _is_apart(line, span):
            end = span.first - 1
            break
    while end > segment.first and _is_between(line, end):
        end -= 1
    return end


def _is_between(line: TaggedLine, place: int) -> bool:
    """Neither name nor value: a gap, a colon, a flag, or the label of a range in its own cell."""
    token = line.tokens[place]
    if token.kind in ("gap", "dash") or token.text in (":", "=", "(", "[") or _is_flag(line, place):
        return True
    begins = line.tokens[place - 1].kind == "gap" or line.tokens[place - 1].text in ("(", "[")
    return begins and line.tokens[place + 1].text == ":" and is_range_label(token.text)


def _is_flag(line: TaggedLine, place: int) -> bool:
    token = line.tokens[place]
    alone = place == 0 or line.tokens[place - 1].kind == "gap"
    return token.kind == "flag" and (alone or not token.text.isalpha() or token.text.upper() in ("H", "L", "HH", "LL"))


def _is_apart(line: TaggedLine, span: TaggedSpan) -> bool:
    """A range before the value is in a cell or in brackets of its own; a unit is in a cell."""
    before = line.tokens[span.first - 1]
    return before.kind == "gap" or (before.text in ("(", "[", ":") and span.label != "UNIT")


def _unit(spans: list[TaggedSpan], value: TaggedSpan, name_end: int) -> TaggedSpan | None:
    units = [span for span in spans if span.label == "UNIT" and span.first > name_end]
    return next((span for span in units if span.first > value.last), next(iter(units), None))


def _printed(line: TaggedLine, limits: list[TaggedSpan], unit: TaggedSpan | None) -> str | None:
    if not limits:
        return None
    first = next((span for span in limits if span.label == "RANGE"), limits[0])
    last = first.last
    # A unit behind the range is part of it where the value has its own.
    after = next((span for span in line.spans if span.label == "UNIT" and span.first == last + 1), None)
    if after is not None and after != unit:
        last = after.last
    return printed_range(line.text(_group_start(line, first), last))


def _group_start(line: TaggedLine, limits: TaggedSpan) -> int:
    """Where the group of people begins that the range is for: F: 12.0 - 16.0."""
    start = limits.first
    while start and line.tokens[start - 1].kind != "gap" and line.tokens[start - 1].cell == line.tokens[start].cell:
        start -= 1
    group, colon, _ = line.text(start, limits.first).partition(":")
    if colon:
        return start if phrases.is_grade(group.strip(" (")) else limits.first
    before = line.tokens[start : limits.first]
    # Deficient < 3.1: the step of a scale, in a cell of its own.
    is_step = (
        len(before) == 1 and before[0].kind in ("word", "outcome") and start and not is_range_label(before[0].text)
    )
    is_word = bool(before) and (before[0].text.islower() or phrases.is_grade(before[0].text))
    return start if is_step and is_word else limits.first
