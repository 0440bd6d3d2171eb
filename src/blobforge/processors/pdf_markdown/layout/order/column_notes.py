"""Notes at the foot of a column: read after the columns beside it, for the text goes on from one to the next."""

from collections.abc import Sequence
from statistics import median_low

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Item
from blobforge.processors.pdf_markdown.layout.order.gutters import Rules

_SMALLER = 0.95
"""Of the text before them."""
_AS_FAR_IN = 3.0


def with_notes_last(columns: list[list[Item]], rules: Rules) -> list[list[Item]]:
    texts: list[list[Item]] = []
    notes: list[list[Item]] = []
    for number, column in enumerate(columns):
        place = _first_note(column, rules)
        if place < len(column) and (notes or _is_beside(column[place].box, columns[number + 1 :])):
            texts.append(column[:place])
            notes.append(column[place:])
        else:
            texts.append(column)
    return texts + notes


def _first_note(column: Sequence[Item], rules: Rules) -> int:
    """Where the small lines at the end begin, when a rule stands above them; else the end."""
    end = len(column)
    for place in range(end - 1, 0, -1):
        note, before = column[place], column[place - 1]
        if not isinstance(note.thing, TextLine):
            return end
        if isinstance(before.thing, TextLine) and note.thing.size < _SMALLER * before.thing.size:
            return place if _is_text(column[:place]) and _is_ruled(before.box, note.box, rules) else end
    return end


def _is_text(column: Sequence[Item]) -> bool:
    """Whether it ends with a line as large as most: a larger one is a heading, perhaps with a rule under it."""
    sizes = [item.thing.size for item in column if isinstance(item.thing, TextLine)]
    return len(sizes) > 1 and sizes[-1] == median_low(sizes)


def _is_ruled(before: Rectangle, note: Rectangle, rules: Rules) -> bool:
    """Whether a rule that begins no farther in than the note stands above it: others belong to drawings."""
    return any(
        before.bottom - 1 <= rule.top <= note.top + 1
        and rule.left < note.left + _AS_FAR_IN
        and rule.right > before.left
        for rule in rules.horizontals
    )


def _is_beside(note: Rectangle, others: Sequence[Sequence[Item]]) -> bool:
    """Whether a column that is read later begins higher up."""
    return any(column and column[0].box.top < note.top and column[0].box.left > note.left for column in others)
