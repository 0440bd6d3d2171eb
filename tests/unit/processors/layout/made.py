"""Lines, pages and passages made by hand."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, Style, TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.model.passages import Look, Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.emphasis import is_capitals

BODY = Style(font="Serif", size=10.0, bold=False, italic=False, mono=False, colour=(0.0, 0.0, 0.0))
BOLD = BODY._replace(font="Serif-Bold", bold=True)
RED = BODY._replace(colour=(0.6, 0.0, 0.0))
TITLE = BOLD._replace(size=16.0)
SURVEY = DocumentSurvey(size=10.0, leading=1.2, font="Serif", pages=3, height=800.0)
ADVANCE = 0.5


def line(*parts: str | tuple[str, Style], left: float = 50.0, base: float = 100.0, style: Style = BODY) -> TextLine:
    """Each part is text in `style`, or text with a style of its own."""
    words: list[TextWord] = []
    x = left
    for part in parts:
        text, look = (part, style) if isinstance(part, str) else part
        for word in text.split():
            words.append(TextWord(word, x, x + ADVANCE * look.size * len(word), look))
            x = words[-1].right + 0.3 * look.size
    return TextLine(words, base, max(words, key=lambda word: len(word.text)).style, int(base))


def column(
    *texts: str | tuple[str, Style], left: float = 50.0, base: float = 100.0, step: float = 12.0
) -> list[TextLine]:
    """One line under the other."""
    return [line(text, left=left, base=base + step * place) for place, text in enumerate(texts)]


def page(lines: Sequence[TextLine], *, number: int = 1) -> PageContent:
    return PageContent(number, 600.0, 800.0, list(lines), None, [], [], [], [], [])


def passage(
    text: str,
    style: Style = BODY,
    *,
    role: PassageRole = PassageRole.PARAGRAPH,
    number: int = 1,
    top: float = 100.0,
    marker: str = "",
    indent: float = 0.0,
    lines: int = 1,
    fills: bool = False,
) -> Passage:
    look = Look(
        size=style.size,
        bold=style.bold,
        italic=style.italic,
        caps=is_capitals(text),
        font=style.font,
        colour=style.colour,
    )
    return Passage(
        role=role,
        page=number,
        box=Rectangle(50.0, top, 250.0, top + style.size * lines),
        text=text,
        plain=text,
        look=look,
        lines=lines,
        stands_out=style != BODY,
        fills=fills,
        marker=marker,
        indent=indent,
    )


def table(rows: list[list[str]], *, number: int = 1, top: float = 100.0) -> Passage:
    return Passage(role=PassageRole.TABLE, page=number, box=Rectangle(50.0, top, 250.0, top + 50), rows=rows)


def box(*children: Passage) -> Passage:
    return Passage(role=PassageRole.QUOTE, page=1, box=Rectangle(50.0, 100.0, 250.0, 200.0), children=list(children))
