"""Icons and what nobody sees do not become rubbish."""

from pathlib import Path

import pytest
from pikepdf import Dictionary, Name
from tests.unit.processors.layout.made import line
from tests.unit.processors.layout.made_glyphs import PAGE, chars
from tests.unit.processors.layout.made_pdfs import MadePdf, written

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.drawn.glyphs import read_glyphs
from blobforge.processors.pdf_markdown.layout.drawn.icons import with_icons
from blobforge.processors.pdf_markdown.layout.words.lines import lines_of


def _text(text: str, *, font: str = "Serif") -> str:
    return read_glyphs(chars(text, font_name=font), PAGE).pieces[0].text


@pytest.mark.parametrize(
    ("font", "letters", "signs"),
    [
        ("ABCDEF+Wingdings-Regular", "nü§", "■✓▪"),
        ("Wingdings", "\uf06e\uf0fc", "■✓"),
        ("Wingdings2", "P£", "✓□"),
        ("Webdings", "a", "✔"),
        ("Serif", "nü§", "nü§"),
    ],
)
def test_letters_of_a_font_of_icons_are_its_signs(font: str, letters: str, signs: str) -> None:
    assert _text(letters, font=font) == signs


def test_a_sign_that_one_reader_mixes_up_is_taken_from_another(tmp_path: Path) -> None:
    made = MadePdf()
    zapf = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.ZapfDingbats)
    made.add_font("F2", made.pdf.make_indirect(zapf))

    path = made.saved(tmp_path / "a.pdf", written("n", font="F2") + written("a choice", x=65))

    assert [each.text for each in Source(path, pages=1).page(1).lines] == ["■ a choice"]


def test_an_icon_before_a_line_is_a_bullet_and_one_within_it_is_nothing() -> None:
    (told,) = with_icons([line("\ue123 roll a die \ue124 and add 2")], unknown=0.05)

    assert told.text == "• roll a die and add 2"


def test_the_usual_private_codes_are_known_whatever_the_font_is_called() -> None:
    (told,) = with_icons([line("\uf0b7 a choice"), line("\ue123")], unknown=0.05)

    assert told.text == "• a choice"


def test_where_much_is_unknown_it_is_letters_and_stays() -> None:
    (told,) = with_icons([line("\ue123\ue124 \ue125\ue126")], unknown=0.9)

    assert told.text == "\ue123\ue124 \ue125\ue126"


def test_what_has_no_ink_goes() -> None:
    assert _text("zero\u200bwidth\ufeff") == "zerowidth"


def test_a_soft_hyphen_goes_unless_a_line_may_end_with_it() -> None:
    assert _text("soft\u00adware") == "software"
    assert _text("soft\u00ad") == "soft\u00ad"


def test_a_soft_hyphen_between_two_pieces_of_a_word_goes() -> None:
    read = read_glyphs([*chars("soft\u00ad", x=50), *chars("ware", x=75, color=(0.5, 0.0, 0.0))], PAGE)

    assert [each.text for each in lines_of(read.pieces)] == ["software"]


def test_a_code_that_is_no_character_is_lost() -> None:
    assert _text("a\x02b") == "a\ufffdb"
