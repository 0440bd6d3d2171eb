"""What a person has changed in the output folder is theirs."""

import os
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.pdfs import picture_pdf, text_pdf

NOTE = "my own words\n"


@pytest.fixture
def page(blobforge: Blobforge, docs: Path, out: Path) -> Path:
    """The Markdown of a document that was converted once."""
    text_pdf(docs / "one.pdf", "First", "Second", "Third")
    blobforge.convert("docs", "-o", "out")
    return out / "one.md"


@pytest.fixture
def picture(blobforge: Blobforge, docs: Path, out: Path) -> Path:
    """The picture of a document that was converted once."""
    picture_pdf(docs / "one.pdf", step=1)
    blobforge.convert("docs", "-o", "out")
    return out / "one.assets" / "p0001-1.png"


def test_an_edited_result_is_no_reason_to_do_anything(blobforge: Blobforge, page: Path) -> None:
    page.write_text(NOTE)

    run = blobforge.convert("docs", "-o", "out")

    assert (run.code, run.outcomes) == (0, {"one.pdf": "cached"})
    assert page.read_text() == NOTE


def test_an_edited_result_stays_when_its_source_changes(blobforge: Blobforge, docs: Path, page: Path) -> None:
    page.write_text(NOTE)
    text_pdf(docs / "one.pdf", "Another")
    text_pdf(docs / "two.pdf")

    run = blobforge.convert("docs", "-o", "out")

    assert run.code == 3
    assert run.codes == {"one.pdf": "output_edited", "two.pdf": None}
    assert "--force" in run.entry("one.pdf")["message"]
    assert page.read_text() == NOTE


def test_an_edited_result_stays_until_it_is_out_of_the_way(blobforge: Blobforge, docs: Path, page: Path) -> None:
    page.write_text(NOTE)
    text_pdf(docs / "one.pdf", "Another")
    again = [blobforge.convert("docs", "-o", "out").outcomes["one.pdf"] for _ in range(2)]
    page.rename(page.with_name("mine.md"))

    after = blobforge.convert("docs", "-o", "out")

    assert again == ["failed", "failed"]
    assert after.outcomes == {"one.pdf": "cached"}  # the conversion itself was done in the first run
    assert "Another" in page.read_text()


def test_an_edited_result_stays_when_other_pages_are_asked_for(blobforge: Blobforge, page: Path) -> None:
    page.write_text(NOTE)

    part = blobforge.convert("docs", "-o", "out", "--pages", "1")
    back = blobforge.convert("docs", "-o", "out")

    assert part.codes == {"one.pdf": "output_edited"}
    assert back.outcomes == {"one.pdf": "cached"}
    assert page.read_text() == NOTE


def test_force_brings_our_version_back_without_converting(blobforge: Blobforge, page: Path) -> None:
    ours = page.read_text()
    page.write_text(NOTE)

    run = blobforge.convert("docs", "-o", "out", "--force")

    assert (run.code, run.outcomes) == (0, {"one.pdf": "cached"})
    assert page.read_text() == ours


def test_force_overwrites_an_edited_result_with_new_content(blobforge: Blobforge, docs: Path, page: Path) -> None:
    page.write_text(NOTE)
    text_pdf(docs / "one.pdf", "Another")

    run = blobforge.convert("docs", "-o", "out", "--force")

    assert run.outcomes == {"one.pdf": "converted"}
    assert "Another" in page.read_text()


def test_a_result_that_was_only_touched_is_not_edited(blobforge: Blobforge, docs: Path, page: Path) -> None:
    os.utime(page, (1, 1))
    text_pdf(docs / "one.pdf", "Another")

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"one.pdf": "converted"}
    assert "Another" in page.read_text()


def test_an_edit_that_keeps_the_size_is_seen(blobforge: Blobforge, docs: Path, page: Path) -> None:
    edited = page.read_text().replace("First", "Fur-t")
    page.write_text(edited)
    text_pdf(docs / "one.pdf", "Another")

    run = blobforge.convert("docs", "-o", "out")

    assert run.codes == {"one.pdf": "output_edited"}
    assert page.read_text() == edited


def test_a_file_that_was_there_before_is_respected(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "one.pdf")
    text_pdf(docs / "two.pdf")
    out.mkdir()
    (out / "one.md").write_text(NOTE)

    refused = blobforge.convert("docs", "-o", "out")
    kept = (out / "one.md").read_text()
    forced = blobforge.convert("docs", "-o", "out", "--force")

    assert refused.codes == {"one.pdf": "output_edited", "two.pdf": None}
    assert "this home has no record of writing it" in refused.entry("one.pdf")["message"]
    assert kept == NOTE
    assert forced.code == 0
    assert (out / "one.md").read_text() != NOTE


def test_an_edited_picture_is_kept_and_so_is_the_whole_document(
    blobforge: Blobforge, docs: Path, picture: Path, out: Path
) -> None:
    picture.write_bytes(b"a better picture")
    before = (out / "one.md").read_bytes()
    picture_pdf(docs / "one.pdf", step=2)

    run = blobforge.convert("docs", "-o", "out")

    assert run.codes == {"one.pdf": "output_edited"}
    assert str(picture) in run.entry("one.pdf")["message"]
    assert (picture.read_bytes(), (out / "one.md").read_bytes()) == (b"a better picture", before)


def test_an_edited_picture_that_is_not_needed_any_more_is_not_thrown_away(
    blobforge: Blobforge, docs: Path, picture: Path
) -> None:
    picture.write_bytes(b"a better picture")
    text_pdf(docs / "one.pdf", "Without a picture")

    refused = blobforge.convert("docs", "-o", "out")
    forced = blobforge.convert("docs", "-o", "out", "--force")

    assert refused.codes == {"one.pdf": "output_edited"}
    assert forced.code == 0
    assert picture.read_bytes() == b"a better picture"


def test_a_file_of_ones_own_beside_the_pictures_stays(blobforge: Blobforge, docs: Path, picture: Path) -> None:
    mine = picture.with_name("mine.png")
    mine.write_bytes(b"mine")
    text_pdf(docs / "one.pdf", "Without a picture")

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"one.pdf": "converted"}
    assert (mine.read_bytes(), picture.exists()) == (b"mine", False)
