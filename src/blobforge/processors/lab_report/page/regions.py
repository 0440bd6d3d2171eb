"""Parts of a page that stand side by side (two panels, columns of cards, a bar of facts beside a table): each is read
by itself, from top to bottom."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.lab_report.notation.dates import is_date
from blobforge.processors.lab_report.notation.units import is_unit
from blobforge.processors.lab_report.page.rows import PrintedRow, cells_of, rough_rows, rows_of
from blobforge.processors.lab_report.page.tokens import LineToken, tokens_of
from blobforge.processors.lab_report.page.words import PositionedWord, text_of
from blobforge.processors.lab_report.vocabulary import columns, limits, outcomes, phrases
from blobforge.processors.lab_report.vocabulary.labels import is_label

_ALIGNED = 2.0
_FEWEST = 2
_STRAY = 0.34
"""Of the lines with words on both sides, so many may begin elsewhere than at the margin of the right side."""
_PATIENCE = 2
_OUTDENT = 8.0
_INDENT = 2.5
"""Of the letter size; the outdent is in points."""
_VALUED = 0.4
_LABELLED = 0.25
_MOST = 0.5
_BAR = 5
_UNEVEN = 0.5
_OFF_LINE = 0.12
_LARGER = 1.08
_LONGEST_NAME = 8
_OUTCOME_WORDS = 2
_TALLEST = 5
"""Lines of a card."""
_DEEPEST = 6
"""So often parts are parted again: a page of many blocks has fewer, and a page of noise must come to an end."""
_MOST_MARGINS = 16
_HEADS = 2
_FEWEST_TWINS = 3
_MEASURING = ("value", "unit", "range", "flag", "previous", "method", "low", "high")
_LIKE = {"compare": "number", "outcome": "word"}
_LABEL = re.compile(r"[^\W\d_]{2,}")


class RegionGutter(NamedTuple):
    """White space at `x` in the lines `first` to `last`, and right of it the margin at which text begins."""

    first: int
    last: int
    x: float
    margin: float


class RegionSide(NamedTuple):
    """`lines` are those of ranges not counted, as far as there are names for them. `names` counts lines that begin
    with text at the margin, `texts` also those that begin with a label of the page's head; `values` those with a
    result: a number that is neither limit nor date, or a word."""

    lines: int
    names: int
    values: int
    texts: int


def rows_in_order(page: int, words: Sequence[PositionedWord], *, depth: int = 0) -> list[PrintedRow]:
    """The rows of a page; of parts that stand side by side, all rows of the left one come first."""
    lines = rough_rows(page, words)
    gutter = _best(lines) if depth < _DEEPEST else None
    if gutter is None:
        return rows_of(page, words)
    parts = [_words(lines[: gutter.first])]
    for block in _blocks(lines[gutter.first : gutter.last + 1], gutter.x):
        parts += _sides(block, gutter.x)
    parts.append(_words(lines[gutter.last + 1 :]))
    return [row for part in parts if part for row in rows_in_order(page, part, depth=depth + 1)]


def _words(lines: Iterable[PrintedRow]) -> list[PositionedWord]:
    return [word for line in lines for word in line.words]


def _sides(lines: Sequence[PrintedRow], x: float) -> tuple[list[PositionedWord], list[PositionedWord]]:
    words = _words(lines)
    return [word for word in words if word.x0 < x], [word for word in words if word.x0 >= x]


def _blocks(lines: Sequence[PrintedRow], x: float) -> Iterator[Sequence[PrintedRow]]:
    """A heading in larger letters that stands over both sides begins a block: what is below it belongs to it."""
    sizes = sorted(line.size for line in lines)
    usual = sizes[len(sizes) // 2]
    start = 0
    for place, line in enumerate(lines):
        is_alone = line.size > _LARGER * usual and line.box.x1 < x and len(cells_of(line)) == 1
        is_text = not any(token.kind == "number" for token in tokens_of(line))
        if place > start and is_alone and is_text and _is_over_both(lines, place, x):
            yield lines[start:place]
            start = place
    yield lines[start:]


def _is_over_both(lines: Sequence[PrintedRow], place: int, x: float) -> bool:
    """The right side has room for the heading too: its lines stand further apart there than elsewhere."""
    right = [(at, _sides([line], x)[1]) for at, line in enumerate(lines)]
    spans = [(at, min(word.top for word in words), max(word.bottom for word in words)) for at, words in right if words]
    gaps = [(after, top - bottom) for (_, _, bottom), (after, top, _) in pairwise(spans)]
    own = next((gap for after, gap in gaps if after > place), float("inf"))
    usual = sorted(gap for _, gap in gaps)[len(gaps) // 2] if gaps else 0.0
    return own > usual + lines[place].size


def _best(lines: Sequence[PrintedRow]) -> RegionGutter | None:
    """The one that the most lines stand along."""
    found = [
        gutter
        for x in _margins(lines)
        for gutter in _runs(lines, x)
        if not _is_column(lines, gutter) and _parts_two(lines, gutter)
    ]
    return max(found, key=lambda gutter: (gutter.last - gutter.first, -gutter.x), default=None)


def _margins(lines: Sequence[PrintedRow]) -> list[float]:
    """Where cells of text begin in several lines, right of other cells or alone."""
    cells = [(cell[0].x0, _is_name(line, cell)) for line in lines for cell in cells_of(line)]
    starts = sorted(x0 for x0, _ in cells)
    left = min((line.box.x0 for line in lines), default=0.0)
    shared: dict[float, int] = {}
    for start in sorted(x0 for x0, is_name in cells if is_name and x0 > left + 4 * _ALIGNED):
        count = bisect_left(starts, start + _ALIGNED) - bisect_right(starts, start - _ALIGNED)
        if count > 1 and (not shared or start - max(shared) >= _ALIGNED):
            shared[start] = count
    return sorted(shared, key=lambda start: -shared[start])[:_MOST_MARGINS]


def _runs(lines: Sequence[PrintedRow], margin: float) -> Iterator[RegionGutter]:
    """Runs of lines that leave the space before the margin white, from the first that begins there to the last."""
    run: list[int] = []
    strays = 0
    for place, line in enumerate([*lines, None]):
        is_crossed = line is None or any(_crosses(cell, margin) for cell in cells_of(line)) or _heads_one(line, margin)
        if line is not None and not is_crossed:
            strays = strays + 1 if _is_stray(line, margin) else 0
            run.append(place)
        if is_crossed or strays > _PATIENCE:
            yield from _trimmed(lines, run, margin)
            run, strays = [], 0


def _is_column(lines: Sequence[PrintedRow], gutter: RegionGutter) -> bool:
    """The margin is that of a column of a table, by the last head above or in the block: units, ranges."""
    for line in reversed(lines[: gutter.last + 1]):
        heads = [(cell, _kind_of_head(text_of(cell))) for cell in cells_of(line)]
        kinds = [kind for _, kind in heads if kind is not None]
        if len(set(kinds)) < _HEADS or len(kinds) * 2 < len(heads) or _is_twin(line, gutter.x):
            continue
        return any(
            cell[0].x0 - 2 * _ALIGNED < gutter.margin < cell[-1].x1 and kind in _MEASURING for cell, kind in heads
        )
    return False


def _kind_of_head(text: str) -> str | None:
    """Two heads may stand so close that no gap parts them: Result Units."""
    if is_date(text):
        return "value"
    kinds = [columns.kind_of_head(word) for word in text.split()]
    return columns.kind_of_head(text) or (kinds[0] if None not in kinds else None)


def _heads_one(line: PrintedRow, margin: float) -> bool:
    """The head of one table on both sides: no name stands at the right."""
    heads = [(cell[0].x0, _kind_of_head(text_of(cell))) for cell in cells_of(line)]
    left = [kind for x0, kind in heads if x0 < margin - _OUTDENT]
    right = [kind for x0, kind in heads if x0 >= margin - _OUTDENT]
    measuring = sum(kind in _MEASURING for kind in right)
    return "name" in left and "name" not in right and measuring > 0 and measuring * 2 >= len(right)


def _crosses(cell: Sequence[PositionedWord], margin: float) -> bool:
    return cell[0].x0 < margin - _OUTDENT and cell[-1].x1 > margin - _ALIGNED


def _trimmed(lines: Sequence[PrintedRow], run: list[int], margin: float) -> Iterator[RegionGutter]:
    begins = [place for place in run if _begins_at(lines[place], margin)]
    if len(begins) < _FEWEST:
        return
    last = begins[-1]
    # What goes on at the left alone belongs to the left side.
    while last + 1 in run and lines[last + 1].box.x1 < margin - _ALIGNED:
        last += 1
    cells = [cell for line in lines[begins[0] : last + 1] for cell in cells_of(line)]
    # A heading may begin a little further left than what is below it.
    left = max((cell[-1].x1 for cell in cells if cell[-1].x1 <= margin - _ALIGNED), default=0.0)
    right = min(cell[0].x0 for cell in cells if cell[-1].x1 > margin - _ALIGNED)
    if left < right:
        yield RegionGutter(begins[0], last, (left + right) / 2, margin)


def _begins_at(line: PrintedRow, margin: float) -> bool:
    return any(abs(cell[0].x0 - margin) < _ALIGNED for cell in cells_of(line))


def _is_stray(line: PrintedRow, margin: float) -> bool:
    """Words on both sides, and those of the right side begin elsewhere: a row of a table that is as wide as both."""
    left = any(word.x0 < margin - _OUTDENT for word in line.words)
    right = [word.x0 for word in line.words if word.x0 > margin - _OUTDENT]
    return left and bool(right) and min(right) > margin + _INDENT * line.size


def _parts_two(lines: Sequence[PrintedRow], gutter: RegionGutter) -> bool:
    block = lines[gutter.first : gutter.last + 1]
    both = [line for line in block if all(_sides([line], gutter.x))]
    if sum(_is_stray(line, gutter.margin) for line in both) > _STRAY * max(len(both), 1):
        return False
    if sum(_is_label_and_text(line, gutter.x) for line in both) > _LABELLED * max(len(both), 1):
        return False
    left, right = (_side(block[0].page, words) for words in _sides(block, gutter.x))
    if _are_cards(both, gutter.x) or _are_twins(both, gutter.x):
        return True
    if min(left.names, right.names) < _FEWEST or right.values < max(_FEWEST, _VALUED * right.names):
        return False
    is_list = right.names > _MOST * right.lines
    if left.values >= _FEWEST and ((is_list and left.names > _MOST * left.lines) or _are_alike(both, gutter.x)):
        return True
    # A bar of facts keeps its own lines; columns of one table share theirs.
    uneven = sum(_is_uneven(line, gutter.x) for line in both)
    return is_list and left.texts >= _BAR and uneven > _UNEVEN * max(len(both), 1)


def _are_twins(both: Sequence[PrintedRow], x: float) -> bool:
    """Most lines begin with the same label on both sides."""
    twins = sum(_is_twin(line, x) for line in both)
    return twins >= _FEWEST_TWINS and twins > _MOST * len(both)


def _is_twin(line: PrintedRow, x: float) -> bool:
    left, right = _sides([line], x)
    if not left or not right:
        return False
    first, second = (text_of(cells_of(_part(line, words))[0]) for words in (left, right))
    return first == second and _LABEL.search(first) is not None


def _are_cards(both: Sequence[PrintedRow], x: float) -> bool:
    """One row of cards: a few lines, each of the same kind on both sides, names above and values below."""
    kinds = _kinds(both, x)
    is_one_row = (
        _FEWEST < len(kinds) <= _TALLEST and kinds[0] == ("name", "name") and kinds.count(kinds[0]) < len(kinds)
    )
    if not is_one_row or any(left != right for left, right in kinds):
        return False
    sides = ([_part(line, _sides([line], x)[at]) for line in both] for at in (0, 1))
    return all(any(_has_value(tokens_of(part)) for part in parts) for parts in sides)


def _kinds(both: Sequence[PrintedRow], x: float) -> list[tuple[str, str]]:
    """What each line begins with on either side."""
    sides = [(line, _sides([line], x)) for line in both]
    return [(_begins_with(line, left), _begins_with(line, right)) for line, (left, right) in sides]


def _part(line: PrintedRow, words: Sequence[PositionedWord]) -> PrintedRow:
    return line._replace(words=tuple(words))


def _are_alike(both: Sequence[PrintedRow], x: float) -> bool:
    """Cards: beside a name stands a name, beside a value a value."""
    kinds = _kinds(both, x)
    alike = sum(left == right for left, right in kinds)
    return alike > _MOST * len(kinds) and kinds.count(("name", "name")) * _TALLEST >= len(kinds)


def _begins_with(line: PrintedRow, words: Sequence[PositionedWord]) -> str:
    part = _part(line, words)
    kind = tokens_of(part)[0].kind
    return "name" if _is_name(part, cells_of(part)[0]) else _LIKE.get(kind, kind)


def _is_label_and_text(line: PrintedRow, x: float) -> bool:
    """A label of the page's head, and what it labels beside it."""
    before = [cell for cell in cells_of(line) if cell[0].x0 < x]
    text = text_of(before[-1])
    return text.endswith(":") or (not _is_uneven(line, x) and is_label(text))


