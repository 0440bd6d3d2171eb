"""A line without a table's head: a name, then a value, a unit and a range in some order; is it a result?"""

import re
from collections.abc import Sequence

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.candidates import (
    LineSegment,
    ResultCandidate,
    candidate_of,
    candidate_with,
    segments_of,
)
from blobforge.processors.lab_report.lines.observation import Observation, can_be_name, is_known, is_step
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.lines.unit_pairs import read_pair
from blobforge.processors.lab_report.notation.numbers import numbers_in, parse_number
from blobforge.processors.lab_report.notation.ranges import bounds_of
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.words import PositionedWord, text_of
from blobforge.processors.lab_report.vocabulary import columns, phrases
from blobforge.processors.lab_report.vocabulary.labels import is_label
from blobforge.processors.lab_report.vocabulary.limits import ends_range, is_range_label

_PLAIN_NAME = 6
_BARE_PIECES = 8
_NO_RESULT = re.compile(r"\|.*\||[-=_+]{6,}|^\([^()]*\)$")
"""A drawing in letters, or a remark in brackets."""


def read_free_line(line: TaggedLine, lexicon: Lexicon, others: frozenset[int] = frozenset()) -> list[Observation]:
    """One for each test that the line speaks of. `others` are tokens that are no results."""
    if _NO_RESULT.search(line.row.text) or any(_is_labelled(cell) for cell in cells_of(line.row)):
        return []
    candidates = [candidate_of(line, segment, others) for segment in segments_of(line)]
    results = [candidate for candidate in candidates if candidate is not None and _is_result(line, candidate, lexicon)]
    return [
        observation
        for candidate in results
        for observation in read_pair(line, _measures(line, candidate), candidate.observation)
    ]


def _is_labelled(cell: Sequence[PositionedWord]) -> bool:
    """Received: and the like; what stands beside it was not measured."""
    return cell[-1].text.endswith(":") and is_label(text_of(cell))


def _measures(line: TaggedLine, candidate: ResultCandidate) -> list[TaggedSpan]:
    return [span for span in line.spans if candidate.name_end < span.first and span.last <= candidate.segment.last]


def read_bare_line(line: TaggedLine, lexicon: Lexicon) -> Observation | None:
    """A name and a number, perhaps a unit or a range, and nothing else: too little to be sure of by itself."""
    candidate = None if _NO_RESULT.search(line.row.text) else candidate_of(line, LineSegment(0, len(line.tokens) - 1))
    if candidate is None or len(candidate.observation.name.split()) > _PLAIN_NAME or _words_left(line, candidate):
        return None
    if _is_told(line, candidate) or _is_too_little(line, candidate):
        return None
    if any(span.label == "DATE" for span in line.spans):
        return None
    known = is_known(candidate.observation.name, candidate.observation.unit, lexicon)
    return candidate.observation if can_be_name(candidate.observation.name, known=known) else None


def _is_told(line: TaggedLine, candidate: ResultCandidate) -> bool:
    """A number in brackets, or in the midst of words: complete after 30 min."""
    before = line.tokens[candidate.value.first - 1]
    is_later = before.cell != line.tokens[candidate.segment.first].cell
    return before.text == "(" or (is_later and before.kind == "word" and not is_range_label(before.text))


def _is_too_little(line: TaggedLine, candidate: ResultCandidate) -> bool:
    """A limit that may be all of the range, a number behind a remark, or one behind a dash that counts headings."""
    observation = candidate.observation
    before = line.tokens[candidate.segment.first : candidate.name_end + 1]
    if len({token.cell for token in before if token.kind == "word"}) > 1:
        return not phrases.speaks_of_technique(line.row.text)
    if candidate.value.label == "LIMIT":
        return observation.comparator is None or (observation.unit is None and observation.range is None)
    is_counted = line.tokens[candidate.value.first - 1].kind == "dash"
    return is_counted and observation.unit is None and observation.range is None


