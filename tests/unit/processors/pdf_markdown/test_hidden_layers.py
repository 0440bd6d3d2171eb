"""What lies on layers that a viewer does not show is not in the document, and what it shows is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name
from tests.unit.processors import pdfs
from tests.unit.processors.layout.made_pdfs import PROSE, MadePdf, written

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.model.content import PageContent
from blobforge.processors.pdf_markdown.source_file import open_source

SWITCHED = b"/OC /M BDC\n" + written("Switched", y=500) + b"EMC\n"


class Layered(MadePdf):
    """Two layers, `one` and `two`, and what the file says of them in `usual`."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = (self.pdf.make_indirect(Dictionary(Type=Name.OCG, Name=name)) for name in ("One", "Two"))
        self.usual = Dictionary()
        self.pdf.Root.OCProperties = Dictionary(OCGs=Array([self.one, self.two]), D=self.usual)

    def off(self, *layers: Any) -> None:
        self.usual.OFF = Array(layers)

    def recommend(self, state: str, *, kind: str = "View", event: str = "", on: Any = None) -> Any:
        """Of the first layer; it is switched by that at an event, if one is named."""
        self.one.Usage = Dictionary({f"/{kind}": Dictionary({f"/{kind}State": Name(f"/{state}")})})
        if event:
            rule = Dictionary(Event=Name(f"/{event}"), Category=Array([Name(f"/{kind}")]), OCGs=Array([self.one]))
            self.usual.AS = Array([rule])
        return self.one

    def both(self, **rules: Any) -> Any:
        return self.pdf.make_indirect(Dictionary(Type=Name.OCMD, OCGs=Array([self.one, self.two]), **rules))


Membership = Callable[[Layered], Any]
Put = Callable[[Layered, Any], bytes]


def _off(made: Layered) -> Any:
    made.off(made.one)
    return made.one


def _all_off_but(*on: int) -> Membership:
    def say(made: Layered) -> Any:
        made.usual.BaseState = Name.OFF
        made.usual.ON = Array([(made.one, made.two)[each] for each in on])
        return made.one

    return say


def _recommended(state: str, *, kind: str = "View", event: str = "", off: bool = False) -> Membership:
    def say(made: Layered) -> Any:
        if off:
            made.off(made.one)
        return made.recommend(state, kind=kind, event=event)

    return say


def _by(policy: str, *off: int) -> Membership:
    def say(made: Layered) -> Any:
        made.off(*((made.one, made.two)[each] for each in off))
        return made.both(P=Name(f"/{policy}"))

    return say


def _expression(express: Callable[[Any, Any], list[Any]], *off: int) -> Membership:
    def say(made: Layered) -> Any:
        made.off(*((made.one, made.two)[each] for each in off))
        # What it says beside the expression does not count.
        return made.both(P=Name.AllOn, VE=Array(express(made.one, made.two)))

    return say


def _for_designers(made: Layered) -> Any:
    made.one.Intent = Name.Design
    return _off(made)


def _another_off(made: Layered) -> Any:
    made.off(made.two)
    return made.one


def _without_layers(made: Layered) -> Any:
    made.off(made.one, made.two)
    return made.pdf.make_indirect(Dictionary(Type=Name.OCMD, OCGs=Array([])))


def _namesake(made: Layered) -> Any:
    """Another layer of the same name is shown."""
    made.two.Name = "One"
    return _off(made)


def in_content(made: Layered, membership: Any) -> bytes:
    made.page.obj.Resources.Properties["/M"] = membership
    return SWITCHED


def on_a_branch(made: Layered, membership: Any) -> bytes:
    """The page has what it names from the branch that it hangs on."""
    content = in_content(made, membership)
    made.pdf.Root.Pages.Resources = made.page.obj.Resources
    del made.page.obj.Resources
    return content


def in_a_shown_layer(made: Layered, membership: Any) -> bytes:
    made.page.obj.Resources.Properties["/On"] = made.pdf.make_indirect(Dictionary(Type=Name.OCG, Name="On"))
    return b"/OC /On BDC " + in_content(made, membership) + b"EMC\n"


def around_a_shown_layer(made: Layered, membership: Any) -> bytes:
    made.page.obj.Resources.Properties["/On"] = made.pdf.make_indirect(Dictionary(Type=Name.OCG, Name="On"))
    return SWITCHED.replace(b"BT", b"/OC /On BDC BT") + b"EMC\n" if in_content(made, membership) else b""


