"""What an engine promises, and what it gives for each page."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from blobforge.domain.json_value import JsonObject
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.layout.model.passages import Passage
from blobforge.processors.pdf_markdown.layout.output.completeness import Quality
from blobforge.processors.pdf_markdown.layout.output.markdown import Lines
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedPage

SCANS = "scans"
"""Under this name a survey tells what it knows of scans, as `Scans`."""
LINK = re.compile(r"!\[([^\]]*)\]\(([^)\s]*)\)")
"""A picture in Markdown: its alternative text and its target."""


def without_links(markdown: str) -> str:
    """What is left to read when the pictures are taken away."""
    return LINK.sub("", markdown)


class Box(NamedTuple):
    """A region of a page in points, from its upper left corner as it is shown."""

    left: float
    top: float
    width: float
    height: float


class Picture(NamedTuple):
    """An image of a page. `link` is its target in the page's Markdown.

    An engine that has no image file gives the region instead, and the picture is taken from the page.
    """

    link: str
    extension: str = "png"
    content: bytes = b""
    region: Box | None = None
    as_seen: bool = False
    """There is more to it than an image: lines, or text over an image."""
    lettered: bool = False
    """There are letters in outlines, and hardly anything else."""


class Pictured(NamedTuple):
    """What is on a page beside its text: which share of it lies under images; whether there are so many shapes like
    letters that its text may be in outlines; and how many of these stand in lines as long as those of running text, and
    not in a drawing."""

    images: float
    outlines: bool = False
    outlined_letters: int = 0


class EnginePage(NamedTuple):
    """What an engine read on a page; Markdown without words means that it found no text.

    An engine that knows the passages of a page gives them as well, and has the last word on them in `stitch`.
    """

    number: int
    markdown: str
    pictures: tuple[Picture, ...] = ()
    passages: tuple[Passage, ...] | None = None
    quality: Quality | None = None
    angle: int | None = None
    """The page was read turned by so many degrees, clockwise, whatever the document says; None: as it is shown."""
    pictured: Pictured | None = None
    """None where the engine does not know, or reads pictures itself."""


class PageText(NamedTuple):
    """A page as it comes to be stitched; without passages where something else than the engine read it."""

    markdown: str
    passages: tuple[Passage, ...] | None = None


class Scans(NamedTuple):
    """Of the pages that a survey looked at: those without text, those with text that lies hidden behind their picture;
    and the language of the document's text, where it is known."""

    bare: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()
    language: str = ""


def scans_of(survey: Mapping[str, Any]) -> Scans:
    """Nothing where the engine does not look for them."""
    bare, hidden, language = survey.get(SCANS, ((), (), ""))
    return Scans(tuple(bare), tuple(hidden), language)


class Stitched(NamedTuple):
    """The Markdown of each page, and the passages of the whole document where the engine knows them.

    `lines` are the places of the passages in the Markdown of their pages.
    """

    texts: list[str]
    passages: list[Passage] | None = None
    lines: list[Lines] | None = None


def _unheard(_number: int, /) -> None:
    """Where nobody asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A PDF that opens without a password. Its name ends in .pdf, since engines judge by that."""

    path: Path
    pages: int
    survey: JsonObject
    """What this engine's `survey` found in it."""
    has_killed: bool = False
    """A child has died over these pages: if the engine has a safer way to read them, this is the time for it."""
    deadly: frozenset[int] = frozenset()
    """Pages over which a child has died in a survey: the next one passes over them."""
    visit: Callable[[int], None] = _unheard
    """A survey calls it with each page before it looks at it, so that it is known which page it died of."""


class Engine(Protocol):
    """Made once a process, which loads its libraries and weights. Making it raises EngineUnavailable.

    Its module is cheap to import: the class is asked for its `info` and for `stitch` where nothing is read.
    """

    info: ClassVar[EngineInfo]

    def survey(self, document: Document, /) -> JsonObject:
        """A look at the whole document before it is cut, such as its fonts; kept in the plan."""
        ...

    def read(self, document: Document, part: Slice, report: Report, /) -> Iterator[EnginePage]:
        """The pages of that range as they become ready, without those it cannot read. Raises EngineFailed, MemoryLimit.

        For one page that it cannot read it raises rather than gives nothing, so that the reason is known.
        """
        ...

    def read_scan(self, document: Document, page: ScannedPage, /) -> EnginePage | None:
        """A page that OCR has read, in this engine's own layout; None when it has none for words with their places."""
        ...

    @staticmethod
    def stitch(document: Document, pages: list[PageText], /) -> Stitched:
        """A last word on the Markdown of all pages together, such as their headings; gives as many.

        Static, so that joining slices loads no weights.
        """
        ...
