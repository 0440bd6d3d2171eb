"""Another program than tesseract, behind the port that both have."""

import zipfile
from collections.abc import Iterable
from pathlib import Path

from tests.unit.processors import pdfs

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_program import SECONDS_A_PAGE, OcrProgram, OcrWord, Orientation, Segmentation
from blobforge.domain.errors import OcrFailed
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import account_of, converted, info_of

LINES = ("The old lighthouse keeper walked along the shore every morning", "and counted the ships that passed.")


class Reader:
    """Reads what it was told to, whatever it is shown: a line a row of the picture."""

    name, version = "another", "1.2"
    languages = frozenset({"eng"})

    def words(
        self,
        image: GreyImage,
        languages: Iterable[str],
        *,
        segmentation: Segmentation = Segmentation.PAGE,
        seconds: float = SECONDS_A_PAGE,
    ) -> list[OcrWord]:
        assert (list(languages), segmentation in Segmentation, seconds) == (["eng"], True, SECONDS_A_PAGE)
        scale = image.dpi / 72
        return [
            OcrWord(word, round(scale * (30 + 30 * place)), round(scale * top), 60, 30, 96.0, ("1", "1", str(top)))
            for top, line in zip((36, 60), LINES, strict=True)
            for place, word in enumerate(line.split())
        ]

    def orientation(self, image: GreyImage, *, seconds: float = SECONDS_A_PAGE) -> Orientation:
        raise OcrFailed(f"it cannot tell how {len(image.content)} bytes lie, in {seconds} s")


def test_a_scan_is_read_by_the_program_that_is_given(tmp_path: Path) -> None:
    program: OcrProgram = Reader()
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.scan(LINES))

    product = converted(PdfMarkdownProcessor(find_ocr=lambda: program), pdfs.a_task(book, tmp_path / "work"))

    assert account_of(product)[1]["outcome"] == "ocr"
    assert info_of(product)["tools"] == {"another": "1.2", "another_languages": "eng"}
    assert "lighthouse keeper" in zipfile.ZipFile(product.archive).read("document.md").decode()
