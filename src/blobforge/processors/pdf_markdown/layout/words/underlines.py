"""Underlined lines: a rule under a whole line makes it bold."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, Style, TextLine

_NEAREST, _FARTHEST = -0.05, 0.3
"""Of the size, below the baseline: between these lies a rule that belongs to the letters."""
_AS_LONG = 0.25
"""Of the size: no more than this it is longer or shorter than the line."""
_FEWEST_LETTERS = 3


def with_underlined_bold(lines: list[TextLine], rules: Iterable[Rectangle]) -> list[TextLine]:
    """Marks the lines in place; links are underlined for another reason."""
    heavier: dict[Style, Style] = {}
    by_height = sorted(rules, key=lambda rule: rule.top)
    heights = [rule.top for rule in by_height]
    for line in lines:
        first = bisect_left(heights, line.base + _NEAREST * line.size)
        last = bisect_right(heights, line.base + _FARTHEST * line.size)
        if first < last and _may_be_marked(line) and _is_covered(line, by_height[first:last]):
            line.words = [
                word._replace(style=heavier.setdefault(word.style, word.style._replace(bold=True)))
                for word in line.words
            ]
            line.style = heavier.setdefault(line.style, line.style._replace(bold=True))
    return lines


def _may_be_marked(line: TextLine) -> bool:
    is_text = sum(map(str.isalpha, line.text)) >= _FEWEST_LETTERS
    return is_text and not line.style.bold and not any(word.link for word in line.words)


def _is_covered(line: TextLine, rules: Sequence[Rectangle]) -> bool:
    """Whether the rules, one after another, run from its beginning to its end and no farther."""
    slack = _AS_LONG * line.size
    own = sorted(rule for rule in rules if line.left - slack < rule.right and rule.left < line.right + slack)
    if not own or abs(own[0].left - line.left) > slack:
        return False
    reach = own[0].left
    for rule in own:
        if rule.left > reach + slack:
            return False
        reach = max(reach, rule.right)
    return abs(reach - line.right) <= slack