def as_form(made: Layered, membership: Any) -> bytes:
    form = made.form(written("Switched", y=500))
    form.OC = membership
    made.add_form("X1", form)
    return b"/X1 Do\n"


def within_a_form(made: Layered, membership: Any) -> bytes:
    form = made.form(SWITCHED)
    form.Resources.Properties = Dictionary(M=membership)
    made.add_form("X1", form)
    return b"/X1 Do\n"


STATES: dict[str, tuple[Membership, bool]] = {
    "off": (_off, False),
    "another is off": (_another_off, True),
    "all are off": (_all_off_but(), False),
    "all others are off": (_all_off_but(0), True),
    "off by its name's sake": (_namesake, False),
    "off for whoever looks": (_recommended("OFF", event="View"), False),
    "on for whoever looks, and off else": (_recommended("ON", event="View", off=True), True),
    "off on paper": (_recommended("OFF", kind="Print", event="Print"), True),
    "off in a copy": (_recommended("OFF", kind="Export", event="Export"), True),
    "off for designers": (_for_designers, True),
    "one of both": (_by("AnyOn", 0), True),
    "none of both": (_by("AnyOn", 0, 1), False),
    "not both": (_by("AllOn", 0), False),
    "both": (_by("AllOn"), True),
    "where one is off, and both are on": (_by("AnyOff"), False),
    "where one is off": (_by("AnyOff", 1), True),
    "where both are off, and both are on": (_by("AllOff"), False),
    "where both are off, and one is on": (_by("AllOff", 1), False),
    "where both are off": (_by("AllOff", 0, 1), True),
    "of no layer": (_without_layers, True),
    "not one, which is on": (_expression(lambda one, _: [Name.Not, one]), False),
    "not one": (_expression(lambda one, _: [Name.Not, one], 0), True),
    "one and two": (_expression(lambda one, two: [Name.And, one, two], 1), False),
    "one or two": (_expression(lambda one, two: [Name.Or, one, two], 0), True),
    "two and not one": (_expression(lambda one, two: [Name.And, two, Array([Name.Not, one])], 0), True),
    "not one and two": (_expression(lambda one, two: [Name.Not, Array([Name.And, one, two])]), False),
}


def made(path: Path, say: Membership, put: Put) -> Path:
    pdf = Layered()
    content = put(pdf, say(pdf))
    return pdf.saved(path, written(PROSE) + content + written("The end", y=300))


def page_of(path: Path, folder: Path) -> PageContent:
    task = pdfs.a_task(path, folder)
    return Source(open_source(task).path(task), pages=1).page(1)


def read(path: Path, folder: Path) -> list[str]:
    return [line.text for line in page_of(path, folder).lines]


def is_drawn(path: Path, *, top: int, bottom: int) -> bool:
    """Whether PDFium, which is a viewer, draws anything between these heights from the top."""
    with pypdfium2.PdfDocument(path) as document:
        image = document[0].render(grayscale=True).to_pil().crop((0, top, 600, bottom))
    darkest, _ = image.getextrema()
    return bool(darkest < 128)


@pytest.mark.parametrize(
    "put", [in_content, on_a_branch, in_a_shown_layer, around_a_shown_layer, as_form, within_a_form]
)
@pytest.mark.parametrize("state", STATES)
def test_what_a_viewer_shows_is_read_and_nothing_else(tmp_path: Path, state: str, put: Put) -> None:
    say, is_shown = STATES[state]
    path = made(tmp_path / "a.pdf", say, put)

    assert is_drawn(path, top=280, bottom=310) is is_shown, "or this is no viewer"
    assert read(path, tmp_path / "work") == [PROSE, *(["Switched"] if is_shown else []), "The end"]


@pytest.mark.parametrize(
    "say",
    [
        pytest.param(_recommended("OFF"), id="nothing asks to switch it by what it recommends"),
        pytest.param(_recommended("ON", off=True), id="it is off, and recommends to be on"),
        pytest.param(lambda made: Dictionary(Type=Name.OCMD, OCGs=made.one, P=Name.AllOff), id="one, by a policy"),
        pytest.param(
            lambda made: (_off(made), Dictionary(Type=Name.OCMD, OCGs=made.one, P=Name.AllOff))[1],
            id="one that is off, by a policy",
        ),
    ],
)
def test_what_viewers_differ_about_is_read(tmp_path: Path, say: Membership) -> None:
    path = made(tmp_path / "a.pdf", lambda pdf: pdf.pdf.make_indirect(say(pdf)), in_content)

    assert "Switched" in read(path, tmp_path / "work")


