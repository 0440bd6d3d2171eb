"""What is drawn in one place on many pages is no picture."""

import json

from tests.unit.processors.layout.made import page
from tests.unit.processors.layout.made_columns import text

from blobforge.processors.pdf_markdown.layout.model.content import FreeShape, PageContent, Rectangle
from blobforge.processors.pdf_markdown.layout.pictures.illustrations import illustrated
from blobforge.processors.pdf_markdown.layout.survey.ornaments import ornaments_of, without_ornaments
from blobforge.processors.pdf_markdown.layout.survey.survey import survey_in, survey_of

LOGO = Rectangle(450, 20, 550, 60)
FLOURISH = FreeShape(Rectangle(20, 700, 80, 760), 40)
PHOTO = Rectangle(100, 200, 400, 400)


def pages(count: int) -> list[PageContent]:
    return [
        page(text("a", 6, left=50, top=450, letters=70), number=number)._replace(images=[LOGO, PHOTO], marks=[FLOURISH])
        for number in range(1, count + 1)
    ]


def test_what_is_at_the_edge_of_many_pages_is_left_out() -> None:
    content = pages(4)

    rest = without_ornaments(content[0], ornaments_of(content))

    assert (rest.images, list(rest.marks)) == ([PHOTO], [])


def test_on_two_pages_it_is_no_ornament() -> None:
    assert ornaments_of(pages(2)) == frozenset()


def test_what_is_elsewhere_on_a_page_stays() -> None:
    other = pages(1)[0]._replace(images=[Rectangle(50, 20, 150, 60)])

    assert without_ornaments(other, ornaments_of(pages(4))).images == [Rectangle(50, 20, 150, 60)]


def test_a_survey_tells_them_to_other_processes() -> None:
    content = pages(4)
    survey = survey_in(json.loads(json.dumps(survey_of(content, count=4).as_json())))

    figures, _ = illustrated(content[0], survey)

    assert [figure.picture for figure in figures] == [PHOTO]
