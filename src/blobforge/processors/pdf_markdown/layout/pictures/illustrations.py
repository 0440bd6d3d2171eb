"""The pictures of a page: its images and drawings, with the labels in them, and what of the page is left."""

from collections.abc import Iterable, Sequence

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.items import Figure
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.model.table import rows_of
from blobforge.processors.pdf_markdown.layout.pictures.drawings import (
    SMALLEST,
    drawings_of,
    lines_in,
    may_have_drawings,
)
from blobforge.processors.pdf_markdown.layout.survey.ornaments import without_ornaments
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey, without_running
from blobforge.processors.pdf_markdown.layout.text.captions import is_caption
from blobforge.processors.pdf_markdown.layout.text.inline import plain_text
from blobforge.processors.pdf_markdown.layout.words.drawn_bullets import DOT
from blobforge.processors.pdf_markdown.layout.words.turned import stood_up, turned_back

DRAWING = "drawing-"
"""So begins the link of a picture that is to be drawn as it is seen."""
_IMAGE = "image-"
_LONG = 25
_SHORT = 14
"""Letters: what stands at the edge of a drawing and is longer is text, or its caption."""
_LARGER = 1.08
_NEXT_TO = 0.8
"""Of the size: so near to a drawing are the labels around it."""
_NEXT_TURNED = 1.5
_NEXT_LINE = 1.4
_LEGEND = 4.0
"""Of the size: a legend is no farther from its chart."""
_SEVERAL = 3
_RUNNING = 2
_COVER = 200
"""Letters: where fewer are written over a picture that fills the page, it is more than the paper."""
_HIDDEN = 0.5
PAPER = 0.6
"""Of the page: a larger picture is the paper, or all that is on it."""
_SLICED = 1.5
_ONE_THING = 0.5
"""Of the smaller: an image and a drawing that overlap so much are one picture."""


def illustrated(page: PageContent, survey: DocumentSurvey) -> tuple[list[Figure], PageContent]:
    """The figures, and the page without what is part of them."""
    if not page.images and not may_have_drawings(page):
        return [], _with_placed_taken(page, [])
    page = without_ornaments(page, survey.ornaments)
    lines = without_running(page, survey)
    images = [box for box in whole_images(page.images) if _is_shown(box, page, lines)]
    drawings = [box for box in drawings_of(page, lines, survey) if not _is_banner(box, lines, survey)]
    figures: list[Figure] = []
    for box in drawings:
        under = [image for image in images if _are_one(image, box)]
        images = [image for image in images if image not in under]
        figures.append(Figure(around([box, *under]), 0, is_drawn=True))
    figures += [Figure(box, 0) for box in images]
    for number, figure in enumerate(figures, start=1):
        figure.number = number
        _label(figure, lines, survey, page)
    page = _with_turned_labels_taken(_with_placed_taken(page, figures), figures)
    return figures, _without(page, figures)


def figure_passage(figure: Figure, *, page: int) -> Passage:
    """Its labels are text of their own kind, and never headings."""
    link = f"![]({DRAWING if figure.is_drawn else _IMAGE}{figure.number}.png)"
    found = Passage(role=PassageRole.FIGURE, page=page, box=figure.picture, text=link)
    if figure.labels:
        text = _label_text(figure.labels)
        box = around(line.box for line in figure.labels)
        found.children = [Passage(role=PassageRole.PARAGRAPH, page=page, box=box, text=text, plain=text)]
    return found


def _label_text(labels: Sequence[TextLine]) -> str:
    """A row of labels a line, unless that would mean something in Markdown."""
    text = ""
    for row in rows_of(labels):
        words = [word for line in row for word in line.words if word.text != DOT]
        said = plain_text(words)
        text += (("\n" if said[:1].isalnum() else " ") if text else "") + said
    return text


def whole_images(images: Iterable[Rectangle]) -> list[Rectangle]:
    """Images that were cut into strips or tiles, put together again."""
    whole: list[Rectangle] = []
    for image in sorted(images, key=lambda box: (box.top, box.left)):
        box = image
        while (other := next((other for other in whole if _are_slices(other, box)), None)) is not None:
            whole.remove(other)
            box = around([box, other])
        whole.append(box)
    return whole


