"""Turns a page that OCR has read into `PageContent`, so that the same stages read it."""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import (
    Fill,
    PageContent,
    Rectangle,
    Style,
    TextLine,
    TextWord,
)
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, all_of
from blobforge.processors.pdf_markdown.layout.rulings.scanned_frames import frames_of
from blobforge.processors.pdf_markdown.layout.words.lines import BREAK

_ASCENDERS = frozenset("bdfhkl!?()[]{}/\\|'\"“”‘’&%$§")
_DESCENDERS = frozenset("gjpqy()[]{}/|$§")
_BETWEEN = frozenset("tiQJ,;")
"""Their height or depth differs from face to face: what rises or descends by them alone measures badly."""
_FACTORS = {(True, True): 0.96, (True, False): 0.74, (False, True): 0.72, (False, False): 0.5}
"""Height of a line of print as a share of its size, by whether something in it rises and whether something descends."""
_SAME = 0.12
"""Sizes that differ by less than this are one: a scan does not tell them apart."""
_DEEP = 0.22
_BOLDER = 1.38
_RULE = 1.0
_LOWEST = 0.5
"""Points: a word between two rules may be left without a height, and so without a size."""
_TELLING = 3
_LETTERS_OF_BULLET = 2
_BULLET = 0.5
_DASH = 0.15
_FLOATS = 0.06
_ON_END = 1.5
_ENOUGH = 4
_WIDE = 120.0


