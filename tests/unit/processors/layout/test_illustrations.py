"""Images, drawings and their labels become figures; the rest of the page is left."""

from tests.unit.processors.layout.made import BOLD, SURVEY, TITLE, line, page
from tests.unit.processors.layout.made_columns import text

from blobforge.processors.pdf_markdown.layout.model.content import Fill, FreeShape, PageContent, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Figure
from blobforge.processors.pdf_markdown.layout.model.passages import PassageRole
from blobforge.processors.pdf_markdown.layout.output.markdown import markdown_of_document
from blobforge.processors.pdf_markdown.layout.pictures.illustrations import figure_passage, illustrated, whole_images

BELOW = text("a", 6, left=50, top=500, letters=70)
PICTURE = Rectangle(100, 100, 300, 250)
DRAWING = FreeShape(PICTURE, 60)
LABELS = [line("Mill", left=120, base=130), line("Tower", left=200, base=160), line("Bridge", left=150, base=220)]


def figures_of(content: PageContent) -> list[Figure]:
    return illustrated(content, SURVEY)[0]


def with_image(*lines: TextLine, box: Rectangle = PICTURE) -> PageContent:
    return page([*lines, *BELOW])._replace(images=[box])


# Images


def test_an_image_is_a_figure() -> None:
    (figure,) = figures_of(with_image())

    assert (figure.picture, figure.is_drawn, figure.number) == (PICTURE, False, 1)


def test_strips_and_tiles_are_one_image() -> None:
    strips = [Rectangle(100, 100 + 10 * place, 400, 110 + 10 * place) for place in range(20)]
    tiles = [Rectangle(100 + 50 * x, 400 + 50 * y, 150 + 50 * x, 450 + 50 * y) for x in range(3) for y in range(3)]

    assert whole_images([*strips, *tiles]) == [Rectangle(100, 100, 400, 300), Rectangle(100, 400, 250, 550)]


def test_images_with_a_gap_between_them_are_two() -> None:
    assert len(whole_images([PICTURE, Rectangle(306, 100, 506, 250)])) == 2


def test_an_icon_is_left_out() -> None:
    assert figures_of(with_image(box=Rectangle(100, 100, 120, 120))) == []


def test_an_image_behind_running_text_is_left_out() -> None:
    over = text("a", 8, left=110, top=110, letters=40)

    assert figures_of(with_image(*over, box=Rectangle(100, 100, 400, 250))) == []


def test_the_paper_is_left_out() -> None:
    assert figures_of(with_image(box=Rectangle(0, 0, 600, 800))) == []


def test_a_cover_is_shown_and_its_title_stays_text() -> None:
    cover = page([line("The Great Book", style=TITLE)])._replace(images=[Rectangle(0, 0, 600, 800)])

    (figure,), rest = illustrated(cover, SURVEY)

    assert figure.labels == []
    assert rest.lines == cover.lines


def test_a_scan_behind_its_text_is_no_cover() -> None:
    scan = page([line("A Part", style=TITLE)])._replace(images=[Rectangle(0, 0, 600, 800)], invisible=1.0)

    assert figures_of(scan) == []


def test_paper_with_many_short_lines_on_it_is_no_cover() -> None:
    verses = text("a", 20, left=100, top=100, letters=20)

    assert figures_of(page(verses)._replace(images=[Rectangle(0, 0, 600, 800)])) == []


def test_labels_over_an_image_are_its_own_and_it_is_drawn_as_it_is_seen() -> None:
    (figure,), rest = illustrated(with_image(*LABELS), SURVEY)

    assert (figure.labels, figure.is_drawn) == (LABELS, True)
    assert rest.lines == BELOW


def test_a_title_over_an_image_stays_text() -> None:
    title = line("A Chapter", left=120, base=180, style=TITLE)

    (figure,), rest = illustrated(with_image(title), SURVEY)

    assert (figure.labels, figure.is_drawn) == ([], False)
    assert title in rest.lines


# Drawings


def test_a_drawing_takes_its_strokes_from_the_page() -> None:
    drawn = page(BELOW)._replace(
        marks=[DRAWING],
        horizontals=[Rectangle(110, 200, 290, 200), Rectangle(50, 490, 400, 490)],
        fills=[Fill(PICTURE, (1.0,))],
    )

    (figure,), rest = illustrated(drawn, SURVEY)

    assert (figure.picture, figure.is_drawn) == (PICTURE, True)
    assert (rest.horizontals, rest.fills) == ([Rectangle(50, 490, 400, 490)], [])


