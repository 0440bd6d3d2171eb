"""How an account of a run becomes an exit code and an object; tests/e2e has the command itself."""

import pytest

from blobforge.cli.commands.convert import account_json, exit_code
from blobforge.conversion.document import Account, DocumentReport, Outcome

GOOD = DocumentReport(path="/docs/a.pdf", outcome=Outcome.CONVERTED, output="/out/a.md", pages=2)
KNOWN = DocumentReport(path="/docs/b.pdf", outcome=Outcome.CACHED, output="/out/b.md", pages=3)
GAPS = DocumentReport(
    path="/docs/c.pdf", outcome=Outcome.CACHED, output="/out/c.md", pages=4, pages_failed=1, page_codes=("ocr_failed",)
)
BAD = DocumentReport(path="/docs/d.pdf", outcome=Outcome.FAILED, code="not_a_pdf", message="it is HTML")


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
    assert exit_code(Account(documents=documents, interrupted=interrupted)) == code


def test_the_account_adds_up() -> None:
    told = account_json(Account(documents=[GOOD, KNOWN, GAPS, BAD], seconds=1.23456))

    results = told.pop("results")  # type: ignore[attr-defined]
    assert told == {
        "documents": 4,
        "converted": 1,
        "cached": 2,
        "failed": 1,
        "pages": 9,
        "pages_failed": 1,
        "seconds": 1.235,
        "interrupted": False,
    }
    assert [entry["path"] for entry in results] == [report.path for report in (GOOD, KNOWN, GAPS, BAD)]
    assert results[2]["page_codes"] == ["ocr_failed"]
