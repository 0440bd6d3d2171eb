"""The passages of all pages become one document: what goes on is joined, headings get their levels."""

from collections import defaultdict
from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.headings.judge import mark_headings
from blobforge.processors.pdf_markdown.layout.headings.levels import set_levels
from blobforge.processors.pdf_markdown.layout.headings.outline import in_outline
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, around
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.captions import mark_captions
from blobforge.processors.pdf_markdown.layout.text.footnotes import with_footnotes
from blobforge.processors.pdf_markdown.layout.text.inline import is_broken, joined_texts
from blobforge.processors.pdf_markdown.layout.text.list_entries import set_depths
from blobforge.processors.pdf_markdown.layout.text.list_listings import with_listings

_FULL_ENDS = ".!?:”\"'"
_ENDS = f"{_FULL_ENDS};"
_LONG = 25
_FLOATS = (PassageRole.FIGURE, PassageRole.TABLE, PassageRole.QUOTE, PassageRole.NOTE)
"""What may stand between the halves of a paragraph."""
_MOST_FLOATS = 4
_AS_WIDE = 0.15
_GO_ON = ",;"
_LONGEST_UNIT = 3
_CLOSE = 0.5
"""Of the size: so close are the lines of one heading."""


def joined_document(passages: Sequence[Passage], survey: DocumentSurvey) -> list[Passage]:
    noted = with_footnotes(with_listings(passages), survey)
    named = in_outline(noted, survey.outline)
    mark_headings(noted, survey, named)
    document = _DocumentJoiner(survey).joined(noted)
    set_levels(document, named)
    set_depths(document)
    mark_captions(document)
    return document


class _DocumentJoiner:
    def __init__(self, survey: DocumentSurvey) -> None:
        self._survey = survey
        self._pages: dict[int, list[Passage]] = defaultdict(list)

    def joined(self, passages: Sequence[Passage]) -> list[Passage]:
        document: list[Passage] = []
        for passage in passages:
            self._pages[passage.page].append(passage)
        for passage in passages:
            before = self._first_half(document, passage)
            if before is None:
                document.append(passage)
            elif passage.role is PassageRole.TABLE:
                _append_rows(before, passage)
            elif before.role is PassageRole.PARAGRAPH and passage.role is PassageRole.HEADING:
                _number(before, passage)
                document[-1] = passage
            else:
                self._append(before, passage)
        return document

    def _first_half(self, document: Sequence[Passage], after: Passage) -> Passage | None:
        """What the passage goes on from: the one before it, or one before the floats between them."""
        if not document:
            return None
        before = document[-1]
        match after.role:
            case PassageRole.TABLE:
                return before if _is_one_table(before, after) and not self._is_beside(before, after) else None
            case PassageRole.HEADING:
                return before if _is_number_of(before, after) or _is_one_title(before, after) else None
            case PassageRole.PARAGRAPH:
                return _paragraph_before(document, after)
        return None

    def _is_beside(self, before: Passage, after: Passage) -> bool:
        """Whether text goes on below the one, so that the other is no half of it in the next column: cards side by
        side have tables with the same header."""
        below = (other for other in self._pages[after.page] if other.box.top >= before.box.bottom)
        return before.page == after.page and any(
            _is_over(other.box, before.box) and not _is_over(other.box, after.box) for other in below
        )

    def _append(self, before: Passage, after: Passage) -> None:
        hyphenated = self._survey.hyphenated
        before.text = joined_texts(before.text, after.text, hyphenated)
        before.plain = joined_texts(before.plain, after.plain, hyphenated)
        before.fills, before.lines = after.fills, before.lines + after.lines
        if before.page == after.page:
            before.box = around([before.box, after.box])
        else:
            before.last_page = after.page


def _is_over(one: Rectangle, other: Rectangle) -> bool:
    return one.left < other.right and other.left < one.right


def _is_one_table(before: Passage, after: Passage) -> bool:
    """The same header again; or none, right after a table of the same form that ended with a column or a page."""
    if before.role is not PassageRole.TABLE or len(before.rows) < 2:
        return False
    if before.rows[0] == after.rows[0]:
        return True
    is_elsewhere = before.page != after.page or after.box.top < before.box.bottom - 2
    is_as_wide = abs(before.box.width - after.box.width) < _AS_WIDE * before.box.width
    return is_elsewhere and is_as_wide and not after.heads and len(before.rows[0]) == len(after.rows[0])


