"""A printed line with all that the rules found in it."""

from collections.abc import Iterable
from typing import NamedTuple

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.codes import without_code
from blobforge.processors.lab_report.documents import Mark, Reader, marks_of
from blobforge.processors.lab_report.pieces import Piece, pieces_of
from blobforge.processors.lab_report.rows import Row, cells_of
from blobforge.processors.lab_report.words import text_of

_BADGES = "●•■▲▼◆○"


class Line(NamedTuple):
    """`row` is as printed; the pieces are without a labelled code. `names` marks biomarkers, `heads` column heads."""

    row: Row
    code: str | None
    pieces: tuple[Piece, ...]
    marks: tuple[Mark, ...]
    names: tuple[Mark, ...]
    heads: tuple[Mark, ...]

    def text(self, first: int, last: int) -> str:
        """Pieces as they were printed, with their spaces."""
        return joined(self.pieces[first : last + 1])

    def number(self, mark: Mark) -> str:
        """The number of a value or a limit, as printed."""
        return next(piece.text for piece in self.pieces[mark.first : mark.last + 1] if piece.kind == "number")

    def comparator(self, mark: Mark) -> str | None:
        """The sign of a limit; None where words say it, and for a plain number."""
        signs = (piece.text for piece in self.pieces[mark.first : mark.last + 1] if piece.kind == "compare")
        sign = next(signs, None)
        return sign.replace(" ", "").replace("=<", "<=").replace("=>", ">=") if sign else None


def unflagged_cells(line: Line) -> list[str]:
    """The texts of its cells, without those that are nothing but a flag behind the first."""
    first, *others = (text_of(cell) for cell in cells_of(line.row))
    return [first, *(text for text in others if not vocabulary.is_status(text) and text[0] not in _BADGES)]


def joined(pieces: Iterable[Piece]) -> str:
    text = ""
    for piece in pieces:
        if piece.kind == "gap":
            continue
        text += piece.text if piece.glued or not text else f" {piece.text}"
    return text


def lines_of(rows: Iterable[Row], reader: Reader) -> list[Line]:
    bare = [(row, *without_code(row)) for row in rows]
    cut = [pieces_of(stripped) for _, stripped, _ in bare]
    return [
        Line(
            row=row,
            code=code,
            pieces=tuple(pieces),
            marks=tuple(marks_of(document)),
            names=tuple(reader.names_in(document)),
            heads=tuple(reader.heads_in(document)),
        )
        for (row, _, code), pieces, document in zip(bare, cut, reader.marked(cut), strict=True)
    ]
