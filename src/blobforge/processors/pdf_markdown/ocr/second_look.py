"""A second look at what OCR has passed over: a program that reads lines loses single figures that stand in a column, or
takes a whole column for a line on its side."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import groupby, pairwise
from typing import Any

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_program import OcrWord
from blobforge.domain.errors import OcrFailed
from blobforge.processors.pdf_markdown.ocr.marks import marks_in
from blobforge.processors.pdf_markdown.ocr.pieces import (
    Piece,
    dash_of,
    figure_height,
    in_columns,
    is_sure,
    pieces_in,
    put_in,
    read_from,
    sheet_of,
    single_dashes,
    stands_free,
)
from blobforge.processors.pdf_markdown.ocr.unread_print import PrintPlace

ReadLines = Callable[[GreyImage], list[OcrWord]]
"""Reads a picture of lines, one below the other. Raises OcrFailed."""
_MOSTLY = 0.7
_ROWS = 2.5
"""Of the height of a figure: a single word that is higher stands in more than one row."""


def with_pieces(words: Sequence[OcrWord], image: GreyImage, read_lines: ReadLines) -> tuple[list[OcrWord], bool]:
    """The words with those of short pieces of print that are in none of them; and whether some of a column are left
    that could not be read for sure."""
    drawn = image.drawn()
    lines = [list(line) for _, line in groupby(words, key=lambda word: word.line)]
    usual = figure_height(words)
    on_end = [line for line in lines if _stands(line, usual)]
    level = [word for line in lines if line not in on_end for word in line]
    found = pieces_in(marks_in(drawn, [_place_of([word]) for word in level]), level)
    found = [piece for piece in found if stands_free(drawn, piece)]
    strokes = single_dashes(found)
    pieces = [piece for piece in found if piece not in strokes]
    if not pieces:
        return list(words), False
    read = _read(pieces, drawn, read_lines, dpi=image.dpi)
    for line in on_end:
        made_of = [piece for piece in pieces if _lies_in(piece, _place_of(line))]
        if made_of and sum(is_sure(read[piece]) for piece in made_of) >= _MOSTLY * len(made_of):
            words = [word for word in words if word not in line]
        elif is_sure(line):
            read = {piece: found for piece, found in read.items() if piece not in made_of}
        else:
            read.update((piece, []) for piece in made_of)
    unread = in_columns(piece for piece, found in read.items() if not is_sure(found))
    return put_in(words, read), bool(unread)


def _stands(line: Sequence[OcrWord], usual: float) -> bool:
    """It goes over several rows: it runs up or down a margin, or was made of a column."""
    steps = [abs(after.top - before.top) > abs(after.left - before.left) for before, after in pairwise(line)]
    return all(steps) if steps else line[0].height > max(_ROWS * usual, line[0].width)


def _read(pieces: Iterable[Piece], drawn: Any, read_lines: ReadLines, *, dpi: int) -> dict[Piece, list[OcrWord]]:
    read: dict[Piece, list[OcrWord]] = {
        piece: [dash_of(piece)] if piece.is_dash and not piece.adjoining else [] for piece in pieces
    }
    rest = [piece for piece, found in read.items() if not found]
    if rest:
        sheet = sheet_of(drawn, rest)
        with suppress(OcrFailed):
            read |= read_from(sheet, read_lines(GreyImage.of(sheet.image, dpi=dpi)))
    return read


def _place_of(words: Iterable[OcrWord]) -> PrintPlace:
    """With the grey pixels at their edges."""
    words = list(words)
    left, top = min(word.left for word in words), min(word.top for word in words)
    right, bottom = max(word.left + word.width for word in words), max(word.top + word.height for word in words)
    return PrintPlace(left - 1, top - 1, right + 1, bottom + 1)


def _lies_in(piece: Piece, place: PrintPlace) -> bool:
    middle = (piece.row[0] + piece.row[1]) / 2
    return place.left <= piece.right and piece.left <= place.right and place.top <= middle <= place.bottom
