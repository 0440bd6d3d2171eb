"""Short pieces of print that OCR has passed over, such as the single figures of a column: found by their marks, and
laid out anew, one in a line, so that it can read them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Any, NamedTuple

from blobforge.documents.ocr_program import OcrWord
from blobforge.processors.pdf_markdown.ocr.marks import Mark
from blobforge.processors.pdf_markdown.ocr.unread_print import ground_of

DASH = "\N{EN DASH}"

_LOWEST, _HIGHEST, _WIDEST = 0.6, 1.5, 1.6
"""Of the height of a figure: how large a sign of print is."""
_FLAT, _DASH = 0.3, 0.3
"""A dash is at most so high, and at least so wide."""
_FULL, _ROUND = 0.7, 1.4
"""Of its box: so much of a bullet is ink. And how much higher than wide it may be: a one is slim."""
_MIDDLE = (0.25, 0.75)
"""Of the height of its row: a dash lies between."""
_POINT = 0.08
"""Smaller marks are specks."""
_SPACE = 0.5
"""Wider gaps part two pieces."""
_PART = 0.6
"""Within that of a word, it is a part of it."""
_OVERLAP = 0.5
_MOST_PIECES = 250
"""More are a picture, or a page that OCR cannot read."""
_MOST_MARKS = 12
"""A longer piece is a line that was passed over, which is looked for in another way."""
_SURE, _LEAST = 70.0, 30.0
_AFTER = 3
"""So many times nearer must a word on its right be than one on its left: a line goes on from left to right."""
_AROUND, _LEAST_AROUND = 0.25, 3
"""Of its height, and in pixels: so much paper is above and below a piece."""
_SHADE, _MOST_SHADED = 40, 0.2
"""Levels of grey below that of the paper, and of what is around a piece."""
_COLUMN = 3
_ASIDE = 0.25
"""Of the height of a figure: pieces of one column begin or end so close to each other."""


class Piece(NamedTuple):
    """In pixels. `row` is from where to where its row of print reaches, and `beside` a word of that row; `adjoining`
    are words that it is a part of: OCR has read the rest."""

    left: int
    top: int
    right: int
    bottom: int
    row: tuple[int, int]
    beside: OcrWord
    adjoining: tuple[OcrWord, ...]
    is_dash: bool

    @property
    def place(self) -> tuple[int, int, int, int]:
        """With the words that it is a part of."""
        left = min([self.left, *(word.left for word in self.adjoining)])
        right = max([self.right, *(word.left + word.width for word in self.adjoining)])
        return left, self.row[0], right, self.row[1]


class PieceSheet(NamedTuple):
    """Pieces on a sheet of their own, Pillow's, one below the other; `left` and `tops` are where each begins."""

    image: Any
    left: int
    pieces: Sequence[Piece]
    tops: Sequence[int]


def pieces_in(marks: Sequence[Mark], words: Sequence[OcrWord]) -> list[Piece]:
    """Those that stand in a row with words, in the size of their print."""
    tall = figure_height(words)
    found = [piece for group in _groups(marks, tall) if (piece := _piece(group, words, tall)) is not None]
    return found if len(found) <= _MOST_PIECES else []


def single_dashes(pieces: Sequence[Piece]) -> set[Piece]:
    """Those that no word adjoins, and that do not stand in a column of dashes: they may be strokes of a drawing."""
    alone = [piece for piece in pieces if piece.is_dash and not piece.adjoining]
    return {
        one
        for one in alone
        if not any(abs(one.right - other.right) <= _ASIDE * _height(one) for other in alone if other is not one)
    }


def _height(piece: Piece) -> int:
    return piece.row[1] - piece.row[0]


def stands_free(image: Any, piece: Piece) -> bool:
    """Whether there is paper above and below it: what is dark in a photograph has shades around it."""
    ground = ground_of(image)
    room = max(round(_AROUND * (piece.bottom - piece.top)), _LEAST_AROUND)
    strips = ((piece.top - room - 1, piece.top - 1), (piece.bottom + 1, piece.bottom + room + 1))
    levels = [image.crop((piece.left, top, piece.right, bottom)).histogram() for top, bottom in strips]
    shaded = sum(sum(level[: max(ground - _SHADE, 0)]) for level in levels)
    return shaded <= _MOST_SHADED * sum(map(sum, levels))


def figure_height(words: Iterable[OcrWord]) -> float:
    heights = [word.height for word in words if any(sign.isdigit() or sign.isupper() for sign in word.text)]
    return median(heights) if heights else 0.0


def _groups(marks: Iterable[Mark], tall: float) -> list[list[Mark]]:
    """Marks beside each other, from left to right."""
    groups: list[list[Mark]] = []
    near: list[list[Mark]] = []
    for mark in sorted(marks):
        if max(mark.width, mark.height) < _POINT * tall or mark.height > _HIGHEST * tall:
            continue
        near = [group for group in near if mark.left - max(one.right for one in group) <= _SPACE * tall]
        group = next((one for one in reversed(near) if _is_level(one, mark)), None)
        if group is None:
            group = []
            groups.append(group)
            near.append(group)
        group.append(mark)
    return groups


def _is_level(group: Sequence[Mark], mark: Mark) -> bool:
    return _shared(_reach(group), (mark.top, mark.bottom)) >= _OVERLAP


def _reach(marks: Iterable[Mark]) -> tuple[int, int]:
    return min(mark.top for mark in marks), max(mark.bottom for mark in marks)


