"""A line without a table's head: a name, then a value, a unit and a range in some order; is it a result?"""

import re
from collections.abc import Sequence

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.documents import Mark
from blobforge.processors.lab_report.drafts import Draft, Stretch, draft_of, drafted, is_range_label, stretches_of
from blobforge.processors.lab_report.labels import is_label
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.pairs import read_pair
from blobforge.processors.lab_report.ranges import bounds_of
from blobforge.processors.lab_report.readings import Reading, can_be_name, is_known, is_step
from blobforge.processors.lab_report.rows import cells_of
from blobforge.processors.lab_report.values import numbers_in, parse_number
from blobforge.processors.lab_report.words import Word, text_of

_PLAIN_NAME = 6
_BARE_PIECES = 8
_NO_RESULT = re.compile(r"\|.*\||[-=_+]{6,}|^\([^()]*\)$")
"""A drawing in letters, or a remark in brackets."""


def read_free_line(line: Line, lexicon: Lexicon, others: frozenset[int] = frozenset()) -> list[Reading]:
    """One for each test that the line speaks of. `others` are pieces that are no results."""
    if _NO_RESULT.search(line.row.text) or any(_is_labelled(cell) for cell in cells_of(line.row)):
        return []
    drafts = [draft_of(line, stretch, others) for stretch in stretches_of(line)]
    results = [draft for draft in drafts if draft is not None and _is_result(line, draft, lexicon)]
    return [reading for draft in results for reading in read_pair(line, _measures(line, draft), draft.reading)]


def _is_labelled(cell: Sequence[Word]) -> bool:
    """Received: and the like; what stands beside it was not measured."""
    return cell[-1].text.endswith(":") and is_label(text_of(cell))


def _measures(line: Line, draft: Draft) -> list[Mark]:
    return [mark for mark in line.marks if draft.name_end < mark.first and mark.last <= draft.stretch.last]


def read_bare_line(line: Line, lexicon: Lexicon) -> Reading | None:
    """A name and a number, perhaps a unit or a range, and nothing else: too little to be sure of by itself."""
    draft = None if _NO_RESULT.search(line.row.text) else draft_of(line, Stretch(0, len(line.pieces) - 1))
    if draft is None or len(draft.reading.name.split()) > _PLAIN_NAME or _words_left(line, draft):
        return None
    if _is_told(line, draft) or _is_too_little(line, draft):
        return None
    if any(mark.label == "DATE" for mark in line.marks):
        return None
    known = is_known(draft.reading.name, draft.reading.unit, lexicon)
    return draft.reading if can_be_name(draft.reading.name, known=known) else None


def _is_told(line: Line, draft: Draft) -> bool:
    """A number in brackets, or in the midst of words: complete after 30 min."""
    before = line.pieces[draft.value.first - 1]
    is_later = before.cell != line.pieces[draft.stretch.first].cell
    return before.text == "(" or (is_later and before.kind == "word" and not is_range_label(before.text))


def _is_too_little(line: Line, draft: Draft) -> bool:
    """A limit that may be all of the range, a number behind a remark, or one that counts headings: Kidney panel - 1."""
    reading = draft.reading
    before = line.pieces[draft.stretch.first : draft.name_end + 1]
    if len({piece.cell for piece in before if piece.kind == "word"}) > 1:
        return not vocabulary.speaks_of_technique(line.row.text)
    if draft.value.label == "LIMIT":
        return reading.comparator is None or (reading.unit is None and reading.range is None)
    is_counted = line.pieces[draft.value.first - 1].kind == "dash"
    return is_counted and reading.unit is None and reading.range is None


