"""Reads a source text into blocks for the page, and into the Markdown that counts as the truth about that page.

A source is Markdown with hints: comments on a line of their own, for the block that follows.
The truth is the source without its hints, so that page and truth cannot drift apart.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

TEXTS = Path(__file__).parent / "texts"
HINT = re.compile(r"<!--(.*?)-->", re.DOTALL)
HINT_LINE = re.compile(r"^<!--[^\n]*-->\n\n?", re.MULTILINE)
NOTE = re.compile(r"\[\^(\d+)\]: ")
NOTE_MARK = re.compile(r"\[\^(\d+)\]")

Hints: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    level: int
    text: str
    hints: Hints = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A paragraph; its text carries reportlab's markup."""

    text: str
    hints: Hints = field(default_factory=dict)

    @property
    def is_bold_line(self) -> bool:
        return re.fullmatch(r"<b>[^<]*</b>", self.text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    number: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list; an item is a paragraph and whatever else belongs to it, such as a list within."""

    first_number: int | None
    items: "Sequence[Sequence[Block]]"
    hints: Hints = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table; the first row is its head, empty where the page shows none."""

    rows: Sequence[Sequence[str]]
    alignments: Sequence[str]
    hints: Hints = field(default_factory=dict)

    @property
    def has_head(self) -> bool:
        return any(self.rows[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Set apart from the running text: a sidebar, a stat block, a pull quote."""

    blocks: "Sequence[Block]"
    hints: Hints = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """From here on the text runs in so many columns."""

    count: int


Block: TypeAlias = Heading | Text | Note | Items | Grid | Box | Columns


def read_source(name: str) -> str:
    return typographic((TEXTS / f"{name}.md").read_text(encoding="utf-8"))


def typographic(text: str) -> str:
    """Sources are written with the marks of a keyboard, pages and truth have those of a type case."""
    text = re.sub(r'"([^"]*)"', "\N{LEFT DOUBLE QUOTATION MARK}\\1\N{RIGHT DOUBLE QUOTATION MARK}", text)
    text = re.sub(r"(?<=[\w ])--(?=[\w ])", "\N{EN DASH}", text)
    return text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")


def truth(source: str) -> str:
    return HINT_LINE.sub("", source).strip() + "\n"


def blocks(source: str) -> Sequence[Block]:
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    return list(_Reader(iter(tokens)).read_until(""))


class _Reader:
    """Turns the flat run of tokens into nested blocks."""

    def __init__(self, tokens: Iterator[Token]) -> None:
        self._tokens = tokens

    def read_until(self, closing: str) -> Iterator[Block]:
        hints: Hints = {}
        for token in self._tokens:
            if token.type == closing:
                return
            if token.type == "html_block":
                hints = _hints(token.content)
                if "columns" in hints:
                    yield Columns(count=int(hints["columns"]))
                    hints = {}
                continue
            yield self._read_block(token, hints)
            hints = {}

    def _read_block(self, token: Token, hints: Hints) -> Block:
        match token.type:
            case "heading_open":
                return Heading(level=int(token.tag[1]), text=self._read_inline("heading_close"), hints=hints)
            case "paragraph_open":
                return _text_or_note(self._read_inline("paragraph_close"), hints)
            case "blockquote_open":
                return Box(blocks=list(self.read_until("blockquote_close")), hints=hints)
            case "bullet_list_open":
                return Items(first_number=None, items=list(self._read_items("bullet_list_close")), hints=hints)
            case "ordered_list_open":
                first = int(token.attrGet("start") or 1)
                return Items(first_number=first, items=list(self._read_items("ordered_list_close")), hints=hints)
            case "table_open":
                return self._read_grid(hints)
        raise ValueError(f"the sources have no {token.type}")

    def _read_inline(self, closing: str) -> str:
        text = ""
        for token in self._tokens:
            if token.type == closing:
                break
            text = _markup(token)
        return text

    def _read_items(self, closing: str) -> Iterator[Sequence[Block]]:
        for token in self._tokens:
            if token.type == closing:
                return
            yield list(self.read_until("list_item_close"))

    def _read_grid(self, hints: Hints) -> Grid:
        rows: list[list[str]] = []
        alignments: list[str] = []
        for token in self._tokens:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                alignments.append(str(token.attrGet("style") or "text-align:left").removeprefix("text-align:"))
            elif token.type == "inline":
                rows[-1].append(_markup(token))
        return Grid(rows=rows, alignments=alignments, hints=hints)


def _hints(comment: str) -> Hints:
    """`<!-- figure=heron side=left -->`; a word without a value has the value of its own name."""
    found = HINT.search(comment)
    words = found[1].split() if found else []
    return {word.partition("=")[0]: word.partition("=")[2] or word for word in words}


def _markup(inline: Token) -> str:
    tags = {"strong_open": "<b>", "strong_close": "</b>", "em_open": "<i>", "em_close": "</i>", "softbreak": " "}
    parts = [
        escape(child.content) if child.type == "text" else tags.get(child.type, "") for child in inline.children or ()
    ]
    return "".join(parts)


def _text_or_note(text: str, hints: Hints) -> Text | Note:
    if found := NOTE.match(text):
        return Note(number=found[1], text=text[found.end() :])
    return Text(text=NOTE_MARK.sub(r"<super>\1</super>", text), hints=hints)