def test_an_image_under_a_drawing_is_one_picture_with_it() -> None:
    both = page(BELOW)._replace(marks=[DRAWING], images=[Rectangle(110, 110, 280, 260)])

    (figure,) = figures_of(both)

    assert figure.picture == Rectangle(100, 100, 300, 260)


def test_the_labels_of_an_axis_belong_to_the_chart() -> None:
    years = [line(str(2000 + place), left=110 + 50 * place, base=261) for place in range(4)]
    values = [line(str(10 * place), left=85, base=240 - 40 * place) for place in range(4)]

    (figure,) = figures_of(page([*years, *values, *BELOW])._replace(marks=[DRAWING]))

    assert len(figure.labels) == 8
    assert figure.picture.left == 85
    assert figure.picture.bottom > 261


def test_a_caption_is_no_label() -> None:
    caption = line("Figure 7", left=110, base=262)

    (figure,) = figures_of(page([caption, *BELOW])._replace(marks=[DRAWING]))

    assert figure.labels == []


def test_the_last_line_of_a_paragraph_is_no_label() -> None:
    above = [*text("a", 3, left=100, top=64, letters=40), line("and so.", left=100, base=98)]

    (figure,) = figures_of(page([*above, *BELOW])._replace(marks=[DRAWING]))

    assert figure.labels == []


def test_a_legend_below_a_chart_belongs_to_it() -> None:
    legend = [line("first", left=140, base=285), line("second", left=200, base=285)]
    squares = [Rectangle(128, 279, 134, 285), Rectangle(188, 279, 194, 285)]

    (figure,) = figures_of(page([*legend, *BELOW])._replace(marks=[DRAWING], dots=squares))

    assert figure.labels == legend


def test_the_name_of_an_upright_axis_belongs_to_the_chart() -> None:
    axis = line("Height in metres", left=560, base=90)
    aside = PageContent(1, 800.0, 600.0, [axis], None, [], [], [], [], [], angle=90)

    (figure,), rest = illustrated(page(BELOW)._replace(marks=[DRAWING], turned=aside), SURVEY)

    assert [label.text for label in figure.labels] == ["Height in metres"]
    assert figure.picture.left == 82
    assert rest.turned is not None
    assert rest.turned.lines == []


def test_a_map_that_fills_the_page_has_its_labels_but_leaves_the_title() -> None:
    title = line("The Valley", left=60, base=60, style=TITLE)
    content = page([title, *LABELS])._replace(marks=[FreeShape(Rectangle(20, 20, 580, 780), 900)])

    (figure,), rest = illustrated(content, SURVEY)

    assert figure.labels == LABELS
    assert rest.lines == [title]


def test_a_shape_behind_a_title_is_no_picture() -> None:
    title = line("A Title", left=120, base=180, style=TITLE)

    figures, rest = illustrated(page([title, *BELOW])._replace(marks=[DRAWING]), SURVEY)

    assert figures == []
    assert title in rest.lines


def test_a_page_with_text_alone_is_left_as_it_is() -> None:
    content = page(BELOW)

    assert illustrated(content, SURVEY) == ([], content)


# As a passage


def test_labels_come_after_the_picture_as_text_and_are_no_headings() -> None:
    labels = [
        line("North", left=120, base=130, style=BOLD),
        line("West", left=120, base=160),
        line("East", left=200, base=160),
    ]

    passage = figure_passage(Figure(PICTURE, 2, labels=labels, is_drawn=True), page=1)

    assert markdown_of_document([passage]) == "![](drawing-2.png)\n\nNorth\nWest East"
    assert [(child.role, child.look) for child in passage.children] == [(PassageRole.PARAGRAPH, None)]


def test_a_label_that_would_mean_something_in_markdown_begins_no_line() -> None:
    labels = [line("Low", left=120, base=130), line("-----", left=120, base=150)]

    passage = figure_passage(Figure(PICTURE, 1, labels=labels, is_drawn=True), page=1)

    assert "\n" not in passage.children[0].text


# What came with a drawing from another document


def test_placed_lines_label_the_drawing_that_they_lie_in_or_near() -> None:
    far = line("Notes", left=450, base=400)
    content = page(BELOW)._replace(marks=[DRAWING], placed=[*LABELS, line("North", left=180, base=280), far])

    figures, rest = illustrated(content, SURVEY)

    assert [label.text for label in figures[0].labels] == ["Mill", "Tower", "Bridge", "North"]
    assert rest.lines == [*BELOW, far]


def test_placed_lines_are_text_where_there_is_no_picture() -> None:
    _, rest = illustrated(page(BELOW)._replace(placed=LABELS), SURVEY)

    assert rest.lines == [*BELOW, *LABELS]
