"""Text that one reader passes over is taken from another."""

from pathlib import Path

import pytest
from pikepdf import Array, Dictionary, Name, String
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


@pytest.mark.parametrize("base_state", ["ON", "OFF"])
def test_what_lies_on_a_layer_that_is_off_is_not_read(tmp_path: Path, base_state: str) -> None:
    made = MadePdf()
    layers = {name: Dictionary(Type=Name.OCG, Name=String(name)) for name in ("Answers", "Text")}
    for name, layer in layers.items():
        made.add_mark(name, layer)
    answers, text = (made.page.obj.Resources.Properties[f"/{name}"] for name in layers)
    usual = Dictionary(OFF=Array([answers])) if base_state == "ON" else Dictionary(BaseState=Name.OFF, ON=Array([text]))
    made.pdf.Root.OCProperties = Dictionary(OCGs=Array([answers, text]), D=usual)
    hidden = b"/OC /Answers BDC\n" + written("the answer is 42") + b"EMC\n"

    path = made.saved(tmp_path / "a.pdf", hidden + b"/OC /Text BDC\n" + written("what is it", y=600) + b"EMC")

    assert _lines(path) == ["what is it"]
