"""Markdown as people read it in a terminal: prose in lines of a comfortable length, tables as wide as they need."""

import shutil
import sys
from io import StringIO
from itertools import zip_longest
from urllib.parse import unquote

from markdown_it.token import Token
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.markdown import (
    BlockQuote,
    Heading,
    ListElement,
    Markdown,
    Paragraph,
    TableElement,
)
from rich.style import Style
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from blobforge.cli import output
from blobforge.results.excerpt import without_controls

WIDEST_PROSE = 100
"""Columns. The eye loses its way back in longer lines."""
PIPE_COLUMNS = 120

_UNDERLINES = {"h1": "═", "h2": "─"}
_HEADINGS = Theme({f"markdown.h{level}": "bold" for level in range(1, 7)})
# Narrower than this, a column of words is a column of letters.
_NARROWEST_COLUMN = 8


def rendered(markdown: str) -> list[str]:
    """The lines for stdout: fitted to the terminal and styled, or plain for a pipe or file."""
    is_terminal = output.is_terminal(sys.stdout)
    columns = shutil.get_terminal_size().columns if is_terminal else PIPE_COLUMNS
    page = StringIO()
    console = Console(
        file=page,
        width=columns,
        force_terminal=is_terminal,
        color_system="standard" if output.has_colour(sys.stdout) else None,
        highlight=False,
        emoji=False,
        markup=False,
        theme=_HEADINGS,
    )
    console.print(_Page(markdown))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    text = page.getvalue().encode(encoding, "replace").decode(encoding)
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def _prose(options: ConsoleOptions) -> ConsoleOptions:
    return options.update(width=min(options.max_width, WIDEST_PROSE))


class _Paragraph(Paragraph):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = self.justify
        yield from console.render(self.text, _prose(options))


class _Heading(Heading):
    """At the left, and recognizable without any colour."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        if self.tag not in _UNDERLINES:
            text = Text.assemble(("#" * int(self.tag[1]) + " ", "dim"), text)
        narrow = _prose(options)
        yield from console.render(text, narrow)
        if self.tag in _UNDERLINES:
            length = min(cell_len(text.plain), narrow.max_width)
            yield from console.render(Text(_UNDERLINES[self.tag] * length), narrow)


class _List(ListElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from super().__rich_console__(console, _prose(options))


class _Quote(BlockQuote):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from super().__rich_console__(console, _prose(options))


class _Table(TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._as_lines() if self._least_width() > options.max_width else self._as_table()

    def _rows(self) -> list[list[Text]]:
        head = [self.header.row] if self.header is not None and self.header.row is not None else []
        rows = [*head, *(self.body.rows if self.body is not None else [])]
        return [[cell.content for cell in row.cells] for row in rows]

    def _least_width(self) -> int:
        """Of columns with whole words, as far as these are not long."""
        columns = zip_longest(*self._rows(), fillvalue=Text())
        return sum(min(max(map(_longest_word, column)), _NARROWEST_COLUMN) + 3 for column in columns)

    def _as_lines(self) -> Group:
        """For what has more columns than there is room for: a row is a line, or as many as it takes."""
        rows = ([cell for cell in row if cell.plain.strip()] for row in self._rows())
        return Group(*(Text(" · ").join(row) for row in rows))

    def _as_table(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
        head, *rows = self._rows() or [[]]
        for cell in head:
            heading = cell.copy()
            heading.stylize(Style(bold=True))
            table.add_column(heading, overflow="fold")
        for row in rows:
            table.add_row(*row)
        return table


def _longest_word(cell: Text) -> int:
    return max(map(cell_len, cell.plain.split()), default=0)


class _Page(Markdown):
    elements = {  # noqa: RUF012 - as rich has it
        **Markdown.elements,
        "paragraph_open": _Paragraph,
        "heading_open": _Heading,
        "bullet_list_open": _List,
        "ordered_list_open": _List,
        "blockquote_open": _Quote,
        "table_open": _Table,
    }

    def __init__(self, markup: str) -> None:
        super().__init__(markup, hyperlinks=False)
        for token in self.parsed:
            token.children = [_told(child) for child in token.children] if token.children else token.children


def _told(token: Token) -> Token:
    """A picture as words in its place: rich would show it before the paragraph."""
    if token.type != "image":
        return token
    name = token.content or str(token.attrs.get("src", "")).rpartition("/")[2]
    return Token("text", "", 0, content=f"[picture: {without_controls(unquote(name))}]")
