"""What holds for the whole document: the size and leading of its body, and what runs along its pages."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from blobforge.domain.json_value import JsonObject
from blobforge.processors.pdf_markdown.layout.model import Colour, Line, PageContent

_LONG = 25
"""Letters of a line that is probably running text; body size is taken from those."""
_SHORT_LINES_COUNT = 0.2
_MARGIN = 0.12
"""Of the page's height: running heads and feet lie in the outermost row, and within this."""
_OFTEN = 0.4
_PAGE_NUMBER = re.compile(r"[-–—\s]*(page\s*)?\d{1,4}[-–—\s]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """`leading` is a multiple of the size; `running` holds the texts of running heads and feet, without digits."""

    size: float = 10.0
    leading: float = 1.2
    bold: bool = False
    italic: bool = False
    font: str = ""
    colour: Colour = (0.0, 0.0, 0.0)
    pages: int = 1
    height: float = 0.0
    """Of a page, usually."""
    running: frozenset[str] = frozenset()

    def as_json(self) -> JsonObject:
        return {
            "size": self.size,
            "leading": self.leading,
            "bold": self.bold,
            "italic": self.italic,
            "font": self.font,
            "colour": list(self.colour),
            "pages": self.pages,
            "height": self.height,
            "running": sorted(self.running),
        }


def survey_of(pages: Sequence[PageContent], *, count: int) -> Survey:
    """From some pages of a document of `count` pages."""
    sizes: Counter[float] = Counter()
    for line in _all_lines(pages):
        letters = len(line.text)
        sizes[line.size] += letters * (1 if letters > _LONG else _SHORT_LINES_COUNT)
    if not sizes:
        return Survey(pages=count)
    size = sizes.most_common(1)[0][0]
    styles = Counter(line.style for line in _all_lines(pages) if abs(line.size - size) < _CLOSE for _ in line.text)
    body = styles.most_common(1)[0][0]
    return Survey(
        size=size,
        leading=_leading(pages, size),
        bold=body.bold,
        italic=body.italic,
        font=body.font,
        colour=body.colour,
        pages=count,
        height=Counter(page.height for page in pages).most_common(1)[0][0],
        running=_running(pages),
    )


_CLOSE = 0.3


def _all_lines(pages: Iterable[PageContent]) -> Iterable[Line]:
    return (line for page in pages for line in page.lines)


def _leading(pages: Iterable[PageContent], size: float) -> float:
    """The usual distance from line to line, as a multiple of the size."""
    steps: Counter[float] = Counter()
    for page in pages:
        body = [line for line in page.lines if abs(line.size - size) < _CLOSE and len(line.text) > _LONG]
        body.sort(key=lambda line: (round(line.left / 4), line.base))
        for upper, lower in zip(body, body[1:], strict=False):
            step = (lower.base - upper.base) / size
            if abs(upper.left - lower.left) < size / 3 and 0.9 < step < 2.2:
                steps[round(step, 2)] += 1
    return steps.most_common(1)[0][0] if steps else 1.2


def _running(pages: Sequence[PageContent]) -> frozenset[str]:
    if len(pages) < 2:
        return frozenset()
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({_key(line, page) for line in _outermost(page)})
    return frozenset(key for key, times in seen.items() if times >= max(2, _OFTEN * len(pages) / 2))


def _key(line: Line, page: PageContent) -> str:
    side = "head" if line.base < page.height / 2 else "foot"
    return f"{side} {without_digits(line.text)}"


def without_digits(text: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\W+", " ", text)).strip().lower()


def _outermost(page: PageContent) -> list[Line]:
    """Only the first and the last row of a page can run along: a zone would eat the rows of tables."""
    if not page.lines:
        return []
    first, last = min(line.base for line in page.lines), max(line.base for line in page.lines)
    return [
        line
        for line in page.lines
        if (line.base - first < 2 and line.base < _MARGIN * page.height)
        or (last - line.base < 2 and line.base > (1 - _MARGIN) * page.height)
    ]


def without_running(page: PageContent, survey: Survey) -> list[Line]:
    """The lines of a page that say something on it alone."""
    gone = {
        id(line)
        for line in _outermost(page)
        if _key(line, page) in survey.running or (survey.pages > 1 and _PAGE_NUMBER.fullmatch(line.text))
    }
    return [line for line in page.lines if id(line) not in gone]
