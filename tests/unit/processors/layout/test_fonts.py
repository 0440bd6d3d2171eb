"""What names of fonts and widths of letters tell."""

import pytest
from tests.unit.processors.layout.made import BODY

from blobforge.processors.pdf_markdown.layout.model.content import TextRun
from blobforge.processors.pdf_markdown.layout.words.fonts import is_bold, is_italic, is_typewriter, with_typewriters

WORDS = ("while", "time", "allows", "Will", "mends", "it.")


def _pieces(widths: dict[str, float]) -> list[TextRun]:
    """Each letter as wide as told, in shares of the size; half as wide where nothing is."""
    width = {word: sum(widths.get(letter, 0.5) for letter in word) * BODY.size for word in WORDS}
    return [TextRun(word, 50.0, 50.0 + width[word], 100.0, BODY) for word in WORDS]


@pytest.mark.parametrize("name", ["Serif-Bold", "CMBX12", "CMSSBX10", "SFBX1000", "Univers-BdCn", "Frutiger-Black"])
def test_a_bold_font_is_known_by_its_name(name: str) -> None:
    assert is_bold(name, is_said=False)


@pytest.mark.parametrize("name", ["URWPalladioL-Roma", "NimbusRomNo9L-Regu", "Lora-Regular", "Univers-Light"])
def test_a_font_that_is_named_plain_is_not_bold_whatever_the_file_says(name: str) -> None:
    assert not is_bold(name, is_said=True)


def test_a_font_without_a_telling_name_is_what_the_file_says() -> None:
    assert is_bold("F4", is_said=True)
    assert not is_bold("F4", is_said=False)


@pytest.mark.parametrize(
    "name", ["Lora-Italic", "MyriadPro-It", "MinionPro-BoldIt", "URWPalladioL-Ital", "CMTI10", "SFTI1200", "CMBXTI10"]
)
def test_an_italic_font_is_known_by_its_name(name: str) -> None:
    assert is_italic(name)


@pytest.mark.parametrize("name", ["CMMI10", "Gill-Items", "Itim-Regular", "Univers"])
def test_other_fonts_are_upright(name: str) -> None:
    assert not is_italic(name)


@pytest.mark.parametrize(
    "name", ["CMTT8", "NimbusMonL-Regu", "Courier-Bold", "SourceCodePro-Regular", "Inconsolata", "Menlo-Regular"]
)
def test_a_typewriter_is_known_by_its_name(name: str) -> None:
    assert is_typewriter(name)


def test_a_foundry_is_no_typewriter() -> None:
    assert not is_typewriter("MonotypeCorsiva")


def test_letters_that_are_all_as_wide_are_a_typewriters() -> None:
    assert all(piece.style.mono for piece in with_typewriters(_pieces({})))


def test_letters_of_different_widths_are_not() -> None:
    assert not any(piece.style.mono for piece in with_typewriters(_pieces({"i": 0.3, "m": 0.8})))


def test_a_few_letters_do_not_tell() -> None:
    assert not any(piece.style.mono for piece in with_typewriters(_pieces({})[:2]))
