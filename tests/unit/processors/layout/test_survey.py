"""What holds for the whole document."""

from tests.unit.processors.layout.made import line, page

from blobforge.processors.pdf_markdown.layout.survey.survey import survey_of

TEXT = "a line that is long enough to be running text"


def test_the_leading_is_the_step_from_line_to_line_where_most_paragraphs_are_of_one_line() -> None:
    lines = [line(TEXT, base=100.0 + top) for top in (0, 20, 40, 54, 74, 88, 108, 122)]

    assert survey_of([page(lines)], count=1).leading == 1.4
