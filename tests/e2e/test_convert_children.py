"""Children that die, hang, flood or eat memory while they convert: one page or one document is lost, and told of."""

from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, Converted, converted, processes
from tests.e2e.tesseracts import RECOGNISE, StandIn
from tests.pdfs import bomb_pdf, pdf_of_shared_pages, picture_pdf, scanned_pdf, text_pdf

KILLS_ITS_PARENT = "kill -9 $PPID"
HANGS = "exec sleep 4242"
FLOODS = "exec yes 'so much to say' >/proc/$PPID/fd/2"


def convert_with(blobforge: Blobforge, action: str, **settings: str) -> Converted:
    """One try is enough to see what it does."""
    tesseract = StandIn(blobforge.cwd / "bin", action)
    return blobforge.convert("docs", "-o", "out", PATH=tesseract.path, **{"BLOBFORGE_MAX_ATTEMPTS": "1", **settings})


@pytest.mark.parametrize(
    ("action", "code", "settings"),
    [
        (KILLS_ITS_PARENT, "child_killed", {}),
        (HANGS, "stalled", {"BLOBFORGE_STALL_SECONDS": "2"}),
        (HANGS, "timed_out", {"BLOBFORGE_CONVERSION_TIMEOUT": "3"}),
        (FLOODS, "output_limit", {}),
    ],
    ids=["killed", "stalled", "timed out", "flooding"],
)
def test_a_document_whose_child_goes_wrong_fails_and_the_others_go_on(
    blobforge: Blobforge, docs: Path, action: str, code: str, settings: dict[str, str]
) -> None:
    scanned_pdf(docs / "bad.pdf")
    text_pdf(docs / "good.pdf")

    run = convert_with(blobforge, action, **settings)

    assert run.code == 3
    assert run.codes == {"bad.pdf": code, "good.pdf": None}
    assert run.entry("bad.pdf")["message"]
    assert not [facts for facts in processes().values() if "4242" in facts.command_line]


def test_a_million_pages_in_three_kilobytes_are_refused_at_once(blobforge: Blobforge, docs: Path) -> None:
    pdf_of_shared_pages(docs / "bad.pdf", depth=3)
    text_pdf(docs / "good.pdf")

    run = blobforge.convert("docs", "-o", "out", BLOBFORGE_STALL_SECONDS="30")

    assert run.codes == {"bad.pdf": "too_many_pages", "good.pdf": None}
    assert "it has 1,000,000 pages, and conversion_max_pages allows 50,000" in run.entry("bad.pdf")["message"]


def test_the_pages_that_are_asked_for_count_and_not_those_that_there_are(blobforge: Blobforge, docs: Path) -> None:
    pdf_of_shared_pages(docs / "many.pdf", depth=1)

    run = blobforge.convert("docs", "-o", "out", "--pages", "2-3", BLOBFORGE_CONVERSION_MAX_PAGES="2")

    assert run.codes == {"many.pdf": None}


def test_a_document_with_too_many_pictures_is_refused(blobforge: Blobforge, docs: Path) -> None:
    picture_pdf(docs / "atlas.pdf", pages=2)

    few = blobforge.convert("docs", "-o", "out", BLOBFORGE_CONVERSION_MAX_PICTURES="1")

    assert few.codes == {"atlas.pdf": "too_many_pictures"}
    assert "conversion_max_pictures allows no more" in few.entry("atlas.pdf")["message"]


def test_a_page_that_kills_its_child_costs_no_other_page(blobforge: Blobforge, docs: Path, out: Path) -> None:
    scanned_pdf(docs / "book.pdf", text_first=True)

    run = convert_with(blobforge, KILLS_ITS_PARENT)

    entry = run.entry("book.pdf")
    assert (run.code, entry["outcome"], entry["pages"], entry["pages_failed"]) == (3, "converted", 2, 1)
    assert entry["page_codes"] == ["child_killed"]
    text = (out / "book.md").read_text()
    assert "Before the scan" in text
    assert "<!-- page 2 failed: child_killed -->" in text


def test_a_child_that_dies_once_is_replaced_and_the_document_is_whole(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    scanned_pdf(docs / "book.pdf", text_first=True)
    marked = docs.parent / "was here"

    run = convert_with(blobforge, f"mkdir '{marked}' && {KILLS_ITS_PARENT}\n{RECOGNISE}")

    assert (run.code, run.account["pages"], run.account["pages_failed"]) == (0, 2, 0)
    assert "recognised" in (out / "book.md").read_text()


def test_a_document_that_eats_memory_is_stopped_and_the_others_go_on(blobforge: Blobforge, docs: Path) -> None:
    bomb_pdf(docs / "bomb.pdf", megabytes=300)
    text_pdf(docs / "good.pdf")

    # A process of its own: in this one, which may hold as much as the bomb, the memory of a child tells nothing.
    settings = {"BLOBFORGE_CHILD_MEMORY_MB": "400", "BLOBFORGE_MAX_ATTEMPTS": "1"}
    run = converted(blobforge.run("convert", "docs", "-o", "out", "--json", "--engine", "liteparse", **settings))

    assert run.outcomes == {"bomb.pdf": "failed", "good.pdf": "converted"}
    assert run.entry("bomb.pdf")["code"] == "memory_limit"


def test_a_bomb_does_no_harm_to_our_own_engine_either(blobforge: Blobforge, docs: Path) -> None:
    bomb_pdf(docs / "bomb.pdf", megabytes=300)
    text_pdf(docs / "good.pdf")

    run = blobforge.convert("docs", "-o", "out", BLOBFORGE_CHILD_MEMORY_MB="400", BLOBFORGE_MAX_ATTEMPTS="1")

    assert run.outcomes == {"bomb.pdf": "failed", "good.pdf": "converted"}
    # A program begins with the peak of the one that started it: from a large one, it cannot tell what the child held.
    assert run.entry("bomb.pdf")["code"] in ("engine_failed", "memory_limit", "child_killed")


def test_a_tesseract_that_eats_memory_is_stopped(blobforge: Blobforge, docs: Path) -> None:
    scanned_pdf(docs / "bad.pdf")

    run = convert_with(blobforge, "exec yes", BLOBFORGE_CHILD_MEMORY_MB="400")

    assert run.codes == {"bad.pdf": "memory_limit"}