def _is_uneven(line: PrintedRow, x: float) -> bool:
    bottoms = [[word.bottom for word in line.words if (word.x0 < x) is is_left] for is_left in (True, False)]
    return abs(max(bottoms[0]) - max(bottoms[1])) > _OFF_LINE * line.size


def _side(page: int, words: Sequence[PositionedWord]) -> RegionSide:
    lines = rough_rows(page, words)
    margin = min((word.x0 for word in words), default=0.0)
    firsts = [(line, cells_of(line)[0]) for line in lines if line.box.x0 - margin < 2 * line.size]
    texts = [(line, cell) for line, cell in firsts if _is_text(line, cell)]
    names = [cell for line, cell in texts if _is_name(line, cell)]
    ranges = sum(_is_range(tokens_of(line)) for line in lines)
    values = sum(_has_value(tokens_of(line)) for line in lines)
    return RegionSide(len(lines) - min(ranges, len(names)), len(names), values, len(texts))


def _is_name(line: PrintedRow, cell: Sequence[PositionedWord]) -> bool:
    """Text that can name a test, and no label of the page's head."""
    text = text_of(cell)
    return _is_text(line, cell) and not is_label(text) and not phrases.is_administrative(text)


def _is_text(line: PrintedRow, cell: Sequence[PositionedWord]) -> bool:
    """Text that begins something: no number, unit, flag, result in words or group of people, no range with its label,
    and no sentence."""
    tokens = tokens_of(line._replace(words=tuple(cell)))
    text = text_of(cell)
    if (
        _is_range(tokens)
        or is_unit(text)
        or _is_outcome(tokens)
        or len(cell) > _LONGEST_NAME
        or tokens[0].kind != "word"
        or _LABEL.search(text) is None
        or limits.is_bound(tokens[0].text)
    ):
        return False
    label = text.partition(":")[0]
    return not (phrases.is_grade(label) or columns.is_range_head(label) or outcomes.is_same_again(tokens[0].text))


def _is_outcome(tokens: Sequence[LineToken]) -> bool:
    """A result in a word or two: not detected, pale yellow."""
    return len(tokens) <= _OUTCOME_WORDS and any(token.kind == "outcome" for token in tokens)


def _is_range(tokens: Sequence[LineToken]) -> bool:
    return any(token.kind == "number" for token in tokens) and not _has_value(tokens)


def _joins(text: str) -> bool:
    return text.lower() in limits.JOINERS or limits.is_bound(text)


def _has_value(tokens: Sequence[LineToken]) -> bool:
    plain = [token for token in tokens if token.kind != "gap"]
    return any(
        token.kind in ("outcome", "titre") or (token.kind == "number" and _stands_alone(plain, place))
        for place, token in enumerate(plain)
    )


def _stands_alone(tokens: Sequence[LineToken], place: int) -> bool:
    """No end of a range, and no limit."""
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is not None and (after.kind == "dash" or _joins(after.text)):
        return False
    is_end = before is not None and (before.kind in ("dash", "compare") or _joins(before.text))
    return not is_end or (before is not None and before.kind == "compare" and place == 1)
