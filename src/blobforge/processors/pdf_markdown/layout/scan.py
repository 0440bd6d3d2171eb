"""A page that OCR has read, in our own model: so headings, columns and tables of scans are found like any others."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from statistics import mean, median
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.lines import BREAK
from blobforge.processors.pdf_markdown.layout.model import Box, Line, PageContent, Style, Word
from blobforge.processors.pdf_markdown.layout.passages import Look, Passage, all_of

_ASCENDERS = frozenset("bdfhklt!?()[]{}/\\|'\"“”‘’&%$§")
_DESCENDERS = frozenset("gjpqyQ,;()[]{}/|$§")
_FACTORS = {(True, True): 0.96, (True, False): 0.74, (False, True): 0.72, (False, False): 0.5}
"""Height of a line of print as a share of its size, by whether something in it rises and whether something descends."""
_LONG = 25
_SAME = 0.12
"""Sizes that differ by less than this are one: a scan does not tell them apart."""
_DEEP = 0.22
_BOLDER = 1.3
_RULE = 1.0
_TELLING = 3
_ONE_SIZE = 0.12
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
    density: float = 0.0
    """The dark share of its place; 0 where nobody looked."""


class ScannedPage(NamedTuple):
    number: int
    width: float
    height: float
    words: tuple[ScannedWord, ...]
    rules: tuple[Box, ...] = ()


class _Print(NamedTuple):
    words: list[ScannedWord]
    size: float
    base: float
    letters: int


def content_of(page: ScannedPage) -> PageContent:
    slope = _slope(page.words)
    words = [_turned(_between(word, page.rules), slope, middle=page.width / 2) for word in page.words]
    printed = [_measured(list(row)) for _, row in groupby(words, key=lambda word: word.line)]
    sizes = _settled(printed)
    bold = _bold_from(printed)
    lines = [
        line
        for order, (row, size) in enumerate(zip(printed, sizes, strict=True))
        for line in _lines(row, size, order=order, bold=bold)
    ]
    return PageContent(
        number=page.number,
        width=page.width,
        height=page.height,
        lines=lines,
        turned=[],
        horizontals=[_level(rule, slope, middle=page.width / 2) for rule in page.rules if rule.width],
        verticals=[_upright(rule, slope) for rule in page.rules if rule.height],
        fills=[],
        frames=[],
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


def _between(word: ScannedWord, rules: Iterable[Box]) -> ScannedWord:
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


def _level(rule: Box, slope: float, *, middle: float) -> Box:
    y = rule.top - slope * (rule.middle - middle)
    return Box(rule.left + slope * y, y, rule.right + slope * y, y)


def _upright(rule: Box, slope: float) -> Box:
    x = rule.left + slope * (rule.top + rule.bottom) / 2
    return Box(x, rule.top, x, rule.bottom)


def _bold_from(printed: Sequence[_Print]) -> float:
    """The density from which a word is bold, as a share of what its size has on this page; most of a page is not."""
    densities = [(word.density, len(word.text)) for row in printed for word in row.words if word.density]
    return _BOLDER * _median(densities) if densities else float("inf")


def _measured(words: list[ScannedWord]) -> _Print:
    """Word by word, since one that was misread or touches a rule must not measure for its line."""
    letters = sum(len(word.text) for word in words)
    # A word that rises and does not descend, such as "The", measures best.
    best = [word for word in words if _rises(word.text) and not _descends(word.text) and len(word.text) > 1]
    size = _median((_size(word), len(word.text)) for word in best or words)
    base = _median((word.bottom - (_DEEP * size if _descends(word.text) else 0.0), len(word.text)) for word in words)
    return _Print(words, size, base, letters)


def _size(word: ScannedWord) -> float:
    return (word.bottom - word.top) / _FACTORS[_rises(word.text), _descends(word.text)]


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


def _settled(printed: Sequence[_Print]) -> list[float]:
    """Sizes as the printer chose them: those close to the body's are the body's, the others meet among themselves."""
    if not printed:
        return []
    body = _median((row.size, row.letters) for row in ([row for row in printed if row.letters > _LONG] or printed))
    others = sorted(row.size for row in printed if abs(row.size - body) > _SAME * body)
    settled: dict[float, float] = {}
    for group in _close(others):
        settled.update(dict.fromkeys(group, round(median(group), 1)))
    return [settled.get(row.size, round(body, 1)) for row in printed]


def _close(sizes: Sequence[float]) -> Iterable[list[float]]:
    """Sizes in rising order, cut where the next is clearly larger."""
    group: list[float] = []
    for size in sizes:
        if group and size > group[0] * (1 + _SAME):
            yield group
            group = []
        group.append(size)
    if group:
        yield group


def _lines(row: _Print, size: float, *, order: int, bold: float) -> Iterable[Line]:
    """A line of print is cut at wide gaps, as those of other pages are."""
    run: list[ScannedWord] = []
    for word in sorted(row.words, key=lambda word: word.left):
        if run and word.left - run[-1].right > BREAK * size:
            yield _line(run, row.base, size, order, is_bold=_is_heavy(run, bold))
            run = []
        run.append(word)
    if run:
        yield _line(run, row.base, size, order, is_bold=_is_heavy(run, bold))


def _is_heavy(words: Sequence[ScannedWord], bold: float) -> bool:
    """All together, since a single word measures too roughly, and figures and signs not at all."""
    telling = [word for word in words if sum(map(str.isalpha, word.text)) >= _TELLING]
    return bool(telling) and _median((word.density, len(word.text)) for word in telling) >= bold


def _line(words: Sequence[ScannedWord], base: float, size: float, order: int, *, is_bold: bool) -> Line:
    style = Style("", size, bold=is_bold, italic=False, mono=False, colour=(0.0, 0.0, 0.0))
    return Line([Word(word.text, word.left, word.right, style) for word in words], base, style, order)


def in_terms_of(passages: Iterable[Passage], *, body: float, wanted: float) -> None:
    """Sizes as shares of the body's, for each picture measures a little differently."""
    for passage in all_of(passages):
        if passage.look is not None:
            passage.look.size *= wanted / body


