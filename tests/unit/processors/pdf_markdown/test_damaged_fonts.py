"""A page that sets text in a damaged font is doubtful: readers take another font, or other letters, and say nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from tests.unit.processors import damaged_pdfs as damaged
from tests.unit.processors import pdfs
from tests.unit.processors.pdf_markdown.conversions import LONG, Engine, Tesseracts
from tests.unit.processors.pdf_markdown.sheets import Sheet

from blobforge.domain.page import PageOutcome
from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.content_check import ContentCheck
from blobforge.processors.pdf_markdown.conversion import Conversion
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage
from blobforge.processors.pdf_markdown.font_check import FontCondition
from blobforge.processors.pdf_markdown.parts import ConvertedPage
from blobforge.testing.processor_contract import nobody

CMAP = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def
1 begincodespacerange <00> <ff> endcodespacerange
2 beginbfchar
<01> <0041> % the letter A
<02><00660069>
endbfchar
2 beginbfrange
<20> <7e> <0020>
<80> <82> [<20ac> <201a>
<0192>]
endbfrange
endcmap end end"""


def _simple(pdf: pikepdf.Pdf, cmap: bytes = CMAP, program: bytes = b"glyphs") -> Dictionary:
    packed = pdf.make_stream(damaged.flate(program))
    packed.Filter = Name.FlateDecode
    told = pdf.make_stream(damaged.flate(cmap))
    told.Filter = Name.FlateDecode
    descriptor = Dictionary(Type=Name.FontDescriptor, FontName=Name.Face, FontFile2=packed)
    return Dictionary(
        Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name.Face, FontDescriptor=descriptor, ToUnicode=told
    )


def _composite(pdf: pikepdf.Pdf) -> Dictionary:
    simple = _simple(pdf)
    descendant = Dictionary(Type=Name.Font, Subtype=Name.CIDFontType2, FontDescriptor=simple.FontDescriptor)
    encoding = pdf.make_stream(damaged.flate(b"begincmap endcmap"))
    encoding.Filter = Name.FlateDecode
    return Dictionary(
        Type=Name.Font,
        Subtype=Name.Type0,
        BaseFont=Name.Face,
        Encoding=encoding,
        DescendantFonts=Array([pdf.make_indirect(descendant)]),
        ToUnicode=simple.ToUnicode,
    )


Change = Callable[[pikepdf.Pdf, Any], None]


def _book(path: Path, change: Change = lambda *_: None, *, make: Callable[[pikepdf.Pdf], Dictionary] = _simple) -> Path:
    """A page whose text is set in that font."""
    with pikepdf.new() as pdf:
        page = pdf.add_blank_page(page_size=(595, 842)).obj
        page.Resources = Dictionary(Font={"/F": pdf.make_indirect(make(pdf))})
        page.Contents = pdf.make_stream(damaged.text_of_lines("page"))
        change(pdf, page.Resources.Font["/F"])
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return damaged.losing(path)


def _check(path: Path) -> ContentCheck:
    return ContentCheck(path, pages=1)


def _cut(stream: Any) -> None:
    stream.write(damaged.cut_in_half(stream.read_raw_bytes()), filter=Name.FlateDecode)


def _zeroed(stream: Any) -> None:
    stream.write(bytes(len(stream.read_raw_bytes())), filter=Name.FlateDecode)


def _gone(holder: Any, name: str) -> Change:
    return lambda pdf, font: holder(font).__setitem__(name, damaged.to_be_lost(pdf))


@pytest.mark.parametrize("make", [_simple, _composite])
def test_a_font_that_is_whole_casts_no_doubt(tmp_path: Path, make: Callable[[pikepdf.Pdf], Dictionary]) -> None:
    check = _check(_book(tmp_path / "book.pdf", make=make))

    assert not check.is_damaged(1)
    assert not check.hides_letters(1)


