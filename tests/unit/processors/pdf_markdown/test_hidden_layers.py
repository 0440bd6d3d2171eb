"""What lies on layers that are off is not in the document."""

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from tests.unit.processors.layout.made_pdfs import PROSE, MadePdf, written

from blobforge.processors.pdf_markdown.hidden_layers import empty_hidden_forms
from blobforge.processors.pdf_markdown.layout.drawn.extract import Source


def made(path: Path, *, rule: str = "", base: str = "", off: tuple[int, ...] = (0,), on: tuple[int, ...] = ()) -> Path:
    """Two layers, and a form on the first of them, or on both by some rule."""
    pdf = MadePdf()
    layers = [pdf.pdf.make_indirect(Dictionary(Type=Name.OCG, Name=name)) for name in ("One", "Two")]
    usual = Dictionary(OFF=Array([layers[each] for each in off]), ON=Array([layers[each] for each in on]))
    if base:
        usual.BaseState = Name(base)
    pdf.pdf.Root.OCProperties = Dictionary(OCGs=Array(layers), D=usual)
    form = pdf.form(written("Switched", y=500))
    form.OC = layers[0] if not rule else Dictionary(Type=Name.OCMD, OCGs=Array(layers), P=Name(rule))
    pdf.add_form("X1", form)
    return pdf.saved(path, written(PROSE) + b"/X1 Do")


@pytest.mark.parametrize(
    ("facts", "is_hidden"),
    [
        ({}, True),
        ({"off": ()}, False),
        ({"off": (1,)}, False),
        ({"off": (), "base": "/OFF"}, True),
        ({"off": (), "base": "/OFF", "on": (0,)}, False),
        ({"rule": "/AnyOn"}, False),
        ({"rule": "/AllOn"}, True),
        ({"rule": "/AllOff"}, True),
        ({"rule": "/AnyOff"}, False),
        ({"rule": "/AnyOn", "off": (0, 1)}, True),
    ],
)
def test_a_form_on_a_layer_that_is_off_says_nothing(tmp_path: Path, facts: dict[str, object], is_hidden: bool) -> None:
    path = made(tmp_path / "a.pdf", **facts)  # type: ignore[arg-type]
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        assert empty_hidden_forms(pdf) == is_hidden
        pdf.save(path)

    read = " ".join(line.text for line in Source(path, pages=1).page(1).lines)

    assert PROSE in read
    assert ("Switched" in read) is not is_hidden
