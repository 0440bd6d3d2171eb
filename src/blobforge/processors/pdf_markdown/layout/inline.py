"""Words become Markdown within a line: emphasis, escapes, hyphens at the ends of lines mended."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from blobforge.processors.pdf_markdown.layout.model import Line, Word

_SPECIAL = re.compile(r"([*_`\[\]<>\\])")
_SOFT_HYPHENS = "\u2010\u00ad"
_LIKE_A_MARKER = re.compile(r"^\s*([-+#]|\d+[.)])\s")


def joined(lines: Iterable[Line]) -> list[Word]:
    """The words of several lines as one run."""
    words: list[Word] = []
    for line in lines:
        new = list(line.words)
        if words:
            new = _after(words, new)
        words += new
    return words


def _after(words: list[Word], new: list[Word]) -> list[Word]:
    """The words of the next line; a word that was broken is put together in the run itself."""
    before, first = words[-1], new[0]
    if is_broken(before.text, first.text):
        words[-1] = before._replace(text=before.text[:-1] + first.text)
        return new[1:]
    touches = before.text[-1:] in "—/" or first.text[:1] == "—"
    new[0] = first._replace(spaced=not touches)
    return new


def is_broken(before: str, after: str) -> bool:
    """Whether a word goes on after the hyphen at the end of a line."""
    if len(before) < 2 or not after[:1].islower():  # noqa: PLR2004
        return False
    return before[-1] in _SOFT_HYPHENS or (before[-1] == "-" and before[-2].isalpha())


def plain_text(words: Sequence[Word]) -> str:
    return "".join(f" {_escaped(word.text)}" if word.spaced else _escaped(word.text) for word in words).strip()


def markdown_of(words: Sequence[Word]) -> str:
    """With bold and italic marked, run by run."""
    pieces: list[str] = []
    for (bold, italic), run in groupby(words, key=lambda word: (word.style.bold, word.style.italic)):
        members = list(run)
        mark = "*" * (2 * bold + italic)
        text = plain_text(members)
        space = " " if pieces and members[0].spaced else ""
        pieces.append(f"{space}{mark}{text}{mark}" if any(map(str.isalnum, text)) else space + text)
    text = "".join(pieces)
    return f"\\{text}" if _LIKE_A_MARKER.match(text) else text


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