def read_nameless_line(line: TaggedLine) -> Observation | None:
    """A value with its unit and no name: that stands in another line."""
    limits = (span for span in line.spans if span.label == "LIMIT")
    numbers = [span for span in line.spans if span.label == "NUMBER"] or [
        span for span in limits if not ends_range(line.tokens[span.first].text)
    ]
    if not numbers or _labels_limit(line, numbers[0]):
        return None
    whole = LineSegment(0, len(line.tokens) - 1)
    candidate = candidate_with(line, whole, list(line.spans), numbers[0], name_end=-1)
    is_alone = len(line.spans) == sum(span.label == "FLAG" for span in line.spans) + 1 and all(
        token.kind in ("number", "compare", "flag", "gap") or columns.is_value_head(token.text) for token in line.tokens
    )
    # Not even a step of a scale may stand there: Deficient < 20 has a name, though not a test's.
    is_result = (candidate.observation.unit is not None or is_alone) and not _strange_words(line, candidate)
    return candidate.observation if is_result else None


def _labels_limit(line: TaggedLine, span: TaggedSpan) -> bool:
    """Reference range: < 5.7 % is the range of the value above."""
    return span.label == "LIMIT" and any(head.label == "range" and head.last < span.first for head in line.heads)


def _is_result(line: TaggedLine, candidate: ResultCandidate, lexicon: Lexicon) -> bool:
    observation = candidate.observation
    known = observation.code is not None or is_known(observation.name, observation.unit, lexicon)
    if not can_be_name(observation.name, known=known) or is_step(observation) or _is_scale(line, candidate):
        return False
    behind = line.tokens[candidate.name_end : candidate.segment.last + 1]
    labelled = any(token.text in (":", "=") or token.kind == "gap" for token in behind)
    if _words_left(line, candidate) > (3 if labelled else 0):
        return False
    is_short = len(observation.name.split()) <= _PLAIN_NAME
    if observation.unit is not None and observation.range is not None:
        return labelled or known or is_short
    if not labelled:
        return known and observation.unit is not None
    if observation.unit is not None or observation.range is not None:
        has_label = any(head.label == "range" and head.first > candidate.name_end for head in line.heads)
        is_ranged = observation.range is not None and has_label
        return known or (is_short and observation.comparator is None and (_has_two_ends(observation) or is_ranged))
    return known and candidate.segment.last - candidate.segment.first < _BARE_PIECES


def _is_scale(line: TaggedLine, candidate: ResultCandidate) -> bool:
    """Limits and ranges side by side, and no number: nobody measured them. Or one in words with a remark on it."""
    if candidate.value.label != "LIMIT":
        return False
    has_unit = any(span.label == "UNIT" and span.first == candidate.value.last + 1 for span in line.spans)
    limits = sum(span.label in ("LIMIT", "RANGE") for span in line.spans)
    in_words = line.comparator(candidate.value) is None
    return (limits > 2 and (in_words or not has_unit)) or (in_words and bool(_words_left(line, candidate)))


def _has_two_ends(observation: Observation) -> bool:
    low, high = bounds_of(observation.range, ".")
    ends = numbers_in((observation.range or "").replace("-", " | ").replace("–", " | "))
    # An order's number, 4711-0815, falls where a range rises; a telephone's, 022 - 5550, begins with nothing.
    is_counted = len(ends) > 1 and ends[0].isdigit() and ends[0].startswith("0") and len(ends[0]) > 1
    return low is not None and high is not None and parse_number(ends[0], ".") == low and not is_counted


def _words_left(line: TaggedLine, candidate: ResultCandidate) -> int:
    """Words behind the name that no rule understands."""
    return sum(not phrases.is_grade(word) for word in _strange_words(line, candidate))


def _strange_words(line: TaggedLine, candidate: ResultCandidate) -> list[str]:
    """Words behind the name that are neither marked nor the label of a range."""
    marked = {place for span in line.spans for place in range(span.first, span.last + 1)}
    return [
        token.text
        for place, token in enumerate(line.tokens)
        if candidate.name_end < place <= candidate.segment.last
        and token.kind == "word"
        and place not in marked
        and not is_range_label(token.text)
        and any(map(str.isalpha, token.text))
    ]
