"""The wording and numbering of titles."""

import re

from blobforge.processors.pdf_markdown.layout.text.captions import is_caption

_LONGEST = 120
_SHORT = 50
_NO_TITLE = re.compile(
    r"https?://|www\.|\S@\S|\w\.(?:org|net|com|edu|gov)\b|\.{4}|(?: \.){3}|[=∑∫√]|:\W*\d[\d.,]*[.,]\d\d\W*$"
)
"""Addresses, leaders, formulas and sums of money."""
_SENTENCE = re.compile(r"[a-z]{2,}[.?!]\s+[A-Z]\w*\s+\w")
_LETTERS = "A-Za-z\u0391-\u03a9\u03b1-\u03c9"
"""Latin and Greek."""
_FORMULA = re.compile(rf"(?=.*[a-z\u03b1-\u03c9])(?:[{_LETTERS}]{{1,2}}(?![{_LETTERS}])|[\W\d_])*")
"""One or two letters at a time, some of them small."""
_LONG_WORD = re.compile(r"\b[^\W\d_]{5,}")
_FEWEST_LONG_WORDS = 2
_DECIMAL = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[^\W\d_]")
_FRACTION = re.compile(r"\b\d+\.\d")
_ORDINAL = re.compile(r"(?:\d{1,2}|[A-Z]|[IVX]{1,5})[.)]\s+[^\W\d_]")
_SECTION = re.compile(r"(?:[A-Z][A-Za-z]{2,7}\.?\s+|§\s*)?(?:\d{1,3}|[IVXLC]+)[.:)]\s+[A-Z]")
"""As laws have it: "Sec. 2. Definitions."."""
_SECTION_NUMBER = re.compile(r"(?:[^\W\d_]{3,9}\.?|§)\s*(?:\d{1,4}|[IVXLC]+)[a-z]?\.?")


def reads_as_title(text: str) -> bool:
    if not text or len(text) > _LONGEST or is_caption(text) or _NO_TITLE.search(text):
        return False
    if len(text) == 1:
        return text.isupper()
    letters = sum(map(str.isalpha, text))
    if letters < 2 or letters < 0.4 * len(text.replace(" ", "")) or _FORMULA.fullmatch(text):
        return False
    return text[-1] not in ".,;" and text[0] not in ".,;:)" and not _SENTENCE.search(text)


def is_section_title(text: str) -> bool:
    """A short title with its number before it, which may end with a full stop."""
    return len(text) < _SHORT and _SECTION.match(text) is not None


def is_section_number(text: str) -> bool:
    """Such as "Article 5" or "§ 12" and no more."""
    return _SECTION_NUMBER.fullmatch(text) is not None


def has_initials(text: str) -> bool:
    """Whether its longer words all begin with capitals: those of a sentence do not."""
    words = _LONG_WORD.findall(text)
    return len(words) >= _FEWEST_LONG_WORDS and all(word[0].isupper() for word in words)


def has_decimal_number(text: str) -> bool:
    """Such as "3.2 Results"; where more of such numbers follow, they are figures or times."""
    return _DECIMAL.match(text) is not None and len(_FRACTION.findall(text)) == 1


def has_ordinal(text: str) -> bool:
    return _ORDINAL.match(text) is not None
