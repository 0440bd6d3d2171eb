"""Text in pictures: which ones are read, and what becomes of it."""

from tests.unit.processors.pdf_markdown.sheets import Sheet

from blobforge.documents.grey_image import GreyImage
from blobforge.processors.pdf_markdown.engines.engine import EnginePage
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.ocr.picture_text import is_drawing, text_in, with_texts


def a_picture(pixels: bytes) -> GreyImage:
    return GreyImage(b"P5 100 %d 255\n" % (len(pixels) // 100) + pixels, 100)


def said(sheet: Sheet) -> str:
    return text_in(sheet.words, dpi=72)


def test_a_drawing_has_a_ground_and_a_photograph_has_none() -> None:
    assert is_drawing(a_picture(bytes(250 if place % 3 else place % 251 for place in range(10_000))))
    assert not is_drawing(a_picture(bytes(place * 7 % 251 for place in range(10_000))))


def test_words_that_tesseract_is_sure_of_are_told() -> None:
    sheet = Sheet().line("Answers in percent of all").line("qx zv", confidence=40.0)

    assert said(sheet) == "Answers in percent of all"


def test_hardly_a_word_is_nothing() -> None:
    assert said(Sheet().line("10 20 30 40 50")) == ""
    assert said(Sheet().line("Responses")) == ""


def test_signs_mean_nothing_in_markdown() -> None:
    assert said(Sheet().line("Wood (<2MW) and *waste* together")) == "Wood (\\<2MW) and \\*waste\\* together"


def test_the_text_follows_its_picture_with_a_role_of_its_own() -> None:
    figure = Passage(role=PassageRole.FIGURE, page=1, box=Rectangle(0, 0, 9, 9), text="![](image-1.png)")
    page = EnginePage(1, "Before.\n\n![](image-1.png)\n\nAfter.", passages=(figure,))

    read = with_texts(page, {"image-1.png": "Male Female"})

    assert read.markdown == "Before.\n\n![](image-1.png)\n\nMale Female\n\nAfter."
    assert [(child.role, child.text) for child in figure.children] == [(PassageRole.PICTURE_TEXT, "Male Female")]
