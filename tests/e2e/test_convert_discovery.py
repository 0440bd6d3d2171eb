"""What counts as a document."""

import json
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
    run = blobforge.convert("docs", "-o", "out", "--follow-links")

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


@pytest.mark.parametrize("command", [("convert", "-o", "out"), ("submit",), ("ingest",), ("hydrate",)])
def test_links_that_lead_out_of_the_folder_are_told_and_not_followed(
    blobforge: Blobforge, docs: Path, command: tuple[str, ...]
) -> None:
    text_pdf(docs / "own.pdf")
    text_pdf(docs.parent / "private" / "tax.pdf", "Private")
    (docs / "out.pdf").symlink_to(docs.parent / "private" / "tax.pdf")
    (docs / "outdir").symlink_to(docs.parent / "private")
    links = [str(docs / "out.pdf"), str(docs / "outdir")]

    people = blobforge.call(command[0], "docs", *command[1:])
    programs = json.loads(blobforge.call(command[0], "docs", *command[1:], "--json").stdout)
    all_of_it = json.loads(blobforge.call(command[0], "docs", *command[1:], "--follow-links", "--json").stdout)

    assert f"warning: 2 links lead out of what you named and were not followed (--follow-links does): {links[0]}" in (
        people.stderr
    )
    assert ([entry["path"] for entry in programs["results"]], programs["links_not_followed"]) == (
        [str(docs / "own.pdf")],
        links,
    )
    assert {Path(entry["path"]).name for entry in all_of_it["results"]} == {"own.pdf", "out.pdf", "tax.pdf"}
    assert all_of_it["links_not_followed"] == []


def test_a_pattern_does_not_lead_out_of_its_folder_either(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "own.pdf")
    text_pdf(docs.parent / "private" / "tax.pdf", "Private")
    (docs / "out.pdf").symlink_to(docs.parent / "private" / "tax.pdf")
    (docs / "outdir").symlink_to(docs.parent / "private")

    told = json.loads(blobforge.call("ingest", "docs/**/*.pdf", "--json").stdout)

    assert [Path(entry["path"]).name for entry in told["results"]] == ["own.pdf"]
    assert {Path(path).relative_to(docs).as_posix() for path in told["links_not_followed"]} == {
        "out.pdf",
        "outdir/tax.pdf",
    }
