"""Where results land, and what they are called."""

import os
import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.pdfs import picture_pdf, text_pdf


def linked_from(markdown: Path) -> list[Path]:
    """The files that its images point to."""
    links = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", markdown.read_text())
    return [markdown.parent / os.fsdecode(unquote(link, errors="surrogateescape")) for link in links]


def test_a_folder_becomes_a_tree_of_markdown_with_the_same_shape(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "top.pdf")
    text_pdf(docs / "shelf" / "row" / "deep.PDF")
    picture_pdf(docs / "shelf" / "picture.pdf")

    run = blobforge.convert("docs", "-o", "out")

    assert (run.code, run.account["documents"], run.account["converted"]) == (0, 3, 3)
    assert files_below(out) == [
        "shelf/picture.assets/p0001-1.png",
        "shelf/picture.md",
        "shelf/row/deep.md",
        "top.md",
    ]
    assert "quick brown fox" in (out / "top.md").read_text()


def test_a_file_that_is_named_itself_lands_by_its_bare_name(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "shelf" / "one.pdf")

    blobforge.convert("docs/shelf/one.pdf", "-o", "out")

    assert files_below(out) == ["one.md"]


def test_results_may_lie_beside_their_sources(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")

    first = blobforge.convert("docs", "-o", "docs")
    second = blobforge.convert("docs", "-o", "docs")

    assert first.outcomes == {"one.pdf": "converted"}
    assert second.outcomes == {"one.pdf": "cached"}
    assert files_below(docs) == ["one.md", "one.pdf"]


def test_links_lead_to_the_pictures_whatever_the_name(blobforge: Blobforge, docs: Path, out: Path) -> None:
    names = ["plain", "two words", "both (and) [brackets]", "100% #1?", "naïve", "a\nb", "quote\"d 'name'", "<b>&amp;"]
    for step, name in enumerate(names):
        picture_pdf(docs / f"{name}.pdf", step=step + 1)

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {f"{name}.pdf": "converted" for name in names}
    for name in names:
        assert linked_from(out / f"{name}.md") == [out / f"{name}.assets" / "p0001-1.png"]
        assert (out / f"{name}.assets" / "p0001-1.png").is_file()


def test_a_name_that_is_no_text_is_kept_byte_for_byte(blobforge: Blobforge, docs: Path, out: Path) -> None:
    name = os.fsdecode(b"caf\xe9 au lait")
    picture_pdf(docs / f"{name}.pdf")

    first = blobforge.convert("docs", "-o", "out")
    second = blobforge.convert("docs", "-o", "out")

    told = r"caf\xe9 au lait.pdf"
    assert [run.outcomes for run in (first, second)] == [{told: "converted"}, {told: "cached"}]
    assert sorted(map(os.fsencode, out.iterdir())) == [os.fsencode(out / f"{name}{end}") for end in (".assets", ".md")]
    assert linked_from(out / f"{name}.md") == [out / f"{name}.assets" / "p0001-1.png"]


def test_composed_and_decomposed_letters_are_two_names(blobforge: Blobforge, docs: Path, out: Path) -> None:
    composed, decomposed = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))
    text_pdf(docs / f"{composed}.pdf", "Composed")
    text_pdf(docs / f"{decomposed}.pdf", "Decomposed")
    if len(list(docs.iterdir())) < 2:
        pytest.skip("this file system takes both for one name")

    run = blobforge.convert("docs", "-o", "out")

    assert run.code == 0
    assert "Composed" in (out / f"{composed}.md").read_text()
    assert "Decomposed" in (out / f"{decomposed}.md").read_text()


def test_names_as_long_as_names_can_be_stay_apart(blobforge: Blobforge, docs: Path, out: Path) -> None:
    first, second = (f"{'n' * 250}{digit}" for digit in (1, 2))
    picture_pdf(docs / f"{first}.pdf", step=1)
    picture_pdf(docs / f"{second}.pdf", step=2)

    run = blobforge.convert("docs", "-o", "out")

    assert set(run.outcomes.values()) == {"converted"}
    markdown = sorted(out.glob("*.md"))
    assert len(markdown) == 2
    assert all(len(path.name) <= 255 for path in out.iterdir())
    assert [linked_from(path)[0].is_file() for path in markdown] == [True, True]


def test_two_documents_that_want_one_name_are_told_and_the_first_has_it(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    text_pdf(docs / "report.PDF", "Upper")
    text_pdf(docs / "report.pdf", "Lower")
    text_pdf(docs / "other.pdf")

    run = blobforge.convert("docs", "-o", "out")

    assert run.code == 3
    assert run.outcomes == {"report.PDF": "converted", "report.pdf": "failed", "other.pdf": "converted"}
    assert run.entry("report.pdf")["code"] == "output_collision"
    assert str(docs / "report.PDF") in run.entry("report.pdf")["message"]
    assert "Upper" in (out / "report.md").read_text()


def test_a_folder_with_a_results_name_fails_that_document_alone(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "blocked.pdf")
    text_pdf(docs / "free.pdf")
    (out / "blocked.md").mkdir(parents=True)

    run = blobforge.convert("docs", "-o", "out", "--force")

    assert run.code == 3
    assert run.codes == {"blocked.pdf": "output_unwritable", "free.pdf": None}
    assert "a folder is in its place" in run.entry("blocked.pdf")["message"]
    assert files_below(out) == ["free.md"]


def test_the_source_is_never_copied_into_the_store(blobforge: Blobforge, docs: Path) -> None:
    source = text_pdf(docs / "one.pdf").read_bytes()

    blobforge.convert("docs", "-o", "out")

    kept = [path for path in blobforge.home.rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if source in path.read_bytes()]


def test_a_document_that_is_found_twice_is_one_document(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")

    run = blobforge.convert("docs", "docs/one.pdf", "docs", "-o", "out")

    assert run.account["documents"] == 1


def test_an_explanation_lies_beside_the_markdown_and_goes_when_it_is_not_asked_for_any_more(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    text_pdf(docs / "book.pdf", "One", "Two")

    run = blobforge.convert("docs", "-o", "out", "--explain")
    shown = (out / "book.explain.html").read_text()
    again = blobforge.convert("docs", "-o", "out")

    assert (run.code, again.code) == (0, 0)
    assert (shown.count("data:image/jpeg"), "Two" in shown) == (2, True)
    assert sorted(path.name for path in out.iterdir()) == ["book.md"]


def test_an_engine_that_cannot_explain_is_a_usage_error(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "book.pdf")

    done = blobforge.run("convert", "docs", "-o", "out", "--explain", "--engine", "liteparse")

    assert done.returncode == 2
    assert "the engine liteparse does not tell what it saw; use blobforge" in done.stderr
