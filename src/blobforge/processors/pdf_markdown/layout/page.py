"""A page on its way from lines to passages: boxes, tables, columns, blocks."""

from collections.abc import Iterable, Iterator, Sequence

from blobforge.processors.pdf_markdown.layout.blocks import BULLET, NUMBER, Blocks, merged_rows
from blobforge.processors.pdf_markdown.layout.inline import joined, markdown_of, plain_text
from blobforge.processors.pdf_markdown.layout.items import Figure, Framed, Item, by_top, item_of
from blobforge.processors.pdf_markdown.layout.model import Box, Line, PageContent
from blobforge.processors.pdf_markdown.layout.passages import Passage, Role
from blobforge.processors.pdf_markdown.layout.regions import columns_in_order
from blobforge.processors.pdf_markdown.layout.separators import Separator, boxes_of, inside, separators_of
from blobforge.processors.pdf_markdown.layout.survey import Survey, without_running
from blobforge.processors.pdf_markdown.layout.table_finder import TableFinder
from blobforge.processors.pdf_markdown.layout.tables import Cell, Table, is_header


def passages_of(page: PageContent, survey: Survey) -> list[Passage]:
    return _Page(page, survey).passages()


class _Page:
    def __init__(self, page: PageContent, survey: Survey) -> None:
        self._page = page
        self._survey = survey
        self._separators = separators_of(page)

    def passages(self) -> list[Passage]:
        lines = with_markers_joined(without_running(self._page, self._survey))
        framed, lines = self._framed(lines)
        wide, lines = self._wide_tables(lines)
        figures = [Figure(box, number) for number, box in enumerate(self._page.images, start=1) if self._is_shown(box)]
        items = [item_of(thing) for thing in (*framed, *wide, *figures, *lines)]
        return [passage for column in columns_in_order(items, self._survey) for passage in self._column(column)]

    def _is_shown(self, box: Box) -> bool:
        """Not a decoration, nor the paper."""
        area = self._page.width * self._page.height
        return box.width > 24 and box.height > 24 and box.area < 0.6 * area  # noqa: PLR2004

    def _framed(self, lines: list[Line]) -> tuple[list[Framed], list[Line]]:
        """Boxes with text that is not all table; and the lines outside."""
        framed: list[Framed] = []
        for box in boxes_of(self._page, lines, self._survey.size):
            inner = [line for line in lines if inside(box, line)]
            in_tables = sum(len(cell) for table in self._tables(inner) for row in table.rows for cell in row)
            if not inner or len(inner) - in_tables < 0.35 * len(inner):
                continue
            framed.append(Framed(box, inner))
            lines = [line for line in lines if not inside(box, line)]
        return framed, lines

    def _wide_tables(self, lines: list[Line]) -> tuple[list[Table], list[Line]]:
        """Tables whose rules run across what would be a gutter: found before the columns."""
        found: list[Table] = []
        for left, right, top, bottom in _chains(self._separators):
            reach = 2.5 * self._survey.size
            near = [
                line
                for line in lines
                if left - 4 <= line.left and line.right <= right + 4 and top - reach <= line.base <= bottom + reach
            ]
            tables = self._tables(near)
            found += tables
            gone = {id(line) for table in tables for row in table.rows for cell in row for line in cell}
            lines = [line for line in lines if id(line) not in gone]
        return found, lines

    def _tables(self, lines: Sequence[Line]) -> list[Table]:
        return TableFinder(lines, self._separators, self._survey).find()

    def _column(self, column: Sequence[Item]) -> Iterator[Passage]:
        lines = [item.thing for item in column if isinstance(item.thing, Line)]
        tables = self._tables(lines)
        gone = {id(line) for table in tables for row in table.rows for cell in row for line in cell}
        rest = merged_rows([line for line in lines if id(line) not in gone])
        others = [item for item in column if not isinstance(item.thing, Line)]
        run: list[Line] = []
        for item in by_top([*others, *map(item_of, tables), *map(item_of, rest)]):
            if isinstance(item.thing, Line):
                run.append(item.thing)
                continue
            yield from self._blocks(run)
            run = []
            yield self._passage(item.thing)
        yield from self._blocks(run)

    def _blocks(self, lines: Sequence[Line]) -> list[Passage]:
        return Blocks(lines, self._survey, page=self._page.number).passages()

    def _passage(self, thing: Table | Framed | Figure) -> Passage:
        number = self._page.number
        match thing:
            case Table():
                return Passage(role=Role.TABLE, page=number, box=thing.box, rows=_rows(thing))
            case Framed():
                inner = columns_in_order([item_of(line) for line in thing.lines], self._survey)
                children = [passage for column in inner for passage in self._column(column)]
                return Passage(role=Role.QUOTE, page=number, box=thing.box, children=children)
            case Figure():
                return Passage(role=Role.FIGURE, page=number, box=thing.box, text=f"image-{thing.number}")


def _rows(table: Table) -> list[list[str]]:
    """The cells as Markdown; a header row in bold is plain, for a header is bold by itself."""
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    if is_header([line for cell in table.rows[0] for line in cell]):
        rows[0] = [_cell(cell, plain=True) for cell in table.rows[0]]
    return rows


def _cell(cell: Cell, *, plain: bool = False) -> str:
    words = joined(cell)
    return (plain_text(words) if plain else markdown_of(words)).replace("|", "\\|")


def _chains(separators: Iterable[Separator]) -> list[tuple[float, float, float, float]]:
    """Extents of separators of one width that follow each other closely."""
    chains: list[list[float]] = []
    for mark in separators:
        for chain in chains:
            alike = abs(chain[0] - mark.left) <= 4 and abs(chain[1] - mark.right) <= 4  # noqa: PLR2004
            if alike and mark.y - chain[3] <= 90:  # noqa: PLR2004
                chain[3] = mark.y
                chain[4] += 1
                break
        else:
            chains.append([mark.left, mark.right, mark.y, mark.y, 1])
    return [(left, right, top, bottom) for left, right, top, bottom, count in chains if count > 1]


def with_markers_joined(lines: list[Line]) -> list[Line]:
    """A bullet or a number that stands apart belongs to the text right of it."""
    marks = [line for line in lines if len(line.words) == 1 and _is_mark(line.words[0].text)]
    gone: set[int] = set()
    for mark in marks:
        right_of = [
            line
            for line in lines
            if line is not mark
            and abs(line.base - mark.base) <= 0.3 * line.size
            and 0 < line.left - mark.right < 3 * line.size
        ]
        if not right_of:
            continue
        host = min(right_of, key=lambda line: line.left)
        if len(host.text) > 1 and id(host) not in gone:
            host.words = [mark.words[0], host.words[0]._replace(spaced=True), *host.words[1:]]
            gone.add(id(mark))
    return [line for line in lines if id(line) not in gone]


def _is_mark(text: str) -> bool:
    return BULLET.fullmatch(text) is not None or NUMBER.fullmatch(text) is not None
