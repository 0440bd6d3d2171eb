"""What counts as a document."""

from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.pdfs import text_pdf


@pytest.fixture
def sources(docs: Path) -> Path:
    """A folder with everything in it that one may come across."""
    text_pdf(docs / "lower.pdf")
    text_pdf(docs / "Upper.PDF")
    text_pdf(docs / "mixed.Pdf")
    magic = text_pdf(docs / "x.pdf").rename(docs / "by its first bytes")
    (docs / "behind a mail header").write_bytes(b"Subject: attached\n\n" + magic.read_bytes())
    (docs / "notes.txt").write_text("no document")
    (docs / "too late").write_bytes(b" " * 1020 + b"%PDF-")
    (docs / "bad.pdf").write_text("named as one, and none")
    text_pdf(docs / ".hidden.pdf")
    text_pdf(docs / ".hidden" / "inner.pdf")
    text_pdf(docs / "folder.pdf" / "inner.pdf")
    text_pdf(docs.parent / "elsewhere" / "far.pdf")
    (docs / "a link.pdf").symlink_to(docs.parent / "elsewhere" / "far.pdf")
    (docs / "a link to a folder").symlink_to(docs.parent / "elsewhere")
    (docs / "the same again").symlink_to(docs.parent / "elsewhere")
    (docs / "loop").symlink_to(docs)
    return docs


def test_a_folder_gives_what_is_named_or_looks_like_a_pdf(blobforge: Blobforge, sources: Path, out: Path) -> None:
    run = blobforge.convert("docs", "-o", "out")

    assert {
        Path(entry["path"]).relative_to(sources).as_posix(): entry["outcome"] for entry in run.account["results"]
    } == {
        "lower.pdf": "converted",
        "Upper.PDF": "converted",
        "mixed.Pdf": "converted",
        "by its first bytes": "converted",
        "behind a mail header": "converted",
        "bad.pdf": "failed",
        "folder.pdf/inner.pdf": "converted",
        "a link.pdf": "converted",
        "a link to a folder/far.pdf": "cached",
    }
    assert files_below(out) == [
        "Upper.md",
        "a link to a folder/far.md",
        "a link.md",
        "behind a mail header.md",
        "by its first bytes.md",
        "folder.pdf/inner.md",
        "lower.md",
        "mixed.md",
    ]


def test_what_is_named_itself_counts_whatever_it_is_called(blobforge: Blobforge, docs: Path, out: Path) -> None:
    (docs / "notes.txt").write_text("no document")
    text_pdf(docs / ".hidden.pdf")
    text_pdf(docs / ".folder" / "inner.pdf")

    run = blobforge.convert("docs/notes.txt", "docs/.hidden.pdf", "docs/.folder", "-o", "out")

    assert run.codes == {"notes.txt": "not_a_pdf", ".hidden.pdf": None, "inner.pdf": None}
    assert files_below(out) == [".hidden.md", "inner.md"]


def test_the_output_folder_is_not_searched_for_documents(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")
    text_pdf(docs / "out" / "left here.pdf")

    run = blobforge.convert("docs", "-o", "docs/out")

    assert run.outcomes == {"one.pdf": "converted"}


def test_a_folder_that_is_named_wins_over_a_link_to_it(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "real" / "one.pdf")
    (docs / "a link").symlink_to("real")

    blobforge.convert("docs", "-o", "out")

    assert files_below(out) == ["real/one.md"]
