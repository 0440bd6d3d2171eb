"""Words that a document writes with a hyphen, to judge a hyphen at the end of a line."""

import re
from collections.abc import Iterable, Iterator, Sequence

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, TextLine

_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_BROKEN = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*-)([^\W\d_]+)-")
"""A compound that was broken behind its last part."""
_WORD = re.compile(r"[^\W\d_]+")
_NEXT_LINE = 2.2
"""Of the size: a line that goes on is no farther below."""


def hyphenated_in(pages: Sequence[PageContent]) -> frozenset[str]:
    """The last word of a line tells nothing: its hyphen may have come with the break."""
    written = {
        found[0].lower()
        for page in pages
        for line in page.lines
        for word in line.words
        if "-" in word.text and (found := _HYPHENATED.search(word.text))
    }
    return frozenset(written | _mended_compounds(pages, written))


def _mended_compounds(pages: Sequence[PageContent], written: set[str]) -> set[str]:
    """Compounds that were broken within their last part, such as "mass-pro-|duced", as they are written.

    The words of the document tell: a half that it never uses alone is no part of a compound.
    """
    breaks = [found for page in pages for found in _broken_compounds(page.lines)]
    if not breaks:
        return set()
    words = _words_within(line for page in pages for line in page.lines)
    mended: set[str] = set()
    for start, half, rest in breaks:
        is_one_word = half + rest in words or start + half + rest in written
        if is_one_word or (half not in words and rest not in words):
            mended.add(start + half + rest)
    return mended


def _broken_compounds(lines: Sequence[TextLine]) -> Iterator[tuple[str, str, str]]:
    """What comes before the last part, its first half, and the word that the next line begins with."""
    for line in lines:
        last = line.words[-1].text
        if last.endswith("-") and (broken := _BROKEN.search(last.lower())):
            follows = _next_line(line, lines)
            rest = _WORD.match(follows.words[0].text) if follows is not None else None
            if rest is not None:
                yield broken[1], broken[2], rest[0].lower()


def _next_line(line: TextLine, lines: Sequence[TextLine]) -> TextLine | None:
    below = [
        other
        for other in lines
        if 0 < other.base - line.base < _NEXT_LINE * line.size and other.left < line.right and line.left < other.right
    ]
    return min(below, key=lambda other: other.base, default=None)


def _words_within(lines: Iterable[TextLine]) -> set[str]:
    """Neither the first nor the last of a line, which may be halves."""
    return {found[0].lower() for line in lines for word in line.words[1:-1] if (found := _WORD.search(word.text))}
