"""A printed line with all that the rules found in it."""

from collections.abc import Iterable
from typing import NamedTuple

from blobforge.processors.lab_report.lines.loinc_codes import without_code
from blobforge.processors.lab_report.lines.tagger import LineTagger, TaggedSpan, spans_of
from blobforge.processors.lab_report.page.rows import PrintedRow, cells_of
from blobforge.processors.lab_report.page.tokens import LineToken, tokens_of
from blobforge.processors.lab_report.page.words import text_of
from blobforge.processors.lab_report.vocabulary import outcomes

_BADGES = "●•■▲▼◆○"


class TaggedLine(NamedTuple):
    """`row` is as printed; the tokens are without a labelled code. `names` are biomarkers, `heads` column heads."""

    row: PrintedRow
    code: str | None
    tokens: tuple[LineToken, ...]
    spans: tuple[TaggedSpan, ...]
    names: tuple[TaggedSpan, ...]
    heads: tuple[TaggedSpan, ...]

    def text(self, first: int, last: int) -> str:
        """Tokens as they were printed, with their spaces."""
        return joined(self.tokens[first : last + 1])

    def number(self, span: TaggedSpan) -> str:
        """The number of a value or a limit, as printed."""
        return next(token.text for token in self.tokens[span.first : span.last + 1] if token.kind == "number")

    def comparator(self, span: TaggedSpan) -> str | None:
        """The sign of a limit; None where words say it, and for a plain number."""
        signs = (token.text for token in self.tokens[span.first : span.last + 1] if token.kind == "compare")
        sign = next(signs, None)
        return sign.replace(" ", "").replace("=<", "<=").replace("=>", ">=") if sign else None


def unflagged_cells(line: TaggedLine) -> list[str]:
    """The texts of its cells, without those that are nothing but a flag behind the first."""
    first, *others = (text_of(cell) for cell in cells_of(line.row))
    return [first, *(text for text in others if not outcomes.is_status(text) and text[0] not in _BADGES)]


def joined(tokens: Iterable[LineToken]) -> str:
    text = ""
    for token in tokens:
        if token.kind == "gap":
            continue
        text += token.text if token.glued or not text else f" {token.text}"
    return text


def lines_of(rows: Iterable[PrintedRow], tagger: LineTagger) -> list[TaggedLine]:
    bare = [(row, *without_code(row)) for row in rows]
    tokenize = [tokens_of(stripped) for _, stripped, _ in bare]
    return [
        TaggedLine(
            row=row,
            code=code,
            tokens=tuple(tokens),
            spans=tuple(spans_of(document)),
            names=tuple(tagger.names_in(document)),
            heads=tuple(tagger.heads_in(document)),
        )
        for (row, _, code), tokens, document in zip(bare, tokenize, tagger.marked(tokenize), strict=True)
    ]
