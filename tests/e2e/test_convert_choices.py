"""What of a library is converted, and to where: chosen by the person who asks."""

from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.pdfs import picture_pdf, text_pdf


def test_a_rehearsal_says_what_would_be_done_and_does_nothing(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "old.pdf")
    blobforge.convert("docs", "-o", "out")
    text_pdf(docs / "deep" / "new.pdf")
    text_pdf(docs / "drafts" / "draft.pdf")
    before = files_below(out)

    told = blobforge.call("convert", "docs", "-o", "out", "--exclude", "drafts", "--dry-run")
    run = blobforge.convert("docs", "-o", "out", "--exclude", "drafts", "--dry-run")

    assert told.stdout.splitlines() == [
        f"convert    {docs / 'deep' / 'new.pdf'} -> {out / 'deep' / 'new.md'}",
        f"pass over  {docs / 'drafts' / 'draft.pdf'}",
    ]
    assert told.stderr == "2 documents: 1 cached, 1 to convert; 1 passed over; in out\n"
    assert (told.exit_code, run.code) == (0, 0)
    assert run.outcomes == {"old.pdf": "cached", "new.pdf": "to_convert"}
    assert (run.account["to_convert"], run.account["passed_over"], run.account["dry_run"]) == (1, 1, True)
    assert files_below(out) == before


def test_a_run_counts_what_it_passes_over_and_does_not_list_it(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "wanted.pdf")
    for number in range(3):
        text_pdf(docs / f"draft {number}.pdf")

    told = blobforge.call("convert", "docs", "-o", "out", "--exclude", "draft*")

    assert told.stdout == ""
    assert "1 document: 1 converted; 3 passed over; 1 page; " in told.stderr


def test_a_rehearsal_of_a_first_run_makes_no_folder(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "new.pdf")

    blobforge.convert("docs", "-o", "out", "--dry-run")

    assert not out.exists()
    assert not (blobforge.home / "queue.db").exists()


def test_documents_are_chosen_by_name_and_size(blobforge: Blobforge, docs: Path, out: Path) -> None:
    for name in ("osr/keep", "osr/keep-draft", "old/keep", "other"):
        text_pdf(docs / f"{name}.pdf", name)
    large = text_pdf(docs / "osr" / "large.pdf", *map(str, range(30)))
    limit = str(large.stat().st_size - 1)

    run = blobforge.convert(
        "docs",
        "-o",
        "out",
        *("--include", "osr", "--include", "old"),
        *("--exclude", "*-draft.pdf"),
        "--max-size",
        limit,
    )

    assert files_below(out) == ["old/keep.md", "osr/keep.md"]
    assert (run.account["converted"], run.account["passed_over"]) == (2, 3)


def test_one_document_becomes_the_file_that_is_named(blobforge: Blobforge, docs: Path, out: Path) -> None:
    picture_pdf(docs / "book.pdf")

    first = blobforge.convert("docs/book.pdf", "-o", "out/mine.md")
    second = blobforge.convert("docs/book.pdf", "-o", "out/mine.md")

    assert (first.outcomes, second.outcomes) == ({"book.pdf": "converted"}, {"book.pdf": "cached"})
    assert files_below(out) == ["mine.assets/p0001-1.png", "mine.md"]
    assert "](mine.assets/p0001-1.png)" in (out / "mine.md").read_text()


def test_a_file_that_was_edited_stays_when_it_is_named_again(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "book.pdf", "One", "Two")
    blobforge.convert("docs/book.pdf", "-o", "out/mine.md")
    (out / "mine.md").write_text("edited")

    run = blobforge.convert("docs/book.pdf", "-o", "out/mine.md", "--pages", "2-")

    assert run.codes == {"book.pdf": "output_edited"}
    assert (out / "mine.md").read_text() == "edited"


def test_markdown_alone_goes_to_stdout(blobforge: Blobforge, docs: Path) -> None:
    picture_pdf(docs / "book.pdf")

    done = blobforge.run("convert", "docs/book.pdf", "-o", "-")

    assert done.returncode == 0
    assert done.stdout.startswith("# With a picture\n")
    assert "1 document: 1 converted; 1 page;" in done.stderr
    assert "1 picture not written; -o book.md has them beside it" in done.stderr
    assert files_below(docs) == ["book.pdf"]
    assert not (blobforge.cwd / "-").exists()


