"""Words that lead somewhere."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.processors import pdfs
from tests.unit.processors.layout.made import BOLD, line

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.drawn.links import Link, is_followed, put_links
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.text.inline import markdown_of, plain_text

HANDBOOK = "https://example.org/handbook"


def test_the_words_in_the_place_of_a_link_lead_there() -> None:
    row = line("see the old handbook for more", base=100)
    old, handbook = row.words[2], row.words[3]

    put_links([row], [Link(Rectangle(old.left - 1, 90, handbook.right + 1, 104), HANDBOOK)])

    assert markdown_of(row.words) == f"see the [old handbook]({HANDBOOK}) for more"
    assert plain_text(row.words) == "see the old handbook for more"


def test_emphasis_stays_within_a_link() -> None:
    row = line("see", ("this", BOLD), "book", base=100)

    put_links([row], [Link(Rectangle(row.words[1].left, 90, row.right, 104), HANDBOOK)])

    assert markdown_of(row.words) == f"see [**this** book]({HANDBOOK})"


def test_a_link_on_another_line_or_beside_it_is_not_ours() -> None:
    row = line("see the handbook", base=100)

    put_links([row], [Link(Rectangle(0, 110, 600, 124), HANDBOOK), Link(Rectangle(400, 90, 600, 104), HANDBOOK)])

    assert markdown_of(row.words) == "see the handbook"


def test_a_target_with_brackets_is_still_one_target() -> None:
    row = line("here", base=100)

    put_links([row], [Link(Rectangle(0, 90, 600, 104), "https://example.org/a_(b)")])

    assert markdown_of(row.words) == "[here](<https://example.org/a_(b)>)"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (HANDBOOK, True),
        ("mailto:a@example.org", True),
        ("javascript:alert(1)", False),
        ("https://a b", False),
        ("", False),
    ],
)
def test_only_what_leads_out_of_the_document_is_followed(target: str, expected: bool) -> None:
    assert is_followed(target) is expected


def test_links_of_a_file_are_found(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(72, 700, "handbook")
        canvas.linkURL(HANDBOOK, (70, 695, 130, 712))
        canvas.linkURL("javascript:alert(1)", (70, 695, 130, 712))

    path = pdfs.make_pdf(tmp_path / "book.pdf", draw)

    (row,) = Source(path, pages=1).page(1).lines

    assert [word.link for word in row.words] == [HANDBOOK]