def settle_sizes(passages: Iterable[Passage]) -> None:
    """Over all scanned pages of a document: sizes that are close to each other were one in print."""
    looks = [passage.look for passage in all_of(passages) if passage.look is not None and not passage.look.font]
    groups = [[look] for look in sorted(looks, key=lambda look: look.size)]
    while (place := _closest(groups)) is not None:
        groups[place : place + 2] = [groups[place] + groups[place + 1]]
    for group in groups:
        size = round(mean(look.size for look in group), 1)
        for look in group:
            look.size = size


def _closest(groups: Sequence[Sequence[Look]]) -> int | None:
    """The place of the two neighbours that lie closest together, if that is close enough to be one."""
    means = [mean(look.size for look in group) for group in groups]
    steps = [upper / lower for lower, upper in pairwise(means)]
    if not steps or min(steps) > 1 + _ONE_SIZE:
        return None
    return steps.index(min(steps))


def without_running_heads(passages: Sequence[Passage]) -> list[Passage]:
    """Scanned pages are read one by one: what runs along them shows only when all are there."""
    outermost: dict[int, list[Passage]] = {}
    for page, members in groupby(passages, key=lambda passage: passage.page):
        scanned = [passage for passage in members if passage.look is not None and not passage.look.font]
        if scanned:
            first, last = min(scanned, key=lambda one: one.box.top), max(scanned, key=lambda one: one.box.bottom)
            outermost[page] = [first] if first is last else [first, last]
    edges = [passage for pair in outermost.values() for passage in pair if passage.lines == 1]
    keys = Counter(_key(passage.plain) for passage in edges)
    gone = {id(one) for one in edges if keys[_key(one.plain)] > 1 or one.plain.strip("-– ").isdigit()}
    return [passage for passage in passages if id(passage) not in gone]


def _key(text: str) -> str:
    """As it reads on every page, whatever its number."""
    return re.sub(r"[\W\d_]+", " ", text).strip().lower()
