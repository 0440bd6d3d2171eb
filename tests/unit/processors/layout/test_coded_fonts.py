"""Fonts that do not tell which letters their codes stand for."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pikepdf import Array, Dictionary, Name, Stream
from tests.unit.processors.layout.made_pdfs import PROSE, MadePdf

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.drawn.private_codes import is_language
from blobforge.processors.pdf_markdown.layout.model.content import PageContent

TEXT = f"{PROSE} and why the wheel has not turned since the winter of the long frost"
LETTERS = sorted(set(TEXT))


def true_type(made: MadePdf, **more: Any) -> Any:
    font = made.helvetica(FirstChar=0, LastChar=255, Widths=Array([500] * 256), **more)
    font.Subtype, font.BaseFont = Name.TrueType, Name("/ABCDEF+Serif")
    return font


def drawn(made: MadePdf, names: Iterable[str], *, first: int) -> Any:
    """A font whose letters are drawn, and have those names."""
    font = made.drawn_letters("".join(map(chr, range(first, first + len(LETTERS)))))
    glyphs = [Name(f"/{name}") for name in names]
    font.Encoding.Differences = Array([first, *glyphs])
    square = Stream(made.pdf, b"500 0 0 0 500 500 d1 0 0 500 500 re f")
    font.CharProcs = Dictionary({str(name): square for name in glyphs})
    return font


def coded(first: int) -> bytes:
    """The text, its letters numbered in order from `first`."""
    lines = [TEXT[start : start + 60] for start in range(0, len(TEXT), 60)]
    shown = ("".join(f"{first + LETTERS.index(letter):02x}" for letter in line) for line in lines)
    return b"BT /F3 10 Tf 20 TL 50 700 Td " + b"".join(f"<{line}> Tj T* ".encode() for line in shown) + b"ET"


def read(made: MadePdf, path: Path, font: Any, content: bytes) -> PageContent:
    made.add_font("F3", font)
    return Source(made.saved(path / "made.pdf", content), pages=1).page(1)


@pytest.mark.parametrize("first", [33, 65, 97])
def test_codes_of_a_font_without_any_table_are_unknown(tmp_path: Path, first: int) -> None:
    made = MadePdf()

    assert read(made, tmp_path, true_type(made), coded(first)).unknown > 0.9


@pytest.mark.parametrize("first", [33, 65])
def test_codes_of_drawn_letters_without_telling_names_are_unknown(tmp_path: Path, first: int) -> None:
    made = MadePdf()
    font = drawn(made, (f"g{place}" for place in range(len(LETTERS))), first=first)

    assert read(made, tmp_path, font, coded(first)).unknown > 0.9


def test_drawn_letters_are_read_by_their_names(tmp_path: Path) -> None:
    made = MadePdf()
    font = drawn(made, ("space" if letter == " " else letter for letter in LETTERS), first=65)

    page = read(made, tmp_path, font, coded(65))

    assert "".join(line.text for line in page.lines).replace(" ", "") == TEXT.replace(" ", "")
    assert page.unknown == 0.0


def test_codes_that_are_letters_all_the_same_are_read(tmp_path: Path) -> None:
    made = MadePdf()
    content = f"BT /F3 10 Tf 50 700 Td ({TEXT}) Tj ET".encode()

    assert read(made, tmp_path, true_type(made), content).unknown == 0.0


def test_a_font_with_an_encoding_is_believed_whatever_it_says(tmp_path: Path) -> None:
    made = MadePdf()
    content = b"BT /F3 10 Tf 50 700 Td (XKCD-4711/B QRT-0815/C WKL-1234/D BFG-9000/Z MNB-5555/K) Tj ET"
    font = true_type(made, Encoding=Name.WinAnsiEncoding)

    assert read(made, tmp_path, font, content).unknown == 0.0


LANGUAGES = [
    "Ein Haus steht am Fluss, und niemand weiß mehr, wer es gebaut hat; 1.250,00 € kostete es.",
    "Kuka rakensi tämän vanhan myllyn joen varrelle, sitä ei muista enää kukaan kylässä.",
    "На берегу реки стоит старая мельница, и никто не помнит, кто её построил.",  # noqa: RUF001
    "川のほとりに古い水車小屋が立っていて、誰がそれを建てたのか覚えている人は村にはもういない。昔の話である。",
    "Strč prst skrz krk",
]


@pytest.mark.parametrize("text", LANGUAGES)
def test_languages_are_told(text: str) -> None:
    assert is_language(text)


@pytest.mark.parametrize(
    "text", ['!"#$%&\'%()*%#$&+,&-.%&/0#%,"((1&2%0$"#%&*+(', "ABCDEFGHIJEEKLFHMJNOHPCQNBKPNHGCBQJQLHGFKRSBFHJ"]
)
def test_ciphers_are_told(text: str) -> None:
    assert not is_language(text)
