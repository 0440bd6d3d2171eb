"""Passages: the blocks of a page with role, box and look; JSON between processes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from blobforge.domain.json_value import JsonObject
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.table import Span


class PassageRole(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"
    QUOTE = "quote"
    FIGURE = "figure"
    CODE = "code"
    NOTE = "note"
    PICTURE_TEXT = "picture_text"
    """What OCR has read in a picture."""
    RUNNING = "running"
    """A running head or foot; `plain` is without the number of its page."""
    ASIDE = "aside"
    """A few words at another angle than the text: a stamp, a watermark, a note in the margin."""


@dataclass(slots=True, kw_only=True)
class Look:
    """How most of a passage's letters are set."""

    size: float
    bold: bool = False
    italic: bool = False
    caps: bool = False
    font: str = ""
    colour: tuple[float, ...] = ()


_FACTS = (
    *("text", "plain", "lines", "stands_out", "fills", "is_parted"),
    *("level", "marker", "indent", "rows", "heads"),
)
"""The fields of a passage that are JSON as they are."""


@dataclass(slots=True, kw_only=True)
class Passage:
    """`text` is Markdown within the line, `plain` the same without emphasis."""

    role: PassageRole
    page: int
    box: Rectangle
    last_page: int = 0
    """Where it ends, if it goes on over pages."""
    text: str = ""
    plain: str = ""
    look: Look | None = None
    lines: int = 1
    stands_out: bool = False
    """Each of its words looks unlike the body: heavier, in another colour."""
    fills: bool = False
    """Its last line reaches the end of the column, so that it may go on elsewhere."""
    is_parted: bool = False
    """It is a row of pieces with wide gaps between them, and no text that runs on."""
    level: int = 0
    """Of a heading, from 1; of an item, how deep it is nested, from 0."""
    marker: str = ""
    """What stands before an item; the name of a note."""
    indent: float = 0.0
    rows: list[list[str]] = field(default_factory=list)
    heads: int = 0
    """So many of the first rows are the header of a table."""
    spans: list[Span] = field(default_factory=list)
    children: list["Passage"] = field(default_factory=list)

    def as_json(self) -> JsonObject:
        facts: dict[str, Any] = {"role": self.role.value, "page": self.page, "box": [round(x, 1) for x in self.box]}
        for name in _FACTS:
            facts[name] = getattr(self, name)
        facts["spans"] = list(map(list, self.spans))
        if self.look is not None:
            look = self.look
            facts["look"] = [look.size, look.bold, look.italic, look.caps, look.font, list(look.colour)]
        facts["children"] = [child.as_json() for child in self.children]
        return facts


def passage_in(said: Mapping[str, Any]) -> Passage:
    """The passage that `as_json` wrote."""
    facts = dict(said)
    look = facts.pop("look", None)
    return Passage(
        **{
            **facts,
            "role": PassageRole(facts["role"]),
            "box": Rectangle(*facts["box"]),
            "spans": [Span(*span) for span in facts["spans"]],
            "children": [passage_in(child) for child in facts["children"]],
            "look": None if look is None else _look_in(*look),
        }
    )


def _look_in(size: float, bold: bool, italic: bool, caps: bool, font: str, colour: list[float]) -> Look:  # noqa: FBT001
    return Look(size=size, bold=bold, italic=italic, caps=caps, font=font, colour=tuple(colour))


def all_of(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Them and what they hold."""
    for passage in passages:
        yield passage
        yield from all_of(passage.children)