def _paragraph_before(document: Sequence[Passage], after: Passage) -> Passage | None:
    for place, other in enumerate(reversed(document[-_MOST_FLOATS:])):
        if other.role in (PassageRole.PARAGRAPH, PassageRole.ITEM):
            return other if _goes_on(other, after, over_floats=place > 0) else None
        if other.role not in _FLOATS:
            break
    return None


def _is_number_of(before: Passage, title: Passage) -> bool:
    """The number of a chapter, as large as its title or larger, on a line of its own."""
    if (
        before.look is None
        or title.look is None
        or before.page != title.page
        or before.role is not PassageRole.PARAGRAPH
    ):
        return False
    return before.plain.isdigit() and before.look.size >= title.look.size


def _is_one_title(before: Passage, after: Passage) -> bool:
    """Two lines of one heading that were parted, since they are centred or one of them is long."""
    if (
        before.role is not PassageRole.HEADING
        or before.page != after.page
        or before.look != after.look
        or before.look is None
    ):
        return False
    is_below = abs(after.box.top - before.box.bottom) < _CLOSE * before.look.size
    return is_below and before.box.left < after.box.right and after.box.left < before.box.right


def _goes_on(before: Passage, after: Passage, *, over_floats: bool) -> bool:
    if before.look is None or after.look is None or abs(before.look.size - after.look.size) > 0.4:
        return False
    if over_floats:
        return _reads_on(before, after)
    if before.page == after.page and after.box.top >= before.box.bottom - 2:
        # It lies right under what it goes on from: a short last line may have been taken for that of a column.
        return before.look == after.look and before.fills and before.lines > 1 and _reads_on(before, after)
    return _reads_on(before, after) or _may_go_on(before, after)


def _reads_on(before: Passage, after: Passage) -> bool:
    """Whether a sentence goes on, as its words tell."""
    end, start = before.plain, after.plain
    if not start or not any(map(str.isalpha, end)):
        return False
    return is_broken(end, start) or (end[-1] not in _FULL_ENDS and start[0].islower())


def _may_go_on(before: Passage, after: Passage) -> bool:
    """Whether a sentence may go on with a name: the line before is full and has no end."""
    end = before.plain
    if not end or end[-1] in _ENDS:
        return False
    return end[-1] == "," or (before.fills and len(end) > _LONG and not after.stands_out)


def _number(number: Passage, title: Passage) -> None:
    title.text, title.plain = f"{number.text} {title.text}", f"{number.plain} {title.plain}"
    title.box = around([number.box, title.box])


def _append_rows(before: Passage, after: Passage) -> None:
    """The header is there once; a row that was cut in two is put together."""
    if before.page != after.page:
        before.last_page = after.page
    gone = _repeated_heads(before, after)
    rows = after.rows[gone:]
    if rows and _are_halves(before.rows[-1], rows[0]) and not any(span.row == gone for span in after.spans):
        before.rows[-1] = [" ".join(filter(None, cells)) for cells in zip(before.rows[-1], rows[0], strict=True)]
        rows, gone = rows[1:], gone + 1
    down = len(before.rows) - gone
    before.spans += [span._replace(row=span.row + down) for span in after.spans if span.row >= gone]
    before.rows += rows


def _repeated_heads(before: Passage, after: Passage) -> int:
    """How many rows at the top say what the header has said."""
    most = min(max(before.heads, 1), len(before.rows), len(after.rows))
    return next((row for row in range(most) if before.rows[row] != after.rows[row]), most)


def _are_halves(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether the lower fills just the cells that the upper has left empty, or goes on with its words: a row with
    figures of its own is another row, though it has no label."""
    if all(bool(one) != bool(other) for one, other in zip(upper, lower, strict=True)):
        return any(upper) and any(lower)
    pairs = [(one, other) for one, other in zip(upper, lower, strict=True) if one and other]
    return not lower[0] and any(_is_wrapped(*pair) for pair in pairs) and not any(map(_are_figures, pairs))


def _is_wrapped(upper: str, lower: str) -> bool:
    is_open = upper[-1] in _GO_ON or upper.count("(") > upper.count(")")
    return is_open or is_broken(upper, lower) or (upper[-1] not in _FULL_ENDS and lower[0].islower())


def _are_figures(texts: Sequence[str]) -> bool:
    """With a unit or a currency."""
    return all(any(map(str.isdigit, text)) and sum(map(str.isalpha, text)) <= _LONGEST_UNIT for text in texts)
