"""Results in running text, as letters have them: Sodium 131 mmol/l (136-145), potassium 3.4 mmol/l (3.5-5.1).

Without ranges only known names count, and only where several stand one after the other.
"""

from collections.abc import Iterator

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.observation import Observation, can_be_name, clean_name, is_known
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.notation.ranges import is_range, printed_range
from blobforge.processors.lab_report.notation.units import printed_unit
from blobforge.processors.lab_report.page.margin_notes import is_prose
from blobforge.processors.lab_report.page.paragraphs import FEWEST_BARE, is_next_of_paragraph, tells_results
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.vocabulary import limits

_FEWEST_WORDS = 3
_SENTENCE = 6
_LONGEST_NAME = 6
_SIGNS = " –—-=:·•"
_ENDS = (",", ";", ".", ":")


def is_running_text(line: TaggedLine) -> bool:
    return tells_results(line.row.text) and len(cells_of(line.row)) == 1


def is_sentence(line: TaggedLine) -> bool:
    """Many words in small letters without a gap, and no name with its value at their beginning."""
    is_plain = len(cells_of(line.row)) == 1 and is_prose(line.row.words, fewest=_SENTENCE)
    return is_plain and not leads_with_result(line)


def leads_with_result(line: TaggedLine) -> bool:
    """A known name, perhaps with a word before and behind it, and its value."""
    end = next((span.last for span in line.names if span.first <= 1), None)
    return end is not None and any(
        end < span.first <= end + 2 and not limits.is_bound(line.tokens[span.first - 1].text)
        for span in line.spans
        if span.label == "NUMBER" or (span.label == "LIMIT" and line.comparator(span))
    )


def goes_on_prose(above: TaggedLine, line: TaggedLine) -> bool:
    """The next line of a comment: a number in it was not measured."""
    if not is_next_of_paragraph(above.row, line.row) or leads_with_result(line):
        return False
    return is_prose(above.row.words) and is_prose(line.row.words, fewest=_FEWEST_WORDS)


def read_running_text(line: TaggedLine, lexicon: Lexicon) -> tuple[Observation, ...]:
    found = [observation for observation in _observations(line) if _is_result(observation, lexicon)]
    bare = [observation for observation in found if observation.range is None]
    return tuple(
        found if len(bare) >= FEWEST_BARE else (observation for observation in found if observation.range is not None)
    )


def _observations(line: TaggedLine) -> Iterator[Observation]:
    start = 0
    for span in line.spans:
        if span.label not in ("NUMBER", "LIMIT") or span.first < start:
            continue
        unit = next((each for each in line.spans if each.label == "UNIT" and each.first == span.last + 1), None)
        last = (unit or span).last
        closing = _closing(line, last + 1)
        limits = line.text(last + 2, closing - 1) if closing is not None else ""
        has_range = closing is not None and is_range(limits)
        if not has_range and (unit is None or not _ends(line, last + 1)):
            continue
        yield Observation(
            _name(line, start, span),
            value=line.number(span),
            comparator=line.comparator(span),
            unit=printed_unit(line.text(unit.first, unit.last)) if unit else None,
            range=printed_range(limits) if has_range else None,
        )
        start = (closing if has_range and closing is not None else last) + 1


def _ends(line: TaggedLine, place: int) -> bool:
    return place >= len(line.tokens) or line.tokens[place].text in _ENDS


def _closing(line: TaggedLine, opening: int) -> int | None:
    """Where the brackets end that begin at this token."""
    if opening >= len(line.tokens) or line.tokens[opening].text != "(":
        return None
    ends = (place for place in range(opening, len(line.tokens)) if line.tokens[place].text == ")")
    return next(ends, None)


def _name(line: TaggedLine, start: int, value: TaggedSpan) -> str:
    """What stands before the value, behind the end of the sentence or of the result before it."""
    places = range(start, value.first)
    cuts = [
        place
        for place in places
        if line.tokens[place].text in _ENDS and line.tokens[place].kind == "punctuation" and place + 1 < value.first
    ]
    first = cuts[-1] + 1 if cuts else start
    return clean_name(line.text(first, value.first - 1).strip(_SIGNS))


def _is_result(observation: Observation, lexicon: Lexicon) -> bool:
    known = is_known(observation.name, observation.unit, lexicon)
    is_short = 0 < len(observation.name.split()) <= _LONGEST_NAME
    return is_short and can_be_name(observation.name, known=known) and (known or observation.range is not None)
