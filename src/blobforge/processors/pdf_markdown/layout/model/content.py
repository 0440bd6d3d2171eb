"""What a page is made of, from glyphs to lines. Lengths are points; they run right and down from the upper left."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypedDict

Colour = tuple[float, ...]


class Point(NamedTuple):
    x: float
    y: float


class Rectangle(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def middle(self) -> float:
        """Halfway from left to right."""
        return (self.left + self.right) / 2

    def holds(self, other: "Rectangle", *, slack: float = 0.0) -> bool:
        return (
            self.left - slack <= other.left
            and other.right <= self.right + slack
            and self.top - slack <= other.top
            and other.bottom <= self.bottom + slack
        )

    def has(self, point: Point) -> bool:
        return self.left <= point.x <= self.right and self.top <= point.y <= self.bottom

    def overlaps(self, other: "Rectangle") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def around(boxes: Iterable[Rectangle]) -> Rectangle:
    """The smallest box that holds them all."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Rectangle(min(lefts), min(tops), max(rights), max(bottoms))


class Style(NamedTuple):
    """How text looks; one object for all glyphs that look alike."""

    font: str
    size: float
    bold: bool
    italic: bool
    mono: bool
    colour: Colour


class TextRun(NamedTuple):
    """Letters drawn one after another without a gap, in one style. A space was drawn `before` it, or `after` it."""

    text: str
    left: float
    right: float
    base: float
    style: Style
    before: bool = False
    after: bool = False


class TextWord(NamedTuple):
    """Glyphs without a gap, in one style. `spaced`: a space stands before it; `link` is where it leads."""

    text: str
    left: float
    right: float
    style: Style
    spaced: bool = True
    raised: bool = False
    link: str = ""


class TextLine:
    """Words on one baseline without a wide gap. `order` says where it came in the page's own stream.

    All stages ask for the edges and the text again and again, so they are worked out once for a list of words: give a
    line new `words`, do not change the list.
    """

    __slots__ = ("_text", "_words", "base", "bottom", "left", "order", "right", "size", "style", "top")

    def __init__(self, words: list[TextWord], base: float, style: Style, order: int) -> None:
        self.words = words
        self.base = base
        self.style = style
        self.order = order
        self.size = style.size
        self.top = base - 0.8 * style.size
        self.bottom = base + 0.22 * style.size

    def __repr__(self) -> str:
        return f"TextLine({self.text!r}, left={self.left:.1f}, base={self.base:.1f}, size={self.size})"

    @property
    def words(self) -> list[TextWord]:
        return self._words

    @words.setter
    def words(self, words: list[TextWord]) -> None:
        self._words = words
        self._text: str | None = None
        # The first word may be the rightmost: right-to-left text.
        self.left = min(words[0].left, words[-1].left)
        self.right = max(words[0].right, words[-1].right)

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = text_of(self._words)
        return self._text

    @property
    def box(self) -> Rectangle:
        return Rectangle(self.left, self.top, self.right, self.bottom)

    @property
    def is_bold(self) -> bool:
        return all(word.style.bold for word in self._words)


def text_of(words: Sequence[TextWord]) -> str:
    text = "".join([f" {text}" if spaced else text for text, _, _, _, spaced, _, _ in words])
    return text[1:] if words and words[0].spaced else text


class Fill(NamedTuple):
    """A rectangle of colour."""

    box: Rectangle
    colour: Colour


class FreeShape(NamedTuple):
    """A curve, a slanting line or a shape that is no rectangle; `steps` says how many strokes of the pen it took."""

    box: Rectangle
    steps: int


class OutlineEntry(TypedDict):
    """A bookmark as the file has it; pages are counted from 0, and None is nowhere."""

    title: str | None
    page: int | None
    children: list["OutlineEntry"]


NOTICED = 0.02
"""Of the letters of a page: whoever reads the Markdown misses more than these."""


class PageContent(NamedTuple):
    """All that is drawn on a page. Rules are boxes without height (or width)."""

    number: int
    width: float
    height: float
    lines: list[TextLine]
    turned: "PageContent | None"
    """Text at another angle than most, with the strokes around it, as on a page that was turned to read it."""
    horizontals: list[Rectangle]
    verticals: list[Rectangle]
    fills: list[Fill]
    frames: list[Rectangle]
    """Rectangles that are only outlined."""
    images: list[Rectangle]
    unknown: float = 0.0
    """Share of the glyphs that stand for no known character."""
    angle: float = 0
    """The page was turned by so many degrees, clockwise, to read it."""
    invisible: float = 0.0
    """Share of the text that is not drawn at all, where the page is mostly a picture: the text layer of a scan."""
    is_second_reading: bool = False
    """The usual reader could not read the page; another did."""
    marks: Sequence[FreeShape] = ()
    """What was drawn freely, and is neither rule, fill nor frame."""
    contours: Sequence[Rectangle] = ()
    """Of `marks`, those that may be letters: several where a path holds a word or a page of them."""
    dots: Sequence[Rectangle] = ()
    """Small discs and squares: bullets, and the points of charts."""
    placed: Sequence[TextLine] = ()
    """The few short lines of a drawing that came from another document: labels, if there is a picture."""
    slanted: Sequence[Point] = ()
    """Where letters stand at angles that no words have, as those along a curve; they are not read."""
    asides: Sequence["PageContent"] = ()
    """Words at angles that are neither that of most nor that of `turned`, each as on a page that was turned so."""
    unseen: Sequence[Rectangle] = ()
    """Rectangles that nobody sees, in the order of the file: some writers put one around the text of each cell."""
