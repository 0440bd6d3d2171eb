"""Columns of running text, made by hand."""

from tests.unit.processors.layout.made import BODY, line

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Item, Thing, item_of

_TEXT = "running text that goes on and on as far as it will go here"


def text(
    name: str, count: int, *, left: float, top: float = 100.0, letters: int = 36, style: Style = BODY
) -> list[TextLine]:
    """Lines of one column; each begins with its name and its number, and reads on."""
    return [
        line(f"{name}{place} {_TEXT}"[:letters].strip(), left=left, base=top + 8.0 + 12.0 * place, style=style)
        for place in range(count)
    ]


def items(*groups: list[TextLine] | Thing) -> list[Item]:
    things = [thing for group in groups for thing in (group if isinstance(group, list) else [group])]
    return [item_of(thing) for thing in things]


def names(columns: list[list[Item]]) -> list[list[str]]:
    """The first word of each line, column by column."""
    return [
        [each.thing.words[0].text if isinstance(each.thing, TextLine) else "*" for each in made] for made in columns
    ]


def read(columns: list[list[Item]]) -> str:
    """The letters that the lines begin with, in the order in which they are read, each once in a row."""
    order: list[str] = []
    for name in (name for made in names(columns) for name in made):
        if not order or order[-1] != name[0]:
            order.append(name[0])
    return "".join(order)
