"""Words of ranges and limits: up to, less than, from … to, and the labels of ranges."""

import re

from blobforge.processors.lab_report.vocabulary.languages import terms
from blobforge.processors.lab_report.vocabulary.patterns import any_term, literally

_SPACED = terms("limits", "spaced_joiners")
JOINERS = (*terms("limits", "joiners"), *_SPACED)
"""Between the two ends of a range."""
STARTERS = terms("limits", "starters")
LIMITS = terms("limits", "words")
LIMIT_LINKS = terms("limits", "links")
"""Between the word of a limit and its number: less than."""
OR = terms("limits", "or")
OR_MORE = terms("limits", "more")
NUMBERED = terms("numbering", "words")
_UP_TO = frozenset(terms("limits", "up_to"))
_BOUNDS = frozenset((*LIMITS, *STARTERS))
_RANGE_LABEL = re.compile(any_term("ranges", "labels"), re.IGNORECASE)

RANGE_WORDS = (
    rf"\b{any_term('limits', 'signs')}\b|\b{any_term('limits', 'signs_before_number')}\s*\d|"
    rf"\d\s*{literally(OR)}\s+{literally(OR_MORE)}\b"
)
"""A regular expression of the words that make a text with a number a range."""
JOINER = literally(JOINERS)
BETWEEN_ENDS = rf"\s*{literally(terms('limits', 'joiners'))}\s*|\s+{literally(_SPACED)}\s+"
"""The same with the white space that it needs."""
ABOVE = any_term("limits", "above")
AND = any_term("limits", "and")
RANGE_NAME = (
    rf"(?:{any_term('ranges', 'qualifiers')}\s+)?{any_term('ranges', 'nouns')}\.?(?:\s*{any_term('ranges', 'tails')})?"
)
"""A regular expression of what is printed before a range: reference range, valeurs usuelles."""
CALCULATED = any_term("ranges", "calculated")
NORMAL = any_term("ranges", "normal")
NO_RANGE = any_term("ranges", "none")


def is_bound(word: str) -> bool:
    """What stands before a limit or a range: up to, less than, from."""
    return word.lower() in _BOUNDS


def ends_range(word: str) -> bool:
    """Up to: never said of what was measured, as less than is."""
    return word.lower() in _UP_TO


def is_range_label(text: str) -> bool:
    """One word of the label of a range."""
    return _RANGE_LABEL.fullmatch(text.replace(".", "")) is not None