class ScannedWord(NamedTuple):
    """A word in points. `line` names the line of print that OCR found it in."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    line: tuple[str, ...]
    stem: float = 0.0
    """How wide the strokes of its letters are, in points; 0 where nobody looked."""


class ScannedPage(NamedTuple):
    number: int
    width: float
    height: float
    words: tuple[ScannedWord, ...]
    rules: tuple[Rectangle, ...] = ()
    fills: tuple[Fill, ...] = ()


class _Print(NamedTuple):
    words: list[ScannedWord]
    size: float
    base: float
    letters: int


def content_of(page: ScannedPage) -> PageContent:
    slope = _slope(page.words)
    upright = [word for word in page.words if not _stands_on_end(word)]
    words = [_turned(_between(word, page.rules), slope, middle=page.width / 2) for word in upright]
    printed = [_measured(list(row)) for _, row in groupby(words, key=lambda word: word.line)]
    bold = _bold_from(printed)
    sizes = _settled(printed)
    lines = [
        line
        for order, (row, size) in enumerate(zip(printed, sizes, strict=True))
        for line in _lines(row, size, order=order, bold=bold)
    ]
    horizontals = [_level(rule, slope, middle=page.width / 2) for rule in page.rules if rule.width]
    verticals = [_upright(rule, slope) for rule in page.rules if rule.height]
    return PageContent(
        number=page.number,
        width=page.width,
        height=page.height,
        lines=lines,
        turned=None,
        horizontals=horizontals,
        verticals=verticals,
        fills=list(page.fills),
        frames=frames_of(horizontals, verticals),
        images=[],
    )


def _slope(words: Iterable[ScannedWord]) -> float:
    """How much the lines of print rise or fall: the median over the long ones, by their baselines."""
    slopes: list[float] = []
    for _, row in groupby(words, key=lambda word: word.line):
        ends = [(word.left, word.bottom) for word in row if not _descends(word.text)]
        if len(ends) >= _ENOUGH and (run := ends[-1][0] - ends[0][0]) > _WIDE:
            slopes.append((ends[-1][1] - ends[0][1]) / run)
    return median(slopes) if slopes else 0.0


def _between(word: ScannedWord, rules: Iterable[Rectangle]) -> ScannedWord:
    """OCR draws the box of a word in a table around the rules of its cell as well."""
    for rule in rules:
        if rule.width and rule.left < word.right and rule.right > word.left and word.top < rule.top < word.bottom:
            if rule.top < (word.top + word.bottom) / 2:
                word = word._replace(top=rule.top + _RULE)
            else:
                word = word._replace(bottom=rule.top - _RULE)
    return word


def _turned(word: ScannedWord, slope: float, *, middle: float) -> ScannedWord:
    """As it would lie on a sheet that was laid straight on the glass."""
    fall = slope * ((word.left + word.right) / 2 - middle)
    drift = slope * (word.top + word.bottom) / 2
    # A box around a word that lies askew is higher than the word.
    excess = min(abs(slope) * (word.right - word.left) / 2, 0.2 * (word.bottom - word.top))
    return word._replace(
        left=word.left + drift,
        right=word.right + drift,
        top=word.top - fall + excess,
        bottom=word.bottom - fall - excess,
    )


def _level(rule: Rectangle, slope: float, *, middle: float) -> Rectangle:
    y = rule.top - slope * (rule.middle - middle)
    return Rectangle(rule.left + slope * y, y, rule.right + slope * y, y)


def _upright(rule: Rectangle, slope: float) -> Rectangle:
    x = rule.left + slope * (rule.top + rule.bottom) / 2
    return Rectangle(x, rule.top, x, rule.bottom)


def _stands_on_end(word: ScannedWord) -> bool:
    """A word that runs up or down the margin."""
    return len(word.text) >= _TELLING and word.bottom - word.top > _ON_END * (word.right - word.left)


def _bold_from(printed: Sequence[_Print]) -> float:
    """From which width of its strokes, as a share of its size, a word is bold: most of a page is not."""
    stems = [(word.stem / row.size, len(word.text)) for row in printed for word in row.words if word.stem]
    return _BOLDER * _median(stems) if stems else float("inf")


def _measured(words: list[ScannedWord]) -> _Print:
    """Word by word, since one that was misread or touches a rule must not measure for its line."""
    letters = sum(len(word.text) for word in words)
    clear = [word for word in words if _is_clear(word.text)] or words
    # A word that rises and does not descend, such as "The", measures best.
    best = [word for word in clear if _rises(word.text) and not _descends(word.text)]
    size = _around_median([(_size(word), len(word.text)) for word in best or clear])
    base = _median((word.bottom - (_DEEP * size if _descends(word.text) else 0.0), len(word.text)) for word in clear)
    return _Print(words, size, base, letters)


def _is_clear(text: str) -> bool:
    """Whether it is known how high and how deep the letters of a word reach."""
    if len(text) < 2:
        return False
    return not any(letter in _BETWEEN for letter in text) or (_rises(text) and not set(text) & set("QJ,;"))


def _size(word: ScannedWord) -> float:
    return max(word.bottom - word.top, _LOWEST) / _FACTORS[_rises(word.text), _descends(word.text)]


def _rises(text: str) -> bool:
    return any(letter in _ASCENDERS or letter.isupper() or letter.isdigit() for letter in text)


def _descends(text: str) -> bool:
    return any(letter in _DESCENDERS for letter in text)


def _median(weighed: Iterable[tuple[float, int]]) -> float:
    """Of values with their weights."""
    ordered = sorted(weighed)
    half = sum(weight for _, weight in ordered) / 2
    for value, weight in ordered:
        half -= weight
        if half <= 0:
            return value
    return ordered[-1][0]


def _around_median(weighed: Sequence[tuple[float, int]]) -> float:
    """The mean of what lies close to the median: finer than the pixels that each word is measured in."""
    middle = _median(weighed)
    return _mean([(value, weight) for value, weight in weighed if abs(value - middle) <= _SAME * middle])


def _settled(printed: Sequence[_Print]) -> list[float]:
    """Sizes as the printer chose them: those that a scan cannot tell apart are one."""
    settled = _known([(row.size, row.letters) for row in printed])
    return [settled[row.size] for row in printed]


def _known(weighed: Iterable[tuple[float, int]]) -> dict[float, float]:
    return {size: round(_mean(group), 1) for group in one_sizes(weighed) for size, _ in group}


def one_sizes(weighed: Iterable[tuple[float, int]]) -> list[list[tuple[float, int]]]:
    """Sizes with their weights, in groups: the two groups that lie closest are put together, until none lie close."""
    groups = [list(group) for _, group in groupby(sorted(weighed), key=lambda one: round(one[0], 1))]
    means = [_mean(group) for group in groups]
    while len(groups) > 1:
        steps = [upper / lower for lower, upper in pairwise(means)]
        place = steps.index(min(steps))
        if steps[place] > 1 + _SAME:
            break
        groups[place : place + 2] = [groups[place] + groups[place + 1]]
        means[place : place + 2] = [_mean(groups[place])]
    return groups


def _mean(weighed: Sequence[tuple[float, int]]) -> float:
    return sum(size * weight for size, weight in weighed) / sum(weight for _, weight in weighed)


def _lines(row: _Print, size: float, *, order: int, bold: float) -> Iterable[TextLine]:
    """A line of print is cut at wide gaps, as those of other pages are."""
    words = _with_bullet(sorted(row.words, key=lambda word: word.left), row.base, size)
    for run in _runs(words, size):
        yield _line(run, row.base, size, order, is_bold=_is_heavy(run, bold * row.size))


def _runs(words: Sequence[ScannedWord], size: float) -> Iterable[list[ScannedWord]]:
    run: list[ScannedWord] = []
    for word in words:
        if run and word.left - run[-1].right > BREAK * size:
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _with_bullet(words: list[ScannedWord], base: float, size: float) -> list[ScannedWord]:
    """OCR reads all sorts of letters into a bullet: what is small and floats over the baseline is one."""
    if len(words) < 2:
        return words
    first = words[0]
    height, floats = first.bottom - first.top, base - first.bottom
    is_small = len(first.text) <= _LETTERS_OF_BULLET and max(height, first.right - first.left) < _BULLET * size
    if is_small and height > _DASH * size and _FLOATS * size < floats < _BULLET * size:
        return [first._replace(text="•"), *words[1:]]
    return words


def _is_heavy(words: Sequence[ScannedWord], bold: float) -> bool:
    """All together, since a single word measures too roughly, and figures and signs not at all."""
    telling = [word for word in words if sum(map(str.isalpha, word.text)) >= _TELLING]
    return bool(telling) and _median((word.stem, len(word.text)) for word in telling) >= bold


def _line(words: Sequence[ScannedWord], base: float, size: float, order: int, *, is_bold: bool) -> TextLine:
    style = Style("", size, bold=is_bold, italic=False, mono=False, colour=(0.0, 0.0, 0.0))
    return TextLine([TextWord(word.text, word.left, word.right, style) for word in words], base, style, order)


def in_terms_of(passages: Iterable[Passage], *, body: float, wanted: float) -> None:
    """Sizes as shares of the body's, for each picture measures a little differently."""
    for passage in all_of(passages):
        if passage.look is not None:
            passage.look.size *= wanted / body


def settle_sizes(passages: Iterable[Passage]) -> None:
    """Over all scanned pages of a document: sizes that are close to each other were one in print."""
    scanned = [one for one in all_of(passages) if one.look is not None and not one.look.font]
    looks = [(one.look, max(len(one.plain), 1)) for one in scanned if one.look is not None]
    settled = _known((look.size, letters) for look, letters in looks)
    for look, _ in looks:
        look.size = settled[look.size]
