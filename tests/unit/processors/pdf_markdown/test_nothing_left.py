"""A document of which no page was converted has failed; one whose pages wait for OCR has not."""

import pytest

from blobforge.domain.errors import BlobForgeError, ChildKilled, DamagedSource, EngineFailed, NoPageConverted, OcrFailed
from blobforge.domain.page import Page, PageOutcome
from blobforge.processors.pdf_markdown.nothing_left import require_something


def failed(*codes: str) -> list[Page]:
    return [Page(number, PageOutcome.FAILED, code, f"why {number}") for number, code in enumerate(codes, start=1)]


@pytest.mark.parametrize("outcome", [PageOutcome.TEXT, PageOutcome.OCR, PageOutcome.EMPTY])
def test_one_page_that_did_not_fail_is_something(outcome: PageOutcome) -> None:
    require_something("book.pdf", [*failed("engine_failed", "ocr_failed"), Page(3, outcome)])


@pytest.mark.parametrize("codes", [("ocr_unavailable",), ("ocr_unavailable", "engine_failed"), ()])
def test_pages_that_wait_for_ocr_are_not_lost(codes: tuple[str, ...]) -> None:
    require_something("book.pdf", failed(*codes))


@pytest.mark.parametrize("error", [EngineFailed, OcrFailed, DamagedSource, ChildKilled])
def test_a_reason_that_all_pages_share_is_the_documents(error: type[BlobForgeError]) -> None:
    with pytest.raises(error) as failure:
        require_something("book.pdf", failed(error.code, error.code))

    assert type(failure.value) is error
    assert str(failure.value) == "book.pdf: none of 2 pages could be converted; page 1: why 1"


def test_the_reason_of_an_only_page_is_the_documents() -> None:
    with pytest.raises(OcrFailed) as failure:
        require_something("letter.pdf", failed("ocr_failed"))

    assert str(failure.value) == "letter.pdf: page 1 could not be converted: why 1"


def test_several_reasons_are_all_named() -> None:
    with pytest.raises(NoPageConverted) as failure:
        require_something("book.pdf", failed("ocr_failed", "engine_failed", "ocr_failed"))

    assert str(failure.value) == (
        "book.pdf: none of 3 pages could be converted (1 engine_failed, 2 ocr_failed); page 1: why 1"
    )


def test_a_reason_without_an_error_of_its_own_is_told_all_the_same() -> None:
    with pytest.raises(NoPageConverted, match="page 1 could not be converted: why 1"):
        require_something("book.pdf", failed("from_another_engine"))
