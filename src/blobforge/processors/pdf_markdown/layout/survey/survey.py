"""What holds for the whole document: the size and leading of its body, and what runs along its pages."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from blobforge.domain.json_value import JsonObject
from blobforge.processors.pdf_markdown.layout.model.content import Colour, OutlineEntry, PageContent, Style, TextLine
from blobforge.processors.pdf_markdown.layout.survey.bookmarks import Bookmark, bookmarks_of
from blobforge.processors.pdf_markdown.layout.survey.ornaments import Ornament, ornaments_of
from blobforge.processors.pdf_markdown.layout.survey.page_numbers import UNNUMBERED, Numbering
from blobforge.processors.pdf_markdown.layout.survey.running_rows import (
    Running,
    numbering_of,
    running_keys,
    running_lines,
    said_by,
)
from blobforge.processors.pdf_markdown.layout.words.fonts import is_monospaced
from blobforge.processors.pdf_markdown.layout.words.hyphens import hyphenated_in

_LONG = 25
"""Letters of a line that is probably running text; body size is taken from those."""
_SHORT_LINES_COUNT = 0.2
_CLOSE = 0.3
_AS_OFTEN = 0.6
_SMALL = 1.08
"""Of the body's size: what is larger is a title, and no running head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSurvey:
    """`leading` is a multiple of the size; `running` holds the keys of running heads and feet."""

    size: float = 10.0
    leading: float = 1.2
    bold: bool = False
    italic: bool = False
    mono: bool = False
    font: str = ""
    colour: Colour = (0.0, 0.0, 0.0)
    pages: int = 1
    height: float = 0.0
    """Of a page, usually."""
    text_top: float = 0.0
    """Where running text begins on the page on which it begins highest."""
    numbering: Numbering = UNNUMBERED
    running: frozenset[str] = frozenset()
    hyphenated: frozenset[str] = frozenset()
    """Words with a hyphen in the middle of a line: they keep it where it stands at the end of one."""

    outline: tuple[Bookmark, ...] = ()
    ornaments: frozenset[Ornament] = frozenset()

    def as_json(self) -> JsonObject:
        return {
            "size": self.size,
            "leading": self.leading,
            "bold": self.bold,
            "italic": self.italic,
            "mono": self.mono,
            "font": self.font,
            "colour": list(self.colour),
            "pages": self.pages,
            "height": self.height,
            "text_top": self.text_top,
            "numbering": list(self.numbering),
            "running": sorted(self.running),
            "hyphenated": sorted(self.hyphenated),
            "outline": [list(entry) for entry in self.outline],
            "ornaments": [list(ornament) for ornament in sorted(self.ornaments)],
        }


def survey_in(said: Mapping[str, Any]) -> DocumentSurvey:
    """The survey that `as_json` wrote."""
    return DocumentSurvey(
        **{
            **said,
            "colour": tuple(said["colour"]),
            "numbering": Numbering(*said["numbering"]),
            "running": frozenset(said["running"]),
            "hyphenated": frozenset(said["hyphenated"]),
            "outline": tuple(Bookmark(*entry) for entry in said["outline"]),
            "ornaments": frozenset(Ornament(*ornament) for ornament in said["ornaments"]),
        }
    )


def survey_of(pages: Sequence[PageContent], *, count: int, outline: Iterable[OutlineEntry] = ()) -> DocumentSurvey:
    """From some pages of a document of `count` pages, and its outline as `Source.outline` gives it."""
    sizes: dict[float, float] = defaultdict(float)
    for line in _all_lines(pages):
        letters = len(line.text)
        sizes[line.size] += letters * (1 if letters > _LONG else _SHORT_LINES_COUNT)
    if not sizes:
        return DocumentSurvey(pages=count, ornaments=ornaments_of(pages))
    size = max(sizes, key=sizes.__getitem__)
    styles: dict[Style, int] = defaultdict(int)
    for line in _all_lines(pages):
        if abs(line.size - size) < _CLOSE:
            styles[line.style] += len(line.text)
    body = max(styles, key=styles.__getitem__)
    numbering = numbering_of(pages)
    running = running_keys(pages, numbering=numbering, small=_SMALL * size)
    return DocumentSurvey(
        size=size,
        leading=_leading(pages, size),
        bold=body.bold,
        italic=body.italic,
        mono=is_monospaced(body),
        font=body.font,
        colour=body.colour,
        pages=count,
        height=Counter(page.height for page in pages).most_common(1)[0][0],
        text_top=_text_top(pages, size, Running(running, numbering, small=_SMALL * size)),
        numbering=numbering,
        running=running,
        hyphenated=hyphenated_in(pages),
        outline=tuple(bookmarks_of(outline)),
        ornaments=ornaments_of(pages),
    )


def _all_lines(pages: Iterable[PageContent]) -> Iterable[TextLine]:
    return (line for page in pages for line in page.lines)


def _leading(pages: Iterable[PageContent], size: float) -> float:
    """The usual distance from line to line, as a multiple of the size."""
    steps: Counter[float] = Counter()
    for page in pages:
        body = [line for line in page.lines if abs(line.size - size) < _CLOSE and len(line.text) > _LONG]
        body.sort(key=lambda line: (round(line.left / 4), line.base))
        for upper, lower in pairwise(body):
            step = (lower.base - upper.base) / size
            if abs(upper.left - lower.left) < size / 3 and 0.9 < step < 2.2:
                steps[round(step, 2)] += 1
    if not steps:
        return 1.2
    often = steps.most_common(1)[0][1]
    # Where most paragraphs are of one line, the space between them is as frequent as that between lines.
    return min(step for step, times in steps.items() if times >= _AS_OFTEN * often)


def _text_top(pages: Iterable[PageContent], size: float, running: Running) -> float:
    """Where running text begins on the page on which it begins highest."""
    tops = []
    for page in pages:
        gone = set(map(id, running_lines(page, running)))
        tops += [
            line.top
            for line in page.lines
            if abs(line.size - size) < _CLOSE and len(line.text) > _LONG and id(line) not in gone
        ]
    return min(tops, default=0.0)


def without_running(page: PageContent, survey: DocumentSurvey) -> list[TextLine]:
    """The lines of a page that say something on it alone."""
    gone = {id(line) for line, _ in running_in(page, survey)}
    return [line for line in page.lines if id(line) not in gone] if gone else page.lines


def running_in(page: PageContent, survey: DocumentSurvey) -> list[tuple[TextLine, str]]:
    """The running heads and feet of a page, with what each says beside the number of the page."""
    if survey.pages == 1:
        return []
    running = Running(survey.running, survey.numbering, survey.text_top, _SMALL * survey.size)
    return [(line, said_by(line, page, running)) for line in running_lines(page, running)]
