"""Words become Markdown within a line: emphasis, escapes, hyphens at the ends of lines mended."""

import re
from collections.abc import Container, Iterable, Sequence
from itertools import groupby

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord, text_of
from blobforge.processors.pdf_markdown.layout.words.lines import is_spaceless

_SPECIAL = re.compile(r"([*_`\[\]<>\\])")
_SOFT_HYPHEN = "\u00ad"
_SOFT_HYPHENS = "\u2010\u00ad"
_PUNCTUATION = ".,;:!?()[]“”‘’\"'—"
_LIKE_A_MARKER = re.compile(r"\s*(?:(?=[-+#]+\s)|\d+(?=[.)]\s))()")
_TYPED_THROUGHOUT = 0.75
_ADDRESS = re.compile(r"://|\w@\w|www\.")
_BROKEN_ADDRESS = re.compile(_ADDRESS.pattern + r"|\w\.\w+-$")
"""Also where it goes on with one more line."""
_REFERENCE = re.compile(r"\d{1,3}|[*†‡§]")


def joined(lines: Iterable[TextLine], *, hyphenated: Container[str] = ()) -> list[TextWord]:
    """The words of several lines as one run; `hyphenated` are words that keep their hyphen."""
    words: list[TextWord] = []
    for line in lines:
        new = list(line.words)
        if words:
            new = _after(words, new, hyphenated)
        words += new
    return words


def _after(words: list[TextWord], new: list[TextWord], hyphenated: Container[str]) -> list[TextWord]:
    """The words of the next line; a word that was broken is put together in the run itself."""
    before, first = words[-1], new[0]
    if is_broken(before.text, first.text):
        words[-1] = before._replace(text=mended(before.text, first.text, hyphenated), right=first.right)
        return new[1:]
    new[0] = first._replace(spaced=not (first.text[:1] == "—" or _touches(before.text, first.text)))
    return new


def _touches(before: str, after: str) -> bool:
    """Whether no space stands where one line ends and the next begins."""
    return before[-1:] in "—/" or _have_no_spaces(before, after) or _goes_on_as_written(before, after)


def _goes_on_as_written(before: str, after: str) -> bool:
    """A number or an address that was broken behind a hyphen of its own."""
    last, first = before.rpartition(" ")[2], after.partition(" ")[0]
    if len(last) < 2 or last[-1] != "-":
        return False
    return (last[-2].isdigit() and first[:1].isdigit()) or _BROKEN_ADDRESS.search(last + first) is not None


def _have_no_spaces(before: str, after: str) -> bool:
    return bool(before and after) and is_spaceless(before[-1]) and is_spaceless(after[0])


def is_broken(before: str, after: str) -> bool:
    """Whether a word goes on after the hyphen at the end of a line."""
    if len(before) < 2 or not after[:1].islower():
        return False
    return before[-1] in _SOFT_HYPHENS or (before[-1] == "-" and before[-2].isalpha())


def mended(before: str, after: str, hyphenated: Container[str]) -> str:
    """A broken word in one piece, with its hyphen where it has one in the middle of a line as well.

    A word with several hyphens, such as "right-to-left", is hardly ever broken elsewhere, unless it is known so, or its
    other hyphens are of another kind. An address has its own hyphens alone."""
    start, hyphen = before[:-1], before[-1]
    if hyphen == "-" and _BROKEN_ADDRESS.search(before + after):
        return before + after
    first, second = _core(start), _core(after)
    if "-" in first:
        has_hyphen = hyphen == "-" and first + second not in hyphenated
    else:
        has_hyphen = hyphen != _SOFT_HYPHEN and f"{first}-{second}" in hyphenated
    return f"{start}-{after}" if has_hyphen else start + after


def joined_texts(before: str, after: str, hyphenated: Container[str]) -> str:
    """Two halves of a paragraph, with emphasis that goes on from one to the other."""
    mark = _common_mark(before, after)
    if mark:
        before, after = before[: -len(mark)], after[len(mark) :]
    start = before.rstrip("*")
    if is_broken(start, after.lstrip("*")):
        last, first = start.rpartition(" ")[2], after.lstrip("*").partition(" ")[0]
        if start == before and not after.startswith("*"):
            return before[: len(before) - len(last)] + mended(last, first, hyphenated) + after[len(first) :]
        return f"{start[:-1]}{before[len(start) :]}{after}"
    return f"{before}{after}" if _touches(before, after) else f"{before} {after}"


def _common_mark(before: str, after: str) -> str:
    """The emphasis that ends one and begins the other."""
    stars = len(before) - len(before.rstrip("*")), len(after) - len(after.lstrip("*"))
    return "*" * stars[0] if stars[0] == stars[1] and not before[: -stars[0] or None].endswith("\\") else ""


def _core(text: str) -> str:
    return text.strip(_PUNCTUATION).lower()


def plain_text(words: Sequence[TextWord]) -> str:
    if any(word.raised for word in words):
        return "".join(f" {_written(word)}" if word.spaced else _written(word) for word in words).strip()
    return _escaped(text_of(words))


def markdown_of(words: Sequence[TextWord], *, bold: bool = True) -> str:
    """With links and emphasis marked, run by run; `bold` is False where the whole document claims to be."""
    if not any(word.link for word in words):
        return _no_marker(_emphasised(words, bold=bold))
    pieces: list[str] = []
    for target, run in groupby(words, key=lambda word: word.link):
        members = list(run)
        space = " " if pieces and members[0].spaced else ""
        text = _emphasised(members, bold=bold)
        pieces.append(f"{space}[{text}]({_target(target)})" if target else space + text)
    return _no_marker("".join(pieces))


def _target(link: str) -> str:
    return f"<{link}>" if "(" in link or ")" in link else link


def _emphasised(words: Sequence[TextWord], *, bold: bool) -> str:
    pieces: list[str] = []
    style = words[0].style if words else None
    # Most text is in one style throughout, and then there is no code among it.
    if style is not None and all(word.style is style for word in words):
        return _marked(words, "*" * (2 * (bold and style.bold) + style.italic))
    has_code = _has_code(words)
    for (is_code, is_bold, is_italic), run in groupby(
        words, key=lambda word: (has_code and word.style.mono, bold and word.style.bold, word.style.italic)
    ):
        members = list(run)
        space = " " if pieces and members[0].spaced else ""
        pieces.append(space + (_code(members) if is_code else _marked(members, "*" * (2 * is_bold + is_italic))))
    return "".join(pieces)


def _marked(words: Sequence[TextWord], mark: str) -> str:
    text = plain_text(words)
    return f"{mark}{text}{mark}" if any(map(str.isalnum, text)) else text


def _has_code(words: Sequence[TextWord]) -> bool:
    """Whether some words are set in a typewriter's font, and others are not: more than a sign in another font."""
    if not any(word.style.mono for word in words):
        return False
    typed = sum(len(word.text) for word in words if word.style.mono)
    return typed < _TYPED_THROUGHOUT * sum(len(word.text) for word in words)


def _code(words: Sequence[TextWord]) -> str:
    """Addresses are set like that, and are no code."""
    text = text_of(words)
    is_other = "`" in text or _ADDRESS.search(text) or not any(map(str.isalnum, text))
    return plain_text(words) if is_other else f"`{text}`"


def _no_marker(text: str) -> str:
    """Running text that begins like an item or a heading is neither."""
    found = _LIKE_A_MARKER.match(text)
    return f"{text[: found.start(1)]}\\{text[found.start(1) :]}" if found else text


def _written(word: TextWord) -> str:
    return f"[^{word.text}]" if word.raised and _REFERENCE.fullmatch(word.text) else _escaped(word.text)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
