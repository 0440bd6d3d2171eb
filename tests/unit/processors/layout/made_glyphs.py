"""Characters as pdf-oxide gives them, and pieces of text, made by hand."""

from types import SimpleNamespace

from tests.unit.processors.layout.made import BODY

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, Style, TextRun

PAGE = Rectangle(0.0, 0.0, 600.0, 800.0)


def chars(
    text: str, *, x: float = 50.0, y: float = 700.0, size: float = 10.0, **other: object
) -> list[SimpleNamespace]:
    """Each half as wide as the size."""
    facts = {"font_name": "ABCDEF+Serif", "font_weight": "Normal", "is_italic": False, "is_monospace": False}
    facts |= {"color": (0.0, 0.0, 0.0), "rotation_degrees": 0.0, **other}
    return [
        SimpleNamespace(
            char=char,
            origin_x=x + place * size / 2,
            origin_y=y,
            advance_width=size / 2,
            bbox=(x + place * size / 2, y, size / 2, size),
            font_size=size,
            **facts,
        )
        for place, char in enumerate(text)
    ]


def turned(text: str, *, x: float = 300.0, y: float = 100.0, size: float = 10.0) -> list[SimpleNamespace]:
    """Text that runs up the page. pdf-oxide gives it no widths, and sorts it top down."""
    upright = chars(text, size=size, rotation_degrees=90.0)
    for place, char in enumerate(upright):
        char.origin_x, char.origin_y, char.advance_width = x, y + place * size / 2, 0.0
    return upright[::-1]


def pieces(
    text: str, *, left: float = 50.0, base: float = 100.0, style: Style = BODY, space: float = 0.3
) -> list[TextRun]:
    """One for each word."""
    made: list[TextRun] = []
    for word in text.split():
        made.append(TextRun(word, left, left + 0.5 * style.size * len(word), base, style, before=bool(made)))
        left = made[-1].right + space * style.size
    return made