def _are_slices(one: Rectangle, other: Rectangle) -> bool:
    """Whether they share a whole edge."""
    is_column = abs(one.left - other.left) < _SLICED and abs(one.right - other.right) < _SLICED
    is_row = abs(one.top - other.top) < _SLICED and abs(one.bottom - other.bottom) < _SLICED
    is_over = abs(one.bottom - other.top) < _SLICED or abs(other.bottom - one.top) < _SLICED
    is_beside = abs(one.right - other.left) < _SLICED or abs(other.right - one.left) < _SLICED
    return (is_column and is_over) or (is_row and is_beside)


def _is_shown(box: Rectangle, page: PageContent, lines: Sequence[TextLine]) -> bool:
    """Neither an ornament, nor behind text, nor the paper; a page without any words is judged when it is drawn."""
    if box.width <= SMALLEST or box.height <= SMALLEST:
        return False
    running = sum(len(line.text) > _LONG for line in lines_in(box, lines))
    if box.area < PAPER * page.width * page.height:
        return running < _SEVERAL
    is_scan = page.invisible > _HIDDEN
    return not is_scan and running < _RUNNING and 0 < sum(len(line.text) for line in lines) < _COVER


def _is_banner(box: Rectangle, lines: Sequence[TextLine], survey: DocumentSurvey) -> bool:
    """A shape behind a title."""
    held = lines_in(box, lines)
    return 0 < len(held) < _SEVERAL and all(line.size > _LARGER * survey.size for line in held)


def _are_one(image: Rectangle, drawing: Rectangle) -> bool:
    width = min(image.right, drawing.right) - max(image.left, drawing.left)
    height = min(image.bottom, drawing.bottom) - max(image.top, drawing.top)
    return width > 0 and height > 0 and width * height > _ONE_THING * min(image.area, drawing.area)


def _label(figure: Figure, lines: Sequence[TextLine], survey: DocumentSurvey, page: PageContent) -> None:
    """Gives the figure the lines that are drawn on it; those of an image, only where it has several."""
    is_sheet = figure.picture.area >= PAPER * page.width * page.height
    held = lines_in(figure.picture, lines)
    if is_sheet and figure.is_drawn:
        figure.labels = [line for line in held if line.size <= _LARGER * survey.size]
    elif is_sheet:
        return
    elif figure.is_drawn:
        figure.labels = _with_labels_around(figure.picture, held, lines, survey)
        place = around([figure.picture, *(line.box for line in figure.labels)])
        figure.labels += _legend(place, without(lines, figure.labels), page, survey)
    else:
        held = [line for line in held if line.size <= _LARGER * survey.size]
        figure.labels = held if len(held) >= _SEVERAL and not any(len(line.text) > _LONG for line in held) else []
    if figure.labels:
        figure.is_drawn = True
        figure.picture = around([figure.picture, *(line.box for line in figure.labels)])


def _with_placed_taken(page: PageContent, figures: Sequence[Figure]) -> PageContent:
    """What came with a drawing from another document labels it; without one, it is text like any other."""
    free = list(page.placed)
    for figure in figures:
        while near := [line for line in free if _is_near(line.box, figure.picture, _LEGEND * line.size)]:
            free = without(free, near)
            figure.labels += near
            figure.is_drawn = True
            figure.picture = around([figure.picture, *(line.box for line in near)])
    return page._replace(lines=[*page.lines, *free], placed=()) if page.placed else page


def _with_turned_labels_taken(page: PageContent, figures: Sequence[Figure]) -> PageContent:
    """The names of upright axes, and other turned lines in or beside a drawing, are read with it."""
    drawn = [figure for figure in figures if figure.is_drawn]
    if not drawn:
        return page
    asides = [_without_labels(aside, page, drawn) for aside in page.asides]
    turned = None if page.turned is None else _without_labels(page.turned, page, drawn)
    return page._replace(turned=turned, asides=asides)


