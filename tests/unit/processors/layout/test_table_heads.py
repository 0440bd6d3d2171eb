"""Heads that are centred over several columns."""

from tests.unit.processors.layout.made import BOLD, SURVEY, line

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator
from blobforge.processors.pdf_markdown.layout.tables.finder import TableFinder

LEFTS = (50.0, 100.0, 200.0, 300.0, 400.0)
RULES = [Separator(48, 450, y) for y in (92.0, 103.0, 115.0, 127.0, 139.0)]
SECOND = ("Day", "Night", "Day", "Night")


def row(*texts: str, base: float) -> list[TextLine]:
    return [line(text, left=left, base=base) for left, text in zip(LEFTS, texts, strict=True)]


def table(*heads: TextLine) -> list[list[str]]:
    lines = [
        *heads,
        *(line(text, left=left, base=112, style=BOLD) for left, text in zip(LEFTS[1:], SECOND, strict=True)),
    ]
    lines += [
        *row("Rock", "Crab", "Moth", "Gulls", "Bell", base=124),
        *row("Mud", "Eel", "Eel", "None", "Eel", base=136),
    ]
    found = TableFinder(lines, RULES, SURVEY).find()[0]
    return [[" ".join(piece.text for piece in cell) for cell in cells] for cells in found.rows]


def head(text: str, left: float) -> TextLine:
    return line(text, left=left, base=100, style=BOLD)


def test_a_head_between_its_columns_belongs_to_the_first_of_them() -> None:
    rows = table(head("Shore", 50), head("Low", 150), head("High", 350))

    assert rows[:2] == [["Shore", "Low", "", "High", ""], ["", *SECOND]]


def test_one_head_over_all_columns_belongs_to_the_first_of_them() -> None:
    assert table(head("Shore", 50), head("Tide", 250))[0] == ["Shore", "Tide", "", "", ""]


def test_a_head_right_over_its_column_stays() -> None:
    assert table(head("Shore", 50), head("Low", 100), head("High", 300))[0] == ["Shore", "Low", "", "High", ""]


def test_a_head_at_the_other_side_of_its_column_belongs_to_it() -> None:
    lefts = (50.0, 150.0, 330.0)
    lines = [
        line(text, left=left, base=100, style=BOLD) for left, text in ((50, "Place"), (195, "Region"), (300, "Share"))
    ]
    for place, texts in enumerate(("Pier East 9%", "Mill Tide 29%", "Hill West 34%", "Coast Road 12%"), start=1):
        lines += [line(text, left=left, base=100 + 12 * place) for left, text in zip(lefts, texts.split(), strict=True)]

    (found,) = TableFinder(lines, [], SURVEY).find()

    assert [[piece.text for piece in cell] for cell in found.rows[0]] == [["Place"], ["Region"], ["Share"]]
    assert len(found.edges) == 4


def test_heads_over_columns_that_say_the_same_again_belong_to_the_first_of_each_part() -> None:
    rows = table(head("Low", 190), head("High", 390))

    assert rows[0] == ["", "Low", "", "High", ""]
