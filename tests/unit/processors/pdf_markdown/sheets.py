"""What tesseract says of a page, written by hand."""

from blobforge.documents.ocr_program import OcrWord
from blobforge.documents.tesseract import words_in
from blobforge.processors.pdf_markdown.ocr.paragraphs import read_words

HEADER = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"


class Sheet:
    """Tesseract's table for lines of text: every letter is ten pixels wide, and so is a space."""

    def __init__(self) -> None:
        self.rows = [HEADER, "1\t1\t0\t0\t0\t0\t0\t0\t1000\t1000\t-1\t"]
        self.lines = 0

    def line(
        self,
        text: str,
        *,
        block: int = 1,
        paragraph: int = 1,
        height: int = 20,
        confidence: float = 95.0,
        gap: int = 10,
    ) -> "Sheet":
        self.lines += 1
        left = 0
        for place, word in enumerate(text.split()):
            width = 10 * len(word)
            cells = (5, 1, 1, paragraph, self.lines, place, left, 0, width, height, confidence, word)
            self.rows.append("\t".join(map(str, cells)))
            left += width + gap
        return self

    @property
    def markdown(self) -> str:
        return read_words(self.words).markdown

    @property
    def words(self) -> list[OcrWord]:
        return list(words_in("\n".join(self.rows) + "\n"))
