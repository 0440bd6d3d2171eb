"""Documents that cannot be converted: each has its code, and the others go on."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, Converted, files_below
from tests.e2e.tesseracts import Gate
from tests.pdfs import pdf_with_a_bad_page, pdf_without_pages, scanned_pdf, text_pdf

PAGES_3 = ("One", "Two", "Three")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bad-input")


@pytest.fixture(scope="module")
def run(work: Path) -> Converted:
    """One run over a folder with every kind of bad document in it."""
    docs = work / "docs"
    whole = text_pdf(docs / "good.pdf", *PAGES_3).read_bytes()
    (docs / "page.pdf").write_text("<!DOCTYPE html><title>Not found</title>")
    (docs / "empty.pdf").write_bytes(b"")
    (docs / "cut short.pdf").write_bytes(whole[:-40])
    (docs / "cut off.pdf").write_bytes(whole[:60])
    pdf_without_pages(docs / "no pages.pdf")
    pdf_with_a_bad_page(docs / "bad page.pdf")
    (docs / "dangling.pdf").symlink_to(docs / "nowhere.pdf")
    (docs / "circle.pdf").symlink_to(docs / "circle.pdf")
    os.mkfifo(docs / "pipe.pdf")
    text_pdf(docs / "last.pdf")
    return Blobforge(work, work / "home").convert("docs", "-o", "out")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("page.pdf", "not_a_pdf"),
        ("empty.pdf", "empty_file"),
        ("cut off.pdf", "damaged_pdf"),
        ("no pages.pdf", "no_pages"),
        ("dangling.pdf", "source_unreadable"),
        ("circle.pdf", "source_unreadable"),
        ("pipe.pdf", "source_unreadable"),
    ],
)
def test_a_bad_document_fails_with_its_code_and_a_reason(run: Converted, name: str, code: str) -> None:
    entry = run.entry(name)

    assert (entry["outcome"], entry["code"], entry["pages"]) == ("failed", code, 0)
    assert name in entry["message"]
    assert entry["output"] is None


@pytest.mark.parametrize(("name", "pages"), [("good.pdf", 3), ("last.pdf", 1), ("cut short.pdf", 3)])
def test_the_others_go_on(run: Converted, work: Path, name: str, pages: int) -> None:
    entry = run.entry(name)

    assert (entry["outcome"], entry["code"], entry["pages"], entry["pages_failed"]) == ("converted", None, pages, 0)
    assert "quick brown fox" in (work / "out" / name).with_suffix(".md").read_text()


def test_a_page_that_fails_among_good_ones_is_a_gap_and_not_the_end(run: Converted, work: Path) -> None:
    entry = run.entry("bad page.pdf")

    assert (entry["outcome"], entry["pages"], entry["pages_failed"]) == ("converted", 3, 1)
    assert entry["page_codes"] == ["engine_failed"]
    text = (work / "out" / "bad page.md").read_text()
    assert "One" in text
    assert "<!-- page 2 failed: engine_failed -->" in text
    assert "Three" in text


def test_the_account_adds_up_and_the_exit_code_says_partial(run: Converted) -> None:
    counts = {name: run.account[name] for name in ("documents", "converted", "cached", "failed", "pages_failed")}

    assert counts == {"documents": 11, "converted": 4, "cached": 0, "failed": 7, "pages_failed": 1}
    assert run.code == 3


def test_nothing_is_left_of_the_failed_ones(run: Converted, work: Path) -> None:
    assert files_below(work / "out") == ["bad page.md", "cut short.md", "good.md", "last.md"]


def test_when_nothing_can_be_converted_the_exit_code_is_1(blobforge: Blobforge, docs: Path) -> None:
    (docs / "page.pdf").write_text("<html>")

    run = blobforge.convert("docs", "-o", "out")

    assert (run.code, run.codes) == (1, {"page.pdf": "not_a_pdf"})


def test_a_document_with_gaps_is_told_of_every_time(blobforge: Blobforge, docs: Path) -> None:
    pdf_with_a_bad_page(docs / "bad page.pdf")
    blobforge.convert("docs", "-o", "out")

    run = blobforge.convert("docs", "-o", "out")

    assert (run.code, run.outcomes, run.account["pages_failed"]) == (3, {"bad page.pdf": "cached"}, 1)


def test_a_document_of_which_every_page_fails_has_failed_and_leaves_no_output(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    pdf_with_a_bad_page(docs / "bad page.pdf")

    run = blobforge.convert("docs", "-o", "out", "--pages", "2")

    assert (run.code, run.codes) == (1, {"bad page.pdf": "engine_failed"})
    assert "bad page.pdf: page 2 could not be converted: " in run.entry("bad page.pdf")["message"]
    assert not (out / "bad page.md").exists()


def test_pages_that_a_document_has_not_are_its_failure_alone(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "long.pdf", *PAGES_3)
    text_pdf(docs / "short.pdf", "One")

    run = blobforge.convert("docs", "-o", "out", "--pages", "2-3")

    assert run.codes == {"long.pdf": None, "short.pdf": "invalid_options"}
    assert run.entry("long.pdf")["pages"] == 2


@pytest.mark.parametrize(
    ("code", "spoil"),
    [("source_missing", Path.unlink), ("source_changed", lambda path: text_pdf(path, "Changed since"))],
    ids=["vanishes", "changes"],
)
def test_a_source_that_is_not_what_was_scanned_fails_alone(
    blobforge: Blobforge, docs: Path, gate: Gate, code: str, spoil: Callable[[Path], object]
) -> None:
    scanned_pdf(docs / "a blocked.pdf")
    for number in range(4):
        text_pdf(docs / f"b{number}.pdf")

    with gate.when_reached(lambda: spoil(docs / "b3.pdf")):
        run = blobforge.convert("docs", "-o", "out", PATH=gate.path, BLOBFORGE_MAX_ATTEMPTS="1")

    assert run.code == 3
    assert run.codes == {"a blocked.pdf": None, "b0.pdf": None, "b1.pdf": None, "b2.pdf": None, "b3.pdf": code}


def test_a_source_that_vanishes_is_read_from_its_other_path(blobforge: Blobforge, docs: Path, gate: Gate) -> None:
    scanned_pdf(docs / "a blocked.pdf")
    for number in range(3):
        text_pdf(docs / f"b{number}.pdf")
    shutil.copy2(docs / "b2.pdf", docs / "c copy.pdf")

    with gate.when_reached((docs / "b2.pdf").unlink):
        run = blobforge.convert("docs", "-o", "out", PATH=gate.path)

    assert (run.code, run.account["documents"], run.account["failed"]) == (0, 5, 0)


def test_each_copy_of_a_bad_document_is_told_by_its_own_name(blobforge: Blobforge, docs: Path) -> None:
    for name in ("first.pdf", "second.pdf"):
        (docs / name).write_text("no PDF at all")

    run = blobforge.convert("docs", "-o", "out")

    assert run.entry("first.pdf")["message"].startswith("first.pdf: ")
    assert run.entry("second.pdf")["message"].startswith("second.pdf: ")