def _endless(made: Layered) -> Any:
    expression = made.pdf.make_indirect(Array([Name.And]))
    expression.append(expression)
    return made.both(VE=expression)


@pytest.mark.parametrize("say", [_endless, _expression(lambda one, _: [Name.Xor, one]), _expression(lambda *_: [])])
def test_an_expression_that_says_nothing_hides_nothing(tmp_path: Path, say: Membership) -> None:
    assert "Switched" in read(made(tmp_path / "a.pdf", say, in_content), tmp_path / "work")


@pytest.mark.parametrize("is_off", [True, False])
def test_an_annotation_is_shown_as_its_layer_is(tmp_path: Path, *, is_off: bool) -> None:
    def put(pdf: Layered, membership: Any) -> bytes:
        look = pdf.form(written("Switched", x=2, y=5))
        look.BBox = Array([0, 0, 200, 20])
        box = Dictionary(Subtype=Name.FreeText, Rect=Array([50, 495, 250, 515]), AP=Dictionary(N=look), OC=membership)
        pdf.page.obj.Annots = Array([pdf.pdf.make_indirect(box)])
        return b""

    path = made(tmp_path / "a.pdf", _off if is_off else lambda pdf: pdf.one, put)

    assert ("Switched" in read(path, tmp_path / "work")) is not is_off


@pytest.mark.parametrize("put_by", ["its own entry", "a mark"])
@pytest.mark.parametrize("is_off", [True, False])
def test_an_image_is_shown_as_its_layer_is(tmp_path: Path, put_by: str, *, is_off: bool) -> None:
    def put(pdf: Layered, membership: Any) -> bytes:
        image = pikepdf.Stream(pdf.pdf, bytes(3 * 90 * 60), Type=Name.XObject, Subtype=Name.Image, Width=90, Height=60)
        image.ColorSpace, image.BitsPerComponent = Name.DeviceRGB, 8
        pdf.page.obj.Resources.XObject["/I"] = image = pdf.pdf.make_indirect(image)
        drawn = b"q 180 0 0 120 50 400 cm /I Do Q\n"
        if put_by == "a mark":
            pdf.page.obj.Resources.Properties["/M"] = membership
            return b"/OC /M BDC " + drawn + b"EMC\n"
        image.OC = membership
        return drawn

    path = made(tmp_path / "a.pdf", _off if is_off else lambda pdf: pdf.one, put)

    assert is_drawn(path, top=300, bottom=380) is not is_off
    assert len(page_of(path, tmp_path / "work").images) == (0 if is_off else 1)


@pytest.mark.parametrize(
    "drawn",
    [b"50 400 180 120 re f", b"50 400 180 120 re B", b"50 400 180 120 re W S", b"BI /W 1 /H 1 /BPC 8 /CS /G ID \0 EI"],
)
def test_nothing_is_drawn_on_a_layer_that_is_off(tmp_path: Path, drawn: bytes) -> None:
    def put(pdf: Layered, membership: Any) -> bytes:
        return SWITCHED.replace(b"EMC", b"q " + drawn + b" Q EMC") if in_content(pdf, membership) else b""

    path = made(tmp_path / "a.pdf", _off, put)
    task = pdfs.a_task(path, tmp_path / "work")

    assert not is_drawn(open_source(task).path(task), top=200, bottom=460)
    assert read(path, tmp_path / "again") == [PROSE, "The end"]


def test_what_a_hidden_part_sets_holds_for_what_comes_after_it(tmp_path: Path) -> None:
    def put(pdf: Layered, membership: Any) -> bytes:
        in_content(pdf, membership)
        hidden = b"/OC /M BDC 20 TL /F1 12 Tf 50 500 Td (Hidden) Tj (below) ' 1 0 (and below) \" EMC (Shown below) '"
        return b"BT " + hidden + b" ET\n"

    path = made(tmp_path / "a.pdf", _off, put)
    (_, shown, _) = page_of(path, tmp_path / "work").lines

    assert shown.text == "Shown below"
    assert shown.box.left == 50
    assert shown.box.bottom == pytest.approx(800 - 440, abs=3)


def test_a_file_that_shows_all_its_layers_stays_as_it_is(tmp_path: Path) -> None:
    path = made(tmp_path / "a.pdf", lambda pdf: pdf.one, in_content)

    assert open_source(pdfs.a_task(path, tmp_path / "work")).copy == ""