def _without_labels(turned: PageContent, page: PageContent, figures: Sequence[Figure]) -> PageContent:
    taken: list[TextLine] = []
    for line, label in stood_up(turned, on=page):
        place = turned_back(line.box, turned, on=page)
        for figure in figures:
            if _is_near(place, figure.picture, _NEXT_TURNED * line.size) and not _is_across(place, turned, figure):
                figure.labels.append(label)
                figure.picture = around([figure.picture, place])
                taken.append(line)
                break
    return turned._replace(lines=without(turned.lines, taken))


def _is_across(place: Rectangle, turned: PageContent, figure: Figure) -> bool:
    """A watermark runs over what it stamps."""
    is_odd = turned.angle % 90 != 0
    return is_odd and (2 * place.width > figure.picture.width or 2 * place.height > figure.picture.height)


def _with_labels_around(
    box: Rectangle, held: list[TextLine], lines: Sequence[TextLine], survey: DocumentSurvey
) -> list[TextLine]:
    """Also those of an axis and those that lines lead to: short, next to the drawing or to another label."""
    labels = list(held)
    free = [line for line in without(lines, held) if _may_label(line, lines, survey)]
    whole = around([box, *(line.box for line in held)])
    while near := [line for line in free if _is_next_to(line, whole)]:
        labels += near
        free = [line for line in free if line not in near]
        whole = around([whole, *(line.box for line in near)])
    return labels


def _legend(box: Rectangle, lines: Sequence[TextLine], page: PageContent, survey: DocumentSurvey) -> list[TextLine]:
    """Short lines in a row near the drawing, with several small coloured squares or discs among them."""
    reach = _LEGEND * survey.size
    swatches = [*page.dots, *(fill.box for fill in page.fills if max(fill.box.width, fill.box.height) < survey.size)]
    found: list[TextLine] = []
    for row in rows_of(line for line in lines if box.left - reach < line.left and line.right < box.right + reach):
        whole = around(line.box for line in row)
        is_near = box.bottom <= whole.top < box.bottom + reach or box.top - reach < whole.bottom <= box.top
        if is_near and sum(_is_in_row(swatch, whole) for swatch in swatches) > 1:
            found += row
    return found


def _is_in_row(swatch: Rectangle, row: Rectangle) -> bool:
    is_level = row.top < (swatch.top + swatch.bottom) / 2 < row.bottom
    return is_level and row.left - 2 * row.height < swatch.left and swatch.right < row.right


def _may_label(line: TextLine, lines: Sequence[TextLine], survey: DocumentSurvey) -> bool:
    is_title = line.size > _LARGER * survey.size and any(map(str.isalpha, line.text))
    if len(line.text) > _SHORT or is_title or is_caption(line.text):
        return False
    # The short last line of a paragraph is none.
    return not any(
        len(other.text) > _LONG
        and abs(line.base - other.base) < _NEXT_LINE * other.size
        and other.left < line.right
        and line.left < other.right
        for other in lines
    )


def _is_next_to(line: TextLine, box: Rectangle) -> bool:
    return _is_near(line.box, box, _NEXT_TO * line.size)


def _is_near(one: Rectangle, other: Rectangle, reach: float) -> bool:
    return Rectangle(one.left - reach, one.top - reach, one.right + reach, one.bottom + reach).overlaps(other)


def _without(page: PageContent, figures: Sequence[Figure]) -> PageContent:
    """Labels and strokes of a drawing are no text, no tables and no boxes."""
    places = [figure.picture for figure in figures if figure.is_drawn]
    if not places:
        return page
    return page._replace(
        lines=without(page.lines, (line for figure in figures for line in figure.labels)),
        horizontals=_outside(page.horizontals, places),
        verticals=_outside(page.verticals, places),
        fills=[fill for fill in page.fills if not _is_in(fill.box, places)],
        frames=_outside(page.frames, places),
    )


def without(lines: Iterable[TextLine], gone: Iterable[TextLine]) -> list[TextLine]:
    ids = set(map(id, gone))
    return [line for line in lines if id(line) not in ids]


def _outside(boxes: Sequence[Rectangle], places: Sequence[Rectangle]) -> list[Rectangle]:
    return [box for box in boxes if not _is_in(box, places)]


def _is_in(box: Rectangle, places: Sequence[Rectangle]) -> bool:
    return any(place.holds(box, slack=1) for place in places)