def read_nameless_line(line: Line) -> Reading | None:
    """A value with its unit and no name: that stands in another line."""
    limits = (mark for mark in line.marks if mark.label == "LIMIT")
    numbers = [mark for mark in line.marks if mark.label == "NUMBER"] or [
        mark for mark in limits if not vocabulary.ends_range(line.pieces[mark.first].text)
    ]
    if not numbers or _labels_limit(line, numbers[0]):
        return None
    whole = Stretch(0, len(line.pieces) - 1)
    draft = drafted(line, whole, list(line.marks), numbers[0], name_end=-1)
    is_alone = len(line.marks) == sum(mark.label == "FLAG" for mark in line.marks) + 1 and all(
        piece.kind in ("number", "compare", "flag", "gap") or vocabulary.is_value_head(piece.text)
        for piece in line.pieces
    )
    # Not even a step of a scale may stand there: Deficient < 20 has a name, though not a test's.
    is_result = (draft.reading.unit is not None or is_alone) and not _strange_words(line, draft)
    return draft.reading if is_result else None


def _labels_limit(line: Line, mark: Mark) -> bool:
    """Reference range: < 5.7 % is the range of the value above."""
    return mark.label == "LIMIT" and any(head.label == "range" and head.last < mark.first for head in line.heads)


def _is_result(line: Line, draft: Draft, lexicon: Lexicon) -> bool:
    reading = draft.reading
    known = reading.code is not None or is_known(reading.name, reading.unit, lexicon)
    if not can_be_name(reading.name, known=known) or is_step(reading) or _is_scale(line, draft):
        return False
    behind = line.pieces[draft.name_end : draft.stretch.last + 1]
    labelled = any(piece.text in (":", "=") or piece.kind == "gap" for piece in behind)
    if _words_left(line, draft) > (3 if labelled else 0):
        return False
    is_short = len(reading.name.split()) <= _PLAIN_NAME
    if reading.unit is not None and reading.range is not None:
        return labelled or known or is_short
    if not labelled:
        return known and reading.unit is not None
    if reading.unit is not None or reading.range is not None:
        has_label = any(head.label == "range" and head.first > draft.name_end for head in line.heads)
        is_ranged = reading.range is not None and has_label
        return known or (is_short and reading.comparator is None and (_has_two_ends(reading) or is_ranged))
    return known and draft.stretch.last - draft.stretch.first < _BARE_PIECES


def _is_scale(line: Line, draft: Draft) -> bool:
    """Limits and ranges side by side, and no number: nobody measured them. Or one in words with a remark on it."""
    if draft.value.label != "LIMIT":
        return False
    has_unit = any(mark.label == "UNIT" and mark.first == draft.value.last + 1 for mark in line.marks)
    limits = sum(mark.label in ("LIMIT", "RANGE") for mark in line.marks)
    in_words = line.comparator(draft.value) is None
    return (limits > 2 and (in_words or not has_unit)) or (in_words and bool(_words_left(line, draft)))


def _has_two_ends(reading: Reading) -> bool:
    low, high = bounds_of(reading.range, ".")
    ends = numbers_in((reading.range or "").replace("-", " | ").replace("–", " | "))
    # An order's number, 4711-0815, falls where a range rises; a telephone's, 022 - 5550, begins with nothing.
    is_counted = len(ends) > 1 and ends[0].isdigit() and ends[0].startswith("0") and len(ends[0]) > 1
    return low is not None and high is not None and parse_number(ends[0], ".") == low and not is_counted


def _words_left(line: Line, draft: Draft) -> int:
    """Words behind the name that no rule understands."""
    return sum(not vocabulary.is_grade(word) for word in _strange_words(line, draft))


def _strange_words(line: Line, draft: Draft) -> list[str]:
    """Words behind the name that are neither marked nor the label of a range."""
    marked = {place for mark in line.marks for place in range(mark.first, mark.last + 1)}
    return [
        piece.text
        for place, piece in enumerate(line.pieces)
        if draft.name_end < place <= draft.stretch.last
        and piece.kind == "word"
        and place not in marked
        and not is_range_label(piece.text)
        and any(map(str.isalpha, piece.text))
    ]
