"""The fields of a report's head: each label with what is printed for it, beside it, below it, or around it."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.lab_report.notation.dates import DAY_FIRST, find_date
from blobforge.processors.lab_report.page.rows import PrintedRow, cells_of
from blobforge.processors.lab_report.page.words import PositionedWord, text_of
from blobforge.processors.lab_report.vocabulary.labels import REMARK, is_label, kind_of, labels_in

_LABELLED = re.compile(r"[^\W\d_][^\d:,]{2,30}:\s")
_LETTER = re.compile(r"[A-Za-zÀ-ɏͰ-ӿ]")
_FORM = 3
_LEVEL = 0.2
_SAME = 1.0
_NAMES = ("name", "surname_first")
_NEAR = 1.6


class LabelledField(NamedTuple):
    """A label of a report's head and what is printed for it, up to the next label. `colon`: one stands between.

    `rows` are the places of the label's row, and of the row below where the text stands there.
    """

    kind: str
    text: str
    colon: bool
    rows: frozenset[int]
    label: str = ""


class FieldText(NamedTuple):
    """What is printed for a label, and the places of the rows that say it."""

    text: str
    places: frozenset[int]


def fields_of(rows: Sequence[PrintedRow], without: frozenset[int] = frozenset()) -> Iterator[LabelledField]:
    """Every label with its text: beside it, or in the cell under it where nothing is beside it.

    Rows in `without` (heads of tables and results) have none: there, Name is a column.
    """
    for place, row in enumerate(rows):
        if place in without:
            continue
        for number, cell in enumerate(text_of(cell) for cell in cells_of(row)):
            found = list(labels_in(cell))
            for at, label in enumerate(found):
                follower = found[at + 1] if at + 1 < len(found) else None
                text, places = _text_for(rows, place, number, label, follower)
                has_colon = bool((label["colon"] or "").strip())
                yield LabelledField(kind_of(label), text.strip(" ,;|:"), has_colon, places, label.group())


def _text_for(
    rows: Sequence[PrintedRow], place: int, number: int, label: "re.Match[str]", follower: "re.Match[str] | None"
) -> FieldText:
    kind = kind_of(label)
    cell = label.string
    # Birthdays share their label with the age or the sex: DOB/Age: 01.02.1980 (45 y).
    end = len(cell) if follower is None or kind == "birth" else follower.start()
    text = cell[label.end() : end].strip(" ,;|")
    is_shared = kind == "birth" and not _has_date(text)
    is_bare = follower is None and not REMARK.sub("", text).strip(" :.")
    found = _text_elsewhere(rows, place, number, kind) if is_shared or is_bare else FieldText(text, frozenset({place}))
    return _with_more_names(rows, found) if kind in _NAMES else found


def _text_elsewhere(rows: Sequence[PrintedRow], place: int, number: int, kind: str) -> FieldText:
    """Beside the label; or else level with it, or below it."""
    cells = [text_of(cell) for cell in cells_of(rows[place])]
    text = "" if kind == "heading" or _is_head(cells) else _beside(cells, number)
    if kind == "birth":
        text = next((cell for cell in cells[number + 1 : number + 3] if _has_date(cell)), text)
    if text and (kind != "birth" or _has_date(text)):
        return FieldText(text, frozenset({place}))
    own = cells_of(rows[place])[number]
    other, text = _level(rows, place, own)
    if not text:
        other = _place_of_texts(rows, place)
        text = at_margin(rows, other, place, own)
    return FieldText(text, frozenset({place, other}))


def _with_more_names(rows: Sequence[PrintedRow], found: FieldText) -> FieldText:
    """A name of several lines: a surname and a comma, or each word in a line of its own."""
    place = max(found.places)
    more = _names_below(rows, place, found.text)
    if not more and found.text.endswith(","):
        own = next((cell for cell in cells_of(rows[place]) if text_of(cell).endswith(found.text)), None)
        more = below(rows, place, own) if own else ""
    return FieldText(f"{found.text} {more}", found.places | {place + 1}) if more else found


def _is_head(cells: Sequence[str]) -> bool:
    """Labels side by side, mostly; what they label stands below them."""
    labels = sum(is_label(cell) and ":" not in cell for cell in cells)
    return labels >= _FORM and labels * 2 > len(cells)


def _has_date(text: str) -> bool:
    return find_date(text, DAY_FIRST) is not None


def _beside(cells: Sequence[str], number: int) -> str:
    """The next cell, unless it is a label itself; a colon may stand in a cell of its own."""
    for cell in cells[number + 1 : number + 3]:
        bare = cell.strip(" :")
        if not bare or _is_foreign(bare):
            continue
        return "" if is_label(bare) or _LABELLED.match(bare) else cell.lstrip(" :")
    return ""


def _is_foreign(text: str) -> bool:
    """In other letters than the reports here are written in: the same label once more."""
    return any(map(str.isalpha, text)) and _LETTER.search(text) is None


def below(rows: Sequence[PrintedRow], place: int, own: Sequence[PositionedWord]) -> str:
    """The text under a cell of this row, close to it and at its margin; nothing where that is a label."""
    return at_margin(rows, place + 1, place, own)


def at_margin(rows: Sequence[PrintedRow], at: int, place: int, own: Sequence[PositionedWord]) -> str:
    """The text in another row at the margin of a cell, and close to it; nothing where that is a label."""
    if not 0 <= at < len(rows) or rows[at].page != rows[place].page:
        return ""
    for cell in cells_of(rows[at]):
        gap = max(cell[0].top - own[0].bottom, own[0].top - cell[0].bottom)
        if abs(cell[0].x0 - own[0].x0) < 2 * own[0].size and gap < _NEAR * own[0].size:
            text = text_of(cell)
            return "" if is_label(text) else text
    return ""


def _level(rows: Sequence[PrintedRow], place: int, own: Sequence[PositionedWord]) -> tuple[int, str]:
    """The text beside a label of two lines, which stands between them; and its place."""
    for at in (place - 1, place + 1):
        if not 0 <= at < len(rows) or rows[at].page != rows[place].page or len(cells_of(rows[place])) > 1:
            continue
        first = cells_of(rows[at])[0]
        shared = min(first[0].bottom, own[0].bottom) - max(first[0].top, own[0].top)
        if first[0].x0 > own[-1].x1 and shared > _LEVEL * own[0].size and not is_label(text_of(first)):
            return at, text_of(first)
    return place, ""


def _names_below(rows: Sequence[PrintedRow], place: int, text: str) -> str:
    """Given name and patronymic, each alone in its line below the surname, and printed as it is."""
    found: list[str] = []
    for above, row in pairwise(rows[place : place + _FORM]):
        first, own = cells_of(above)[0], cells_of(row)[0]
        if (found[-1] if found else text) != text_of(first) or above.page != row.page or not _follows(first, own):
            break
        found.append(own[0].text)
    return " ".join(found)


def _follows(first: Sequence[PositionedWord], own: Sequence[PositionedWord]) -> bool:
    upper, lower = first[0], own[0]
    is_next = lower.top - upper.bottom < lower.size
    is_alike = abs(lower.x0 - upper.x0) < _SAME and abs(lower.size - upper.size) < _SAME
    are_words = len(first) == len(own) == 1 and lower.text.isalpha() and lower.text[0].isupper()
    return is_next and is_alike and are_words and not is_label(lower.text)


def _place_of_texts(rows: Sequence[PrintedRow], place: int) -> int:
    """Of labels without text beside them: it stands below, but in a form with all labels under its lines, above."""
    labels = cells_of(rows[place])
    if not place or len(labels) < _FORM or not all(is_label(text_of(cell)) for cell in labels):
        return place + 1
    rise = rows[place].box.top - rows[place - 1].box.bottom
    fall = rows[place + 1].box.top - rows[place].box.bottom if place + 1 < len(rows) else float("inf")
    texts = cells_of(rows[place - 1])
    is_form = len(texts) >= len(labels) and not any(is_label(text_of(cell)) for cell in texts)
    return place - 1 if is_form and rise < fall else place + 1
