"""Text that one reader passes over is taken from another."""

from pathlib import Path

import pytest
from pikepdf import Dictionary, Name
from tests.unit.processors.layout.made_pdfs import PROSE, MadePdf, written

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.drawn.text_coverage import are_labels, lost_of


def _lines(path: Path) -> list[str]:
    return [line.text for line in Source(path, pages=1).page(1).lines]


def test_text_in_a_form_that_has_its_fonts_written_into_it_is_read(tmp_path: Path) -> None:
    made = MadePdf()
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    made.add_form("X", made.form(written("in a form", y=600), own_font=font))

    path = made.saved(tmp_path / "a.pdf", written("on the page") + b"/X Do")

    assert _lines(path) == ["on the page", "in a form"]


def test_text_deep_within_forms_is_read(tmp_path: Path) -> None:
    made = MadePdf()
    form = made.form(written("deep within", y=600))
    for _ in range(12):
        form = made.form(b"/X Do", forms={"/X": form})
    made.add_form("X", form)

    path = made.saved(tmp_path / "a.pdf", written("on the page") + b"/X Do")

    assert _lines(path) == ["on the page", "deep within"]


def test_letters_that_are_drawings_are_read(tmp_path: Path) -> None:
    made = MadePdf()
    made.add_font("F2", made.drawn_letters("abcde"))

    path = made.saved(tmp_path / "a.pdf", written("on the page") + written("bad cab", y=600, font="F2"))

    assert _lines(path)[0] == "on the page"
    assert "bad" in _lines(path)[1]


@pytest.mark.parametrize("is_prose", [True, False])
def test_of_a_placed_document_running_text_is_text_and_labels_are_told_apart(tmp_path: Path, *, is_prose: bool) -> None:
    made = MadePdf()
    made.add_mark("MC0", Dictionary(Metadata=Dictionary()))
    page = b"".join(written(PROSE, y=700 - 15 * place) for place in range(6))
    other = PROSE[::-1]
    labels = [other] if is_prose else ["10", "20", "30", "North", "South"]
    placed = b"".join(written(text, x=50 + 60 * place, y=300) for place, text in enumerate(labels))

    path = made.saved(tmp_path / "a.pdf", page + b"/PlacedPDF /MC0 BDC\n" + placed + b"EMC")

    read = Source(path, pages=1).page(1)
    assert [line.text for line in read.lines] == [PROSE] * 6 + ([other] if is_prose else [])
    assert [line.text for line in read.placed] == ([] if is_prose else labels)


def test_the_name_of_an_upright_axis_is_turned_text_of_the_page(tmp_path: Path) -> None:
    made = MadePdf()
    made.add_mark("MC0", Dictionary(Metadata=Dictionary()))
    page = b"".join(written(PROSE, y=700 - 15 * place) for place in range(6))
    axis = b"BT /F1 12 Tf 0 1 -1 0 40 300 Tm (Share of votes) Tj ET\n"

    path = made.saved(tmp_path / "a.pdf", page + b"/PlacedPDF /MC0 BDC\n" + axis + written("2020", y=290) + b"EMC")

    read = Source(path, pages=1).page(1)
    assert [line.text for line in read.placed] == ["2020"]
    assert read.turned is not None
    assert [line.text for line in read.turned.lines] == ["Share of votes"]


def test_a_drawing_that_is_most_of_a_page_is_read_with_its_labels() -> None:
    assert not are_labels("Fig 1", "Fig 1\n10\n20\n30\nNorth\nSouth")


def test_what_is_lost_is_counted_in_letters_whatever_their_order() -> None:
    assert lost_of("b a", "ab") == 0
    assert lost_of("abc", "abcd!") == pytest.approx(0.25)
    assert lost_of("the ﬁrst", "the first") == 0
    assert lost_of("the \ufffdrst", "the first") == 0


def _told(drawn: str, told: str, *, x: float) -> bytes:
    mark = "feff" + told.encode("utf-16-be").hex()
    return f"/Span <</ActualText <{mark}>>> BDC\n".encode() + written(drawn, x=x) + b"EMC\n"


def _latin(made: MadePdf) -> None:
    made.add_font("F1", made.helvetica(Encoding=Name.WinAnsiEncoding))


@pytest.mark.parametrize(
    ("drawn", "told", "read"),
    [(" ", "\xa0", ""), (" ", "\xad", ""), ("-", "\u2011", "\u2011"), ("\\351", "é", "é"), (" ", "\u2003", "")],
)
def test_text_that_is_told_beside_a_glyph_is_not_read_as_codes_of_its_font(
    tmp_path: Path, drawn: str, told: str, read: str
) -> None:
    made = MadePdf()
    _latin(made)
    page = written("Before", x=50) + _told(drawn, told, x=88) + written("after", x=95) + written(PROSE, y=600)

    path = made.saved(tmp_path / "a.pdf", page)

    assert "".join(_lines(path)[0].split()) == f"Before{read}after"


@pytest.mark.parametrize("told", ["日", "人", "民", "一"])
def test_a_character_is_read_of_whose_bytes_the_font_has_not_all(tmp_path: Path, told: str) -> None:
    made = MadePdf()
    made.add_font("F2", made.helvetica(ToUnicode=made.says(a="本", b="語")))
    page = _told("x", told, x=50) + written("ab", x=62, font="F2") + written(PROSE, y=600)

    path = made.saved(tmp_path / "a.pdf", page)

    assert "".join(_lines(path)[0].split()) == f"{told}本語"


def test_what_is_drawn_in_one_go_with_a_glyph_of_which_text_is_told_stays_in_its_place(tmp_path: Path) -> None:
    made = MadePdf()
    _latin(made)
    page = b"BT /F1 12 Tf 50 700 Td (He ) Tj /Span <</ActualText <feff00e9>>> BDC (\\351) Tj EMC (cria) Tj ET\n"

    path = made.saved(tmp_path / "a.pdf", page + written(PROSE, y=600))

    assert _lines(path)[0] == "He écria"


def test_letters_that_might_be_bytes_are_read_as_they_are_drawn(tmp_path: Path) -> None:
    made = MadePdf()
    _latin(made)
    page = written("\\302ge, C\\302\\240PITAL, S\\303O, \\344\\326\\226, \\351\\273\\237")

    path = made.saved(tmp_path / "a.pdf", page)

    assert "".join(_lines(path)[0].split()) == "Âge,CÂPITAL,SÃO,äÖ–,é»Ÿ"


def test_text_that_lies_over_text_is_not_mixed_with_it(tmp_path: Path) -> None:
    """As where a figure was whitened out and another one set in its place."""
    page = written("Total 1,000.00", x=72) + b"1 g 100 690 80 20 re f 0 g " + written("9,999.99", x=104)

    path = MadePdf().saved(tmp_path / "a.pdf", page + written(PROSE, y=600))

    assert _lines(path)[0] == "Total 1,000.00 9,999.99"


def test_letters_are_kept_where_another_reader_loses_others(tmp_path: Path) -> None:
    made = MadePdf()
    _latin(made)
    told = _told("\\001\\002\\003", "ÂBCD EFGH", x=50)

    path = made.saved(tmp_path / "a.pdf", told)

    assert "BCD" in _lines(path)[0]
