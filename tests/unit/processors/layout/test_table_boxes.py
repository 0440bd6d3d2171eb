"""Boxes and tables: which of them holds the other."""

from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, column, line, page

from blobforge.processors.pdf_markdown.layout.model.content import Fill, Rectangle, Style, TextLine
from blobforge.processors.pdf_markdown.layout.model.passages import PassageRole
from blobforge.processors.pdf_markdown.layout.page import passages_of

TINT = (0.9, 0.9, 0.8)


def row(*texts: str, base: float, style: Style = BODY) -> list[TextLine]:
    return [line(text, left=60 + 80 * place, base=base, style=style) for place, text in enumerate(texts) if text]


def test_a_stripe_with_several_lines_is_a_row_and_no_box() -> None:
    lines = [*row("Tree", "Takes", "Gives", base=100, style=BOLD), *row("1", "A name", "Sleep", base=116)]
    for base in (132, 180):
        lines += [*row("2", "The song", "A pitch", base=base), *row("", "that you", "so clear", base=base + 12)]
        lines += [*row("", "heard", "", base=base + 24)]
    stripes = [Fill(Rectangle(50, 122, 300, 162), TINT), Fill(Rectangle(50, 170, 300, 210), TINT)]

    found = passages_of(page(lines)._replace(fills=stripes), SURVEY)

    assert [passage.role for passage in found] == [PassageRole.TABLE]


def test_a_table_in_a_box_stays_in_it() -> None:
    lines = [*column("Boars keep the old", "roads clear at night", "and ask for tolls", left=60, base=100)]
    lines += [*row("Might", "Grace", "Wits", base=140, style=BOLD), *row("9", "3", "6", base=152)]
    box = Fill(Rectangle(50, 85, 300, 165), TINT)

    found = passages_of(page(lines)._replace(fills=[box]), SURVEY)

    assert [passage.role for passage in found] == [PassageRole.QUOTE]
    assert [child.role for child in found[0].children] == [PassageRole.PARAGRAPH, PassageRole.TABLE]
