"""How an account of a run becomes an exit code and an object; tests/e2e has the command itself."""

import pytest

from blobforge.cli.conversion_account import account_json, exit_code, tell
from blobforge.conversion.document import ConversionAccount, ConversionOutcome, DocumentReport

GOOD = DocumentReport(path="/docs/a.pdf", outcome=ConversionOutcome.CONVERTED, output="/out/a.md", pages=2)
KNOWN = DocumentReport(path="/docs/b.pdf", outcome=ConversionOutcome.CACHED, output="/out/b.md", pages=3)
GAPS = DocumentReport(
    path="/docs/c.pdf",
    outcome=ConversionOutcome.CACHED,
    output="/out/c.md",
    pages=4,
    pages_failed=1,
    page_codes=("ocr_failed",),
)
BAD = DocumentReport(path="/docs/d.pdf", outcome=ConversionOutcome.FAILED, code="not_a_pdf", message="it is HTML")


@pytest.mark.parametrize(
    ("documents", "interrupted", "code"),
    [
        ([], False, 0),
        ([GOOD, KNOWN], False, 0),
        ([GOOD, BAD], False, 3),
        ([GOOD, GAPS], False, 3),
        ([GAPS], False, 3),
        ([BAD], False, 1),
        ([BAD, GAPS], False, 3),
        ([GOOD], True, 130),
        ([BAD], True, 130),
    ],
)
def test_the_exit_code_says_how_the_run_went(documents: list[DocumentReport], interrupted: bool, code: int) -> None:
    assert exit_code(ConversionAccount(documents=documents, interrupted=interrupted)) == code


def test_an_interrupted_run_says_how_many_were_found_and_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    tell(ConversionAccount(left=3, interrupted=True), "out")
    tell(ConversionAccount(documents=[GOOD], left=1, interrupted=True), "out")

    said = capsys.readouterr().err
    assert "3 documents: 3 left; " in said
    assert "2 documents: 1 converted, 1 left; " in said
    assert "none found" not in said


def test_the_account_adds_up() -> None:
    told = account_json(
        ConversionAccount(documents=[GOOD, KNOWN, GAPS, BAD], seconds=1.23456), dry_run=False, pruned=None
    )

    results = told.pop("results")  # type: ignore[attr-defined]
    assert told == {
        "documents": 4,
        "converted": 1,
        "cached": 2,
        "failed": 1,
        "to_convert": 0,
        "left": 0,
        "passed_over": 0,
        "links_not_followed": [],
        "pages": 9,
        "pages_failed": 1,
        "seconds": 1.235,
        "dry_run": False,
        "interrupted": False,
        "left_behind": [],
        "emptied": [],
        "pruned": [],
    }
    assert [entry["path"] for entry in results] == [report.path for report in (GOOD, KNOWN, GAPS, BAD)]
    assert results[2]["page_codes"] == ["ocr_failed"]