DAMAGES: dict[str, Change] = {
    "another object": lambda _, font: font.__setitem__("/Subtype", Name.Image),
    "a program that was cut": lambda _, font: _cut(font.FontDescriptor.FontFile2),
    "a program that is empty": lambda _, font: font.FontDescriptor.FontFile2.write(b""),
    "a program that is gone": _gone(lambda font: font.FontDescriptor, "/FontFile2"),
    "a descriptor that is gone": _gone(lambda font: font, "/FontDescriptor"),
    "an encoding that is gone": _gone(lambda font: font, "/Encoding"),
    "an encoding that is a number": lambda _, font: font.__setitem__("/Encoding", 7),
}
DAMAGES_OF_COMPOSITES: dict[str, Change] = {
    "an encoding that was cut": lambda _, font: _cut(font.Encoding),
    "no descendants": lambda _, font: font.__delitem__("/DescendantFonts"),
    "descendants that are none": lambda _, font: font.__setitem__("/DescendantFonts", Array([])),
    "a descendant that is no font": lambda _, font: font.__setitem__("/DescendantFonts", Array([7])),
    "a descendant whose program was cut": lambda _, font: _cut(font.DescendantFonts[0].FontDescriptor.FontFile2),
    "its own descendant": lambda _, font: font.__setitem__("/DescendantFonts", Array([font])),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_font_is_a_damage(tmp_path: Path, damage: str) -> None:
    check = _check(_book(tmp_path / "book.pdf", DAMAGES[damage]))

    assert check.is_damaged(1)
    assert not check.hides_letters(1), "it cannot be drawn either"


@pytest.mark.parametrize("damage", DAMAGES_OF_COMPOSITES)
def test_a_damaged_composite_font_is_a_damage(tmp_path: Path, damage: str) -> None:
    assert _check(_book(tmp_path / "book.pdf", DAMAGES_OF_COMPOSITES[damage], make=_composite)).is_damaged(1)


LETTERS_LOST: dict[str, Change] = {
    "cut": lambda _, font: _cut(font.ToUnicode),
    "zeroed": lambda _, font: _zeroed(font.ToUnicode),
    "zeroed and not packed": lambda _, font: font.ToUnicode.write(bytes(200)),
    "gone": _gone(lambda font: font, "/ToUnicode"),
    "no stream": lambda _, font: font.__setitem__("/ToUnicode", Dictionary()),
    "noise in an entry": lambda _, font: font.ToUnicode.write(CMAP.replace(b"<0041>", b"<00t1>")),
    "half an entry": lambda _, font: font.ToUnicode.write(CMAP.replace(b"<0041>", b"")),
    "a bracket that is lost": lambda _, font: font.ToUnicode.write(CMAP.replace(b"<0192>]", b"<0192>")),
    "a block without its end": lambda _, font: font.ToUnicode.write(CMAP.replace(b"endbfchar", b"endbfcha2")),
    "a block without its beginning": lambda _, font: font.ToUnicode.write(
        CMAP.replace(b"beginbfrange", b"bdginbfrange")
    ),
    "a block with another end": lambda _, font: font.ToUnicode.write(CMAP.replace(b"endbfchar", b"endbfrange")),
}


@pytest.mark.parametrize("damage", LETTERS_LOST)
def test_letters_that_are_lost_can_still_be_seen(tmp_path: Path, damage: str) -> None:
    check = _check(_book(tmp_path / "book.pdf", LETTERS_LOST[damage]))

    assert check.is_damaged(1)
    assert check.hides_letters(1)


@pytest.mark.parametrize(
    "cmap",
    [b"", b"begincmap endcmap", b"begincmap 0 beginbfchar endbfchar endcmap", b"1 beginbfchar <01> /A endbfchar"],
)
def test_a_table_of_letters_may_say_little(tmp_path: Path, cmap: bytes) -> None:
    assert not _check(_book(tmp_path / "book.pdf", lambda _, font: font.ToUnicode.write(cmap))).is_damaged(1)


def test_a_table_of_letters_may_be_a_name(tmp_path: Path) -> None:
    def named(_: pikepdf.Pdf, font: Any) -> None:
        font.ToUnicode = Name("/Identity-H")

    assert not _check(_book(tmp_path / "book.pdf", named)).is_damaged(1)


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_font_that_is_nowhere_is_a_damage(tmp_path: Path, is_gone: bool) -> None:
    book = damaged.written(tmp_path / "book.pdf", (damaged.text_of_lines("page"), []))
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        fonts = pdf.pages[0].obj.Resources.Font
        if is_gone:
            fonts["/F"] = damaged.to_be_lost(pdf)
        else:
            del fonts["/F"]
        pdf.save(book)

    assert _check(damaged.losing(book)).is_damaged(1)


def test_a_damaged_font_that_nothing_is_set_in_casts_no_doubt(tmp_path: Path) -> None:
    book = damaged.written(tmp_path / "book.pdf", (damaged.text_of_lines("page") + rb" (see \(/G 9 Tf\)) Tj", []))
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        pdf.pages[0].obj.Resources.Font["/G"] = 7
        pdf.save(book)

    assert not _check(book).is_damaged(1)


def test_a_damaged_font_of_a_form_is_a_damage(tmp_path: Path) -> None:
    book = damaged.with_form(tmp_path / "book.pdf", damaged.flate(damaged.text_of_lines("page")))
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        outer = pdf.pages[0].obj.Resources.XObject["/Outer"]
        outer.Resources.XObject["/Inner"].Resources = Dictionary(Font={"/F": Dictionary()})
        pdf.save(book, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)

    assert _check(book).is_damaged(1)


def test_a_font_is_judged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[pikepdf.Object | None] = []

    def remembered(font: pikepdf.Object | None) -> FontCondition:
        judged.append(font)
        return FontCondition.WHOLE

    pages = [(damaged.text_of_lines(name), list[str]()) for name in ("one", "two")]
    book = damaged.written(tmp_path / "book.pdf", *pages)
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        pdf.pages[1].obj.Resources = pdf.pages[0].obj.Resources
        pdf.save(book)
    monkeypatch.setattr("blobforge.processors.pdf_markdown.content_check.condition_of", remembered)
    check = ContentCheck(book, pages=2)

    assert not check.is_damaged(1)
    assert not check.is_damaged(2)
    assert len(judged) == 1


# What becomes of the page


def _converted(path: Path, tmp_path: Path, read: Sheet) -> ConvertedPage:
    task = pdfs.a_task(path, tmp_path / "work")
    document = Document(path=path, pages=1, survey={})
    check = _check(path)
    conversion = Conversion(
        task,
        document,
        engine=Engine({1: EnginePage(1, LONG)}),
        ocr=Tesseracts(tmp_path / "tesseract").answering(read),
        repaired=False,
        is_damaged=check.is_damaged,
        hides_letters=check.hides_letters,
    )
    (page,) = conversion.run(Slice(1, 1), nobody).pages
    return page


def test_letters_that_are_lost_are_read_from_the_picture_of_the_page(tmp_path: Path) -> None:
    book = _book(tmp_path / "book.pdf", LETTERS_LOST["cut"])

    page = _converted(book, tmp_path, Sheet().line("clear words that were read from the page " * 10))

    assert page.account.outcome is PageOutcome.OCR
    assert "damaged_content" in page.account.warnings
    assert "clear words" in page.markdown


def test_where_the_picture_says_much_less_what_there_is_stays(tmp_path: Path) -> None:
    book = _book(tmp_path / "book.pdf", LETTERS_LOST["cut"])

    page = _converted(book, tmp_path, Sheet().line("few"))

    assert (page.account.outcome, page.markdown) == (PageOutcome.TEXT, LONG)
    assert page.account.warnings == ("damaged_content",)


def test_a_font_that_cannot_be_drawn_is_not_read_from_a_picture(tmp_path: Path) -> None:
    book = _book(tmp_path / "book.pdf", DAMAGES["a program that was cut"])

    page = _converted(book, tmp_path, Sheet().line("clear words that were read from the page " * 10))

    assert (page.account.outcome, page.markdown) == (PageOutcome.TEXT, LONG)
    assert page.account.warnings == ("damaged_content",)
