"""Takes one page through the stages: pictures, tables, boxes, reading order, text blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import NOTICED, PageContent, Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.items import Figure, Framed, Item, Thing, by_top, item_of
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, all_of
from blobforge.processors.pdf_markdown.layout.model.table import DetectedTable, rows_of
from blobforge.processors.pdf_markdown.layout.order.column_notes import with_notes_last
from blobforge.processors.pdf_markdown.layout.order.float_placement import placed_note
from blobforge.processors.pdf_markdown.layout.order.gutters import Rules
from blobforge.processors.pdf_markdown.layout.order.margins import margin_notes
from blobforge.processors.pdf_markdown.layout.order.reading_order import columns_in_order
from blobforge.processors.pdf_markdown.layout.order.side_headings import with_side_headings_above
from blobforge.processors.pdf_markdown.layout.order.table_labels import labels_of
from blobforge.processors.pdf_markdown.layout.pictures.figures import captions_taken, drawn_figures
from blobforge.processors.pdf_markdown.layout.pictures.illustrations import PAPER, figure_passage, illustrated, without
from blobforge.processors.pdf_markdown.layout.rulings.separators import boxes_of, inside, separators_of
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey, running_in, without_running
from blobforge.processors.pdf_markdown.layout.tables.cells import table_passage
from blobforge.processors.pdf_markdown.layout.tables.search import TableSearch, without_tables
from blobforge.processors.pdf_markdown.layout.text.blocks import Blocks, merged_rows
from blobforge.processors.pdf_markdown.layout.text.emphasis import look_of
from blobforge.processors.pdf_markdown.layout.text.inline import markdown_of
from blobforge.processors.pdf_markdown.layout.text.list_entries import is_mark
from blobforge.processors.pdf_markdown.layout.text.list_numbers import numbered_in
from blobforge.processors.pdf_markdown.layout.words.drawn_bullets import with_ornate_bullets
from blobforge.processors.pdf_markdown.layout.words.turned import turned_back
from blobforge.processors.pdf_markdown.layout.words.underlines import with_underlined_bold

_SEVERAL = 3
"""Turned lines of so many words: fewer are tabs in the margin and labels of charts."""


def passages_of(page: PageContent, survey: DocumentSurvey) -> list[Passage]:
    figures, rest = illustrated(page, survey)
    return _PageLayout(rest, survey, figures).passages()


class _PageColumn(NamedTuple):
    """What is read from top to bottom: lines of text, and everything else."""

    lines: list[TextLine]
    others: list[Item]


class _PageLayout:
    def __init__(self, page: PageContent, survey: DocumentSurvey, figures: Sequence[Figure]) -> None:
        self._page = page
        self._sheets = [figure for figure in figures if figure.picture.area >= PAPER * page.width * page.height]
        """Pictures that fill the page; what is written over them is read after them."""
        self._figures = [figure for figure in figures if figure not in self._sheets]
        self._survey = survey
        self._tables = TableSearch(page, survey)
        self._labels: dict[int, TextLine] = {}
        """By the ids of their tables."""
        self._numbered: set[int] = set()
        """The ids of lines that begin a numbered paragraph."""
        self._rules = Rules([Rectangle(left, y, right, y) for left, right, y in separators_of(page)], page.verticals)

    def passages(self) -> list[Passage]:
        lines = with_ornate_bullets(without_running(self._page, self._survey), self._page.marks)
        lines = with_markers_joined(lines)
        wide = self._tables.across(lines)
        lines = with_underlined_bold(lines, self._page.horizontals)
        framed, lines = self._framed(lines, wide)
        wide = [table for table in wide if not any(frame.box.holds(table.box, slack=2) for frame in framed)]
        lines = without_tables(lines, wide)
        lines = with_side_headings_above(lines, self._survey)
        notes, lines = margin_notes(lines, self._survey)
        figures = list(self._figures)
        lines = captions_taken(figures, lines, self._survey)
        drawn = drawn_figures(lines, self._survey)
        figures += drawn
        lines = without(lines, (line for figure in drawn for line in figure.caption))
        self._labels = labels_of(wide, lines)
        things: list[Thing] = [*framed, *wide, *figures, *without(lines, self._labels.values())]
        items = [self._with_label(item_of(thing)) for thing in things]
        columns = with_notes_last(columns_in_order(items, self._survey, self._rules), self._rules)
        for note in notes:
            placed_note(columns, item_of(note), self._survey)
        read = [*map(self._passage, self._sheets), *self._read(columns)]
        turned, asides = self._turned()
        return [*read, *turned, *self._running(), *asides]

    def _running(self) -> Iterator[Passage]:
        """Only the whole document shows whether it says something that stands nowhere else."""
        for line, said in running_in(self._page, self._survey):
            text = markdown_of(line.words, bold=not self._survey.bold)
            look = look_of(line.words)
            yield Passage(
                role=PassageRole.RUNNING, page=self._page.number, box=line.box, text=text, plain=said, look=look
            )

    def _with_label(self, item: Item) -> Item:
        label = self._labels.get(id(item.thing))
        return item if label is None else Item(around([item.box, label.box]), item.thing)

    def _turned(self) -> tuple[list[Passage], list[Passage]]:
        """Text at an angle that is more than labels, such as a turned table, comes last; so does what is missed.
        Of a few words, only the whole document shows whether it says them anywhere else."""
        asides = [passage for aside in self._page.asides for passage in self._read_at_angle(aside)]
        turned = self._page.turned
        if turned is None:
            return [], list(_as_asides(asides))
        found = self._read_at_angle(turned)
        lines = without(turned.lines, self._tables.turned_taken)
        is_text = sum(len(line.words) >= _SEVERAL for line in lines) >= _SEVERAL or self._is_missed(lines)
        if is_text or any(passage.role is PassageRole.TABLE for passage in found):
            return found, list(_as_asides(asides))
        return [], list(_as_asides([*found, *asides]))

    def _read_at_angle(self, aside: PageContent) -> list[Passage]:
        aside = aside._replace(lines=without(aside.lines, self._tables.turned_taken))
        found = passages_of(aside, self._survey)
        for passage in all_of(found):
            passage.box = turned_back(passage.box, aside, on=self._page)
        return found

    def _is_missed(self, turned: Sequence[TextLine]) -> bool:
        """On a page with little text, a label says much of it."""
        said = _letters(turned)
        return said > NOTICED * (_letters(self._page.lines) + said)

    def _framed(self, lines: list[TextLine], tables: Sequence[DetectedTable]) -> tuple[list[Framed], list[TextLine]]:
        """Boxes with text that is not all table, nor a part of one; and the lines outside."""
        framed: list[Framed] = []
        for box in boxes_of(self._page, lines, self._survey.size):
            if any(box.overlaps(table.box) and not box.holds(table.box, slack=2) for table in tables):
                continue
            inner = [line for line in lines if inside(box, line)]
            outside = without_tables(inner, self._tables.within(inner))
            if not inner or len(rows_of(outside)) < 0.35 * len(rows_of(inner)):
                continue
            framed.append(Framed(box, inner))
            lines = [line for line in lines if not inside(box, line)]
        return framed, lines

    def _read(self, columns: Sequence[Sequence[Item]]) -> Iterator[Passage]:
        sorted_out = [self._sorted_out(column) for column in columns]
        self._numbered |= numbered_in([line for column in sorted_out for line in column.lines], self._survey)
        for column in sorted_out:
            yield from self._column(column)

    def _sorted_out(self, column: Sequence[Item]) -> _PageColumn:
        lines = [item.thing for item in column if isinstance(item.thing, TextLine)]
        tables = self._tables.within(lines)
        others = [item for item in column if not isinstance(item.thing, TextLine)]
        return _PageColumn(merged_rows(without_tables(lines, tables)), [*others, *map(item_of, tables)])

    def _column(self, column: _PageColumn) -> Iterator[Passage]:
        run: list[TextLine] = []
        for item in by_top([*column.others, *map(item_of, column.lines)]):
            if isinstance(item.thing, TextLine):
                run.append(item.thing)
                continue
            yield from self._blocks(run)
            run = []
            yield from self._blocks([line for line in (self._labels.get(id(item.thing)),) if line is not None])
            if not isinstance(item.thing, Figure) or item.thing.number:
                yield self._passage(item.thing)
            if isinstance(item.thing, Figure):
                yield from self._blocks(item.thing.caption)
        yield from self._blocks(run)

    def _blocks(self, lines: Sequence[TextLine]) -> list[Passage]:
        return Blocks(lines, self._survey, page=self._page.number, numbered=self._numbered).passages()

    def _passage(self, thing: DetectedTable | Framed | Figure) -> Passage:
        number = self._page.number
        match thing:
            case DetectedTable():
                return table_passage(thing, self._survey, page=number)
            case Framed():
                inner = columns_in_order([item_of(line) for line in thing.lines], self._survey)
                return Passage(role=PassageRole.QUOTE, page=number, box=thing.box, children=list(self._read(inner)))
            case Figure():
                return figure_passage(thing, page=number)


def _as_asides(passages: Sequence[Passage]) -> Iterator[Passage]:
    for passage in all_of(passages):
        said = f"{passage.marker} {passage.plain}".strip()
        if passage.role is not PassageRole.FIGURE and said:
            text = f"{passage.marker} {passage.text}".strip()
            yield replace(passage, role=PassageRole.ASIDE, text=text, plain=said, marker="", children=[])


def with_markers_joined(lines: list[TextLine]) -> list[TextLine]:
    """A bullet or a number that stands apart belongs to the text right of it."""
    marks = [line for line in lines if len(line.words) == 1 and is_mark(line.words[0].text)]
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


def _letters(lines: Sequence[TextLine]) -> int:
    return sum(letter.isalnum() for line in lines for letter in line.text)
