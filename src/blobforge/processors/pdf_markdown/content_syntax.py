"""Whether the content of a page is made of what PDF knows. A reader skips what it does not understand, and with it the
text that stood there, so noise inside a stream that can be decoded costs text in silence."""

import re

_OPERATORS = frozenset(
    b"b b* B B* BDC BI BMC BT c cm CS cs d Do DP EMC ET f f* F G g gs h i j J k K l m M MP n q Q re rg RG ri s S "
    b"sc SC scn SCN sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' \" true false null".split()
)
"""And three words that are operands. d0 and d1 of glyphs are d here, where digits count as white space."""
_ANY_OPERATOR_ALLOWED = b"BX"
_NESTED_BRACKETS = 6


def _string() -> bytes:
    """Brackets in a string are escaped or come in pairs; nobody nests them deeply. What never ends goes to the end of
    all, and possessively, so that no stream of brackets takes longer than another."""
    found = rb"\([^()\\]*+(?:\\.[^()\\]*+)*+(?:\)|\Z)"
    for _ in range(_NESTED_BRACKETS):
        found = rb"\([^()\\]*+(?:(?:\\.|" + found + rb")[^()\\]*+)*+(?:\)|\Z)"
    return found


_OPERANDS = re.compile(
    rb"\[[^\[\]()]*+(?:" + _string() + rb"[^\[\]()]*+)*+\]"  # an array, mostly the words of a line
    rb"|" + _string() + rb"|<[0-9A-Fa-f\s]*+>"
    rb"|/[^\s/<>\[\](){}%]*+"
    rb"|%[^\r\n]*+"
    rb"|\bID\s.*?(?:\sEI\b|\Z)",  # the bytes of a picture in the text
    re.DOTALL,
)
_STRINGS = re.compile(_string() + rb"|%[^\r\n]*+|\bID\s.*?(?:\sEI\b|\Z)", re.DOTALL)
_DRAWN = re.compile(rb"/([^\s/<>\[\](){}%]+)\s+Do\b")
_SELECTED = re.compile(rb"/([^\s/<>\[\](){}%]+)\s+[-+.\d]+\s+Tf\b")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_NUMBERS_AND_BRACKETS = bytes.maketrans(b"0123456789.+-[]<>\0", b" " * 18)
_INLINE_IMAGES = re.compile(rb"\bID\s.*?(?:\sEI\b|\Z)", re.DOTALL)
_HOLE = bytes(64)
"""A zero is white space or a letter, and nobody writes so many of them: a disk or a download left them."""
_LAST = b"EndOfContent"
"""Set behind the content: a string or picture that never ends has swallowed it."""


def is_content(text: bytes) -> bool:
    """Not where a word is no operator, a string or picture has no end, or zeros fill a hole."""
    if _HOLE in text and _HOLE in _INLINE_IMAGES.sub(b" ", text):
        return False
    words = _OPERANDS.sub(b" ", text + b"\n" + _LAST).translate(_NUMBERS_AND_BRACKETS).split()
    if not words or words.pop() != _LAST:
        return False
    known = set(words)
    return known <= _OPERATORS or _ANY_OPERATOR_ALLOWED in known


def drawn_in(text: bytes) -> frozenset[str]:
    """The names of the forms and images that the content draws; not those of which its strings speak."""
    if b"Do" not in text:
        return frozenset()
    return frozenset(map(_name, _DRAWN.findall(without_strings(text))))


def fonts_in(text: bytes) -> frozenset[str]:
    """The names of the fonts that the content sets text in; perhaps also some of which its strings speak."""
    return frozenset(map(_name, set(_SELECTED.findall(text))))


def without_strings(text: bytes) -> bytes:
    return _STRINGS.sub(b" ", text)


def _name(written: bytes) -> str:
    plain = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), written)
    return "/" + plain.decode("utf-8", "replace")