def _shared(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Of the height of the lower one."""
    return (min(one[1], other[1]) - max(one[0], other[0])) / max(min(one[1] - one[0], other[1] - other[0]), 1)


def _piece(marks: Sequence[Mark], words: Sequence[OcrWord], usual: float) -> Piece | None:
    top, bottom = _reach(marks)
    left, right = min(mark.left for mark in marks), max(mark.right for mark in marks)
    # A sign that was misread may have a box over several lines.
    highest = _HIGHEST * max(usual, bottom - top)
    row = [
        word
        for word in words
        if word.height <= highest and _shared((top, bottom), (word.top, word.top + word.height)) >= _OVERLAP
    ]
    if not row or len(marks) > _MOST_MARKS:
        return None

    def gap(word: OcrWord) -> int:
        return max(word.left - right, left - word.left - word.width)

    # Columns beside each other have rows of their own.
    beside = min(row, key=lambda word: gap(word) * (1 if word.left < left else _AFTER))
    tall = figure_height([beside]) or usual
    is_dash = all(_is_dash(mark, beside, tall) for mark in marks)
    if not is_dash and not any(_is_sign(mark, tall) for mark in marks):
        return None
    return Piece(
        left,
        top,
        right,
        bottom,
        (min(top, beside.top), max(bottom, beside.top + beside.height)),
        beside,
        tuple(word for word in row if gap(word) <= _PART * tall),
        is_dash,
    )


def _is_sign(mark: Mark, tall: float) -> bool:
    is_large = _LOWEST * tall <= mark.height <= _HIGHEST * tall and mark.width <= _WIDEST * tall
    return is_large and not _is_bullet(mark)


def _is_bullet(mark: Mark) -> bool:
    return mark.ink >= _FULL * mark.width * mark.height and mark.height <= _ROUND * mark.width


def _is_dash(mark: Mark, beside: OcrWord, tall: float) -> bool:
    middle = ((mark.top + mark.bottom) / 2 - beside.top) / max(beside.height, 1)
    is_flat = mark.height <= _FLAT * tall and _DASH * tall <= mark.width <= _WIDEST * tall
    return is_flat and _MIDDLE[0] <= middle <= _MIDDLE[1]


def sheet_of(image: Any, pieces: Sequence[Piece]) -> PieceSheet:
    """`image` is that of the page."""
    from PIL import Image

    tall = max(map(_height, pieces))
    width = max(piece.place[2] - piece.place[0] for piece in pieces)
    sheet = Image.new("L", (width + 2 * tall, (2 * len(pieces) + 1) * tall), ground_of(image))
    tops = [(2 * order + 1) * tall for order in range(len(pieces))]
    for piece, top in zip(pieces, tops, strict=True):
        sheet.paste(image.crop(piece.place), (tall, top))
    return PieceSheet(sheet, tall, pieces, tops)


def read_from(sheet: PieceSheet, found: Sequence[OcrWord]) -> dict[Piece, list[OcrWord]]:
    """The words of each piece, where they stand on the page; of one that stands alone, only where they are sure."""
    places = zip(sheet.pieces, sheet.tops, strict=True)
    read = {piece: _words_of(piece, sheet.left, top, found) for piece, top in places}
    columns = in_columns(sheet.pieces)
    return {piece: words if is_sure(words) or piece in columns else [] for piece, words in read.items()}


def _words_of(piece: Piece, begin: int, top: int, found: Iterable[OcrWord]) -> list[OcrWord]:
    left, upper, _, lower = piece.place
    height = lower - upper
    words = [
        word._replace(left=word.left - begin + left, top=word.top - top + upper, line=piece.beside.line)
        for word in found
        if top - height / 2 <= word.top + word.height / 2 <= top + 1.5 * height
    ]
    return words if words and _is_better(words, piece.adjoining) else []


def _is_better(words: Sequence[OcrWord], before: Sequence[OcrWord]) -> bool:
    """It says more, and is as sure of it."""
    said, told = (sum(map(str.isalnum, "".join(word.text for word in some))) for some in (words, before))
    least = min((_SURE, *(word.confidence for word in before))) if before else _LEAST
    return said > told and all(word.confidence >= least for word in words)


def is_sure(words: Sequence[OcrWord]) -> bool:
    return bool(words) and all(word.confidence >= _SURE for word in words)


def dash_of(piece: Piece) -> OcrWord:
    """OCR reads no dash that stands alone, and needs none: its shape says it."""
    left, top, right, bottom = piece.place
    return OcrWord(DASH, left, top, right - left, bottom - top, _SURE, piece.beside.line)


def put_in(words: Iterable[OcrWord], read: Mapping[Piece, Sequence[OcrWord]]) -> list[OcrWord]:
    """The words of a page with those of its pieces, each in its line, for those that it takes the place of."""
    gone = {word for piece, found in read.items() if found for word in piece.adjoining}
    added: dict[tuple[str, str, str], list[OcrWord]] = defaultdict(list)
    for piece, found in read.items():
        added[piece.beside.line] += found
    whole: list[OcrWord] = []
    for line, group in groupby(words, key=lambda word: word.line):
        kept, more = [word for word in group if word not in gone], added.pop(line, [])
        whole += sorted([*kept, *more], key=lambda word: word.left) if more else kept
    return whole


def in_columns(pieces: Iterable[Piece]) -> set[Piece]:
    """Those that stand one below the other: a single one may be a speck, or a bullet."""
    pieces = [piece for piece in pieces if not piece.is_dash]
    near = _ASIDE * median(map(_height, pieces)) if pieces else 0.0
    columns = (
        [other for other in pieces if abs(getattr(one, edge) - getattr(other, edge)) <= near]
        for edge in ("left", "right")
        for one in pieces
    )
    return {piece for column in columns if len(column) >= _COLUMN for piece in column}
