"""convert --pages: a result of some pages is for who asked for it, and never the published one."""

from pathlib import Path
from typing import Any

from tests.e2e.program import Blobforge, converted, ended
from tests.e2e.results import jobs_by_name, told, worked
from tests.e2e.tesseracts import Gate
from tests.pdfs import scanned_pdf, text_pdf

from blobforge.domain.ids import JobId
from blobforge.worker.instance import this_host
from blobforge.worker.order import Order


def the_job(blobforge: Blobforge, place: dict[str, str]) -> dict[str, Any]:
    (job,) = told(blobforge, "list", **place)["jobs"]
    return dict(job)


def test_a_result_of_some_pages_never_replaces_the_book(
    blobforge: Blobforge, docs: Path, out: Path, place: dict[str, str]
) -> None:
    text_pdf(docs / "book.pdf", "First", "Second", "Third")
    worked(blobforge, **place)
    book = the_job(blobforge, place)

    part = blobforge.convert("docs", "-o", "out", "--pages", "2", **place)
    again = blobforge.convert("docs", "-o", "elsewhere", "--pages", "2", **place)

    assert (part.code, part.account["pages"]) == (0, 1)
    assert (out / "book.md").read_text().startswith("# Second\n")
    assert again.outcomes == {"book.pdf": "cached"}
    assert the_job(blobforge, place) == book
    assert told(blobforge, "hydrate", "docs", **place)["results"][0]["pages"] == 3
    assert "Third" in (docs / "book.md").read_text()


def test_the_whole_book_outlives_gc_and_the_part_does_not(
    blobforge: Blobforge, docs: Path, place: dict[str, str]
) -> None:
    text_pdf(docs / "book.pdf", "First", "Second")
    worked(blobforge, **place)
    blobforge.convert("docs", "-o", "out", "--pages", "1", **place)

    cleared = told(blobforge, "gc", "--older-than", "0", "--yes", **place)

    book = the_job(blobforge, place)
    assert [blob["kind"] for blob in cleared["blobs"]] == ["results"]
    assert cleared["blobs"][0]["key"] != book["result"]["key"]
    shown = blobforge.call("preview", book["source_hash"], "--raw", **place)
    assert "Second" in shown.stdout


def test_some_pages_of_an_unknown_document_leave_the_queue_as_it_was(
    blobforge: Blobforge, docs: Path, place: dict[str, str]
) -> None:
    text_pdf(docs / "book.pdf", "First", "Second")
    (docs / "bad.pdf").write_text("no PDF")

    part = blobforge.convert("docs", "-o", "out", "--pages", "1", **place)

    assert (part.code, part.outcomes) == (3, {"book.pdf": "converted", "bad.pdf": "failed"})
    assert told(blobforge, "list", **place)["jobs"] == []


def test_some_pages_are_not_waited_for_behind_another_run(blobforge: Blobforge, docs: Path, gate: Gate) -> None:
    scanned_pdf(docs / "scan.pdf", text_first=True)
    whole = blobforge.start("convert", "docs", "-o", "whole", "--json", PATH=gate.path)
    gate.wait_until_reached()

    part = blobforge.convert("docs", "-o", "part", "--pages", "1")

    gate.let_through()
    assert (part.code, part.account["pages"]) == (0, 1)
    assert converted(ended(whole)).account["pages"] == 2


def test_some_pages_free_no_job_of_a_dead_worker_unheard(blobforge: Blobforge, docs: Path) -> None:
    """Who died on this machine is told to the queue that knows it, by the next run on that queue."""
    text_pdf(docs / "book.pdf", "First", "Second")
    lock = blobforge.home / "workers" / f"gone.1.0@{this_host()}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()

    blobforge.convert("docs", "-o", "part", "--pages", "1")
    was_left = lock.exists()
    blobforge.convert("docs", "-o", "out")

    assert (was_left, lock.exists()) == (True, False)


def test_a_queue_does_not_take_orders_for_some_pages(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "book.pdf", "First", "Second")

    refused = blobforge.call("submit", "docs", "--option", "pages=1")
    planned = blobforge.call("plan", "--option", "pages=1")

    assert [refused.exit_code, planned.exit_code] == [2, 2]
    assert "pages=1" in refused.stderr
    assert "blobforge convert PATH -o FOLDER --pages 1" in refused.stderr
    assert told(blobforge, "list")["jobs"] == []


def test_an_order_for_some_pages_that_is_in_the_queue_already_publishes_nothing(
    blobforge: Blobforge, docs: Path
) -> None:
    text_pdf(docs / "book.pdf", "First", "Second")
    worked(blobforge)
    book = jobs_by_name(blobforge)["book.pdf"]
    with blobforge.queue() as queue:
        queue.retry(JobId(int(book["id"])), metadata=Order(options={"pages": "1"}).as_metadata())

    blobforge.call("worker", "--drain")

    after = jobs_by_name(blobforge)["book.pdf"]
    assert (after["state"], after["error_code"]) == ("dead", "invalid_options")
    assert "blobforge reprocess" in after["last_error"]
    assert after["result"] == book["result"]