def test_a_document_that_fails_leaves_stdout_empty(blobforge: Blobforge, docs: Path) -> None:
    docs.mkdir(exist_ok=True)
    (docs / "bad.pdf").write_bytes(b"none")

    done = blobforge.run("convert", "docs/bad.pdf", "-o", "-")

    assert (done.returncode, done.stdout) == (1, "")
    assert "[not_a_pdf]" in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("docs", "-o", "all.md"), "-o all.md takes one document"),
        (("docs/a.pdf", "docs/b.pdf", "-o", "-"), "-o - takes one document"),
        (("docs/a.pdf", "-o", "-", "--json"), "neither with --json"),
        (("docs/a.pdf", "-o", "a.md", "--prune"), "--prune is for an output folder"),
        (("docs/a.pdf", "-o", "docs/b.pdf"), "docs/b.pdf is a file"),
        (("docs", "-o", "out", "--max-size", "large"), "'large' is no size"),
        (("docs", "-o", "out", "--language", "12"), "ocr_languages"),
        (("docs", "-o", "out", "--language", "eng; rm"), "flag --language: 'eng; rm' is no value for ocr_languages"),
        (("docs", "-o", ""), "-o: it is empty"),
        (("docs/a.pdf", "-o", ""), "-o: it is empty"),
        (("docs", "-o", "docs/a.pdf/x"), "docs/a.pdf is a file"),
        (("docs", "-o", "docs/a.pdf/x/y"), "docs/a.pdf is a file"),
        (("docs/b.pdf", "-o", "docs/a.pdf/x.md"), "docs/a.pdf is a file"),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(
    blobforge: Blobforge, docs: Path, args: tuple[str, ...], message: str
) -> None:
    text_pdf(docs / "a.pdf")
    text_pdf(docs / "b.pdf")

    done = blobforge.call("convert", *args)

    assert done.exit_code == 2
    assert message in done.output.replace("\n", " ")


def test_pages_may_have_an_open_end(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "book.pdf", "One", "Two", "Three")

    last = blobforge.convert("docs", "-o", "out", "--pages", "2-")
    first = blobforge.convert("docs", "-o", "first", "--pages", "-2")

    assert (last.account["pages"], first.account["pages"]) == (2, 2)
    assert "# Two" in (out / "book.md").read_text()
    assert "# One" in (blobforge.cwd / "first" / "book.md").read_text()


def test_the_language_of_scans_is_part_of_the_recipe(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "book.pdf")
    blobforge.convert("docs", "-o", "out", "--language", "eng")

    same = blobforge.convert("docs", "-o", "out", "--language", "eng")
    other = blobforge.convert("docs", "-o", "out", "--language", "deu", "--language", "eng")

    assert (same.outcomes, other.outcomes) == ({"book.pdf": "cached"}, {"book.pdf": "converted"})


def test_outputs_stay_where_the_folder_of_their_documents_has_none_at_all(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    """As when its disk is not mounted."""
    for name in ("one", "two"):
        text_pdf(docs / f"{name}.pdf")
    text_pdf(blobforge.cwd / "elsewhere" / "other.pdf")
    blobforge.convert("docs", "elsewhere", "-o", "out")
    for path in docs.iterdir():
        path.unlink()

    refused = blobforge.call("convert", "docs", "elsewhere", "-o", "out", "--prune", "--yes")
    account = blobforge.convert("docs", "-o", "out", "--prune", "--yes")

    assert refused.exit_code == account.code == 2
    assert f"{docs} has no documents at all, and outputs here come from there: is its disk mounted?" in refused.stderr
    assert (account.account["pruned"], account.account["emptied"]) == ([], [str(docs)])
    assert files_below(out) == ["one.md", "other.md", "two.md"]

    forced = blobforge.convert("docs", "-o", "out", "--prune", "--yes", "--force")

    assert (forced.code, files_below(out)) == (0, ["other.md"])


def test_outputs_of_moved_and_deleted_documents_are_told_and_pruned(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    for name in ("moved", "deleted", "edited", "stays"):
        text_pdf(docs / f"{name}.pdf")
    text_pdf(blobforge.cwd / "elsewhere" / "other.pdf")
    blobforge.convert("docs", "elsewhere", "-o", "out")
    (docs / "moved.pdf").rename(docs / "renamed.pdf")
    (docs / "deleted.pdf").unlink()
    (docs / "edited.pdf").unlink()
    (out / "edited.md").write_text("edited")

    told = blobforge.call("convert", "docs", "-o", "out")
    asked = blobforge.call("convert", "docs", "-o", "out", "--prune")
    assert (asked.exit_code, "say --yes" in asked.stderr) == (2, True)
    run = blobforge.convert("docs", "-o", "out", "--prune", "--yes")

    # Before they are removed, they are not said to stay.
    assert not any("stay behind" in said.stderr for said in (told, asked))
    assert "3 outputs whose documents are gone:" in told.stderr
    assert f"  {out / 'moved.md'}\n" in told.stderr
    assert "with --prune" in told.stderr
    assert "nothing was deleted; say --yes to delete it" in asked.stderr
    assert run.account["pruned"] == [str(out / "deleted.md"), str(out / "moved.md")]
    assert run.account["left_behind"] == [str(out / "edited.md")]
    assert files_below(out) == ["edited.md", "other.md", "renamed.md", "stays.md"]
