"""Every page is accounted for."""

from blobforge.domain.page import Page, PageOutcome, doubts, page_in, tally


def test_a_document_without_pages_has_nothing_to_account_for() -> None:
    assert tally([]) == (0, 0, {})


def test_pages_are_counted_and_failed_ones_by_their_code() -> None:
    pages = [
        Page(1, PageOutcome.TEXT),
        Page(2, PageOutcome.OCR),
        Page(3, PageOutcome.EMPTY),
        Page(4, PageOutcome.FAILED, "ocr_unavailable", "no tesseract"),
        Page(5, PageOutcome.FAILED, "engine_failed", "it said no"),
        Page(6, PageOutcome.FAILED, "engine_failed", "it said no"),
        Page(7, PageOutcome.FAILED),
    ]

    counted = tally(iter(pages))

    assert counted == (7, 4, {"engine_failed": 2, "error": 1, "ocr_unavailable": 1})
    assert list(counted.codes) == sorted(counted.codes)


def test_doubts_are_counted_by_their_reason_and_remarks_are_none() -> None:
    pages = [
        Page(1, PageOutcome.TEXT, warnings=("unknown_glyphs", "text_lost")),
        Page(2, PageOutcome.TEXT, warnings=("unknown_glyphs", "second_reader")),
        Page(3, PageOutcome.TEXT, warnings=("overlapping_blocks",)),
    ]

    assert doubts(pages) == {"text_lost": 1, "unknown_glyphs": 2}


def test_a_page_is_read_back_from_its_row() -> None:
    row = {"page": 2, "outcome": "ocr", "confidence": 0.9, "message": "read anew", "warnings": ["language_missing"]}

    assert page_in(row) == Page(2, PageOutcome.OCR, message="read anew", confidence=0.9, warnings=("language_missing",))
    assert page_in({"page": 1, "outcome": "failed", "code": "timed_out"}) == Page(
        1, PageOutcome.FAILED, code="timed_out"
    )
