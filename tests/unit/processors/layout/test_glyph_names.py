"""Ligatures that only the names of glyphs tell."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import reportlab
from pikepdf import Array, Dictionary, Name, Stream
from tests.unit.processors.layout.made_pdfs import MadePdf, written

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source

_WIDTHS = Array([600] * 96 + [500] * 160)


_LETTERS = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
"""It has none of the ligatures, and draws a box in the place of each."""


def _font(made: MadePdf, names: Mapping[int, str], **more: Any) -> Any:
    differences = Array([part for code, name in names.items() for part in (code, Name(f"/{name}"))])
    encoding = Dictionary(Type=Name.Encoding, Differences=differences)
    descriptor = Dictionary(
        Type=Name.FontDescriptor, FontName=Name.Vera, Flags=32, FontBBox=Array([0, -200, 1000, 900])
    )
    descriptor.FontFile2 = Stream(made.pdf, _LETTERS.read_bytes())
    font = made.helvetica(
        Encoding=encoding, FirstChar=0, LastChar=255, Widths=_WIDTHS, FontDescriptor=descriptor, **more
    )
    font.Subtype, font.BaseFont = Name.TrueType, Name.Vera
    return font


def _read(made: MadePdf, path: Path, *texts: bytes) -> list[str]:
    content = b"".join(written("", y=700 - 20 * place).replace(b"()", text) for place, text in enumerate(texts))
    return [line.text for line in Source(made.saved(path, content), pages=1).page(1).lines]


def test_all_letters_of_a_glyph_are_read_that_only_its_name_tells(tmp_path: Path) -> None:
    made = MadePdf()
    made.add_font("F1", _font(made, {24: "f_f", 27: "f_t", 28: "f_f_i", 29: "T_h.alt"}))

    read = _read(made, tmp_path / "a.pdf", rb"(a\033er an e\030ort, o\034ces of \035em)")

    assert read == ["after an effort, offices of Them"]


def test_codes_of_ligatures_may_be_those_of_letters(tmp_path: Path) -> None:
    made = MadePdf()
    made.add_font("F1", _font(made, {200: "f_t", 65: "f_f"}))

    read = _read(made, tmp_path / "a.pdf", rb"(a\310er an eAort of)")

    assert read == ["after an effort of"]


def test_a_table_of_letters_says_more_than_names(tmp_path: Path) -> None:
    made = MadePdf()
    table = made.says(**{letter: letter for letter in "abcdefghijklmnopqrstuvwxyz "}, A="ß")
    made.add_font("F1", _font(made, {65: "f_t"}, ToUnicode=table))

    assert _read(made, tmp_path / "a.pdf", b"(groA and lift)") == ["groß and lift"]


def test_of_two_fonts_of_one_name_that_disagree_neither_is_believed(tmp_path: Path) -> None:
    made = MadePdf()
    made.add_font("F1", _font(made, {24: "f_f", 27: "f_t"}))
    made.add_font("F2", _font(made, {24: "f_l", 27: "f_t"}))

    assert _read(made, tmp_path / "a.pdf", rb"(an e\030ort a\033er)") == ["an efort after"]
