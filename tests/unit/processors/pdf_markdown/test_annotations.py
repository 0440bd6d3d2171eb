"""Text beside the content of a page: what a reader sees of it is read, and the rest of the file stays as it was."""

from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name
from tests.unit.processors import damaged_pdfs, pdfs

from blobforge.processors.pdf_markdown.annotations import draw_annotations
from blobforge.processors.pdf_markdown.layout.drawn import extract
from blobforge.processors.pdf_markdown.source_file import SourceFile, open_source

HIDDEN = 2
NOT_ON_SCREEN = 32
PASSWORD = 1 << 13
RADIO, PUSH_BUTTON = 1 << 15, 1 << 16
RECT = (72, 300, 320, 320)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("The content"))


def appearance(pdf: pikepdf.Pdf, content: str) -> pikepdf.Stream:
    stream = pdf.make_stream(content.encode())
    stream.Type, stream.Subtype, stream.BBox = Name.XObject, Name.Form, Array([0, 0, 248, 20])
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    stream.Resources = Dictionary(Font=Dictionary(F1=font))
    return stream


def saying(pdf: pikepdf.Pdf, text: str) -> Dictionary:
    return Dictionary(N=appearance(pdf, f"BT /F1 12 Tf 2 5 Td ({text}) Tj ET"))


def annotated(path: Path, *annotations: Any, needs_appearances: bool = False) -> Path:
    """Each is made from the document that it becomes part of."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        made = [pdf.make_indirect(make(pdf)) for make in annotations]
        pdf.pages[0].Annots = Array(made)
        fields = [one for one in made if one.Subtype == Name.Widget]
        pdf.Root.AcroForm = Dictionary(Fields=Array(fields), NeedAppearances=needs_appearances)
        pdf.save(path)
    return path


def an_annotation(text: str, subtype: str = "/FreeText", **more: Any) -> Any:
    return lambda pdf: Dictionary(
        Type=Name.Annot, Subtype=Name(subtype), Rect=Array(RECT), AP=saying(pdf, text), **more
    )


def a_field(value: Any, *, shown: str | None = None, kind: str = "/Tx", **more: Any) -> Any:
    def made(pdf: pikepdf.Pdf) -> Dictionary:
        field = Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name(kind), T="field", V=value, Rect=Array(RECT))
        for name, setting in more.items():
            field[f"/{name}"] = setting
        if shown is not None:
            field.AP = saying(pdf, shown)
        return field

    return made


def read(path: Path, tmp_path: Path) -> str:
    task = pdfs.a_task(path, tmp_path / "work")
    return text_of(open_source(task).path(task))


def text_of(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as document:
        return "".join(page.get_textpage().get_text_bounded() for page in document)


@pytest.mark.parametrize("subtype", ["/FreeText", "/Stamp", "/Watermark", "/Widget"])
def test_what_an_annotation_shows_is_read(subtype: str, book: Path, tmp_path: Path) -> None:
    text = read(annotated(book, an_annotation("Approved by Ada", subtype)), tmp_path)

    assert "The content" in text
    assert "Approved by Ada" in text


@pytest.mark.parametrize("subtype", ["/FreeText", "/Stamp", "/Widget"])
def test_a_short_note_on_a_full_page_is_read_by_the_engine(subtype: str, tmp_path: Path) -> None:
    def full(canvas: Any) -> None:
        canvas.setFont("Helvetica", 8)
        for row in range(50):
            canvas.drawString(
                72, 760 - 8.5 * row, f"Row {row} of a page that has far more letters than the note upon it"
            )

    book = annotated(pdfs.make_pdf(tmp_path / "book.pdf", full), an_annotation("Approved", subtype))
    task = pdfs.a_task(book, tmp_path / "work")

    page = extract.Source(open_source(task).path(task), pages=1).page(1)

    assert [line.text for line in page.lines].count("Approved") == 1


@pytest.mark.parametrize("subtype", ["/Line", "/PolyLine", "/Polygon", "/Redact"])
def test_the_caption_of_a_line_and_what_is_written_over_a_redaction_are_read(
    subtype: str, book: Path, tmp_path: Path
) -> None:
    annotated(book, an_annotation("12.5 mm", subtype))

    assert read(book, tmp_path).split() == ["The", "content", "12.5", "mm"]


def test_a_line_without_a_caption_is_a_mark_upon_the_page(book: Path, tmp_path: Path) -> None:
    def line(pdf: pikepdf.Pdf) -> Dictionary:
        look = appearance(pdf, "0 0 m 248 20 l S /X Do")
        return Dictionary(Type=Name.Annot, Subtype=Name.Line, Rect=Array(RECT), AP=Dictionary(N=look))

    task = pdfs.a_task(annotated(book, line), tmp_path / "work")

    assert open_source(task).copy == ""


def a_line(*, top: float, **more: Any) -> Any:
    place = Array([72, 300, 320, top])
    return lambda _pdf: Dictionary(Type=Name.Annot, Subtype=Name.Line, Rect=place, L=Array([72, 300, 320, 300]), **more)


@pytest.mark.parametrize("top", [300, 301, 320])
def test_a_caption_that_the_viewer_shall_draw_is_read(top: float, book: Path, tmp_path: Path) -> None:
    annotated(book, a_line(top=top, Cap=True, Contents="To the quarry"))

    assert "To the quarry" in read(book, tmp_path)


def test_what_somebody_says_of_a_line_is_no_caption(book: Path, tmp_path: Path) -> None:
    annotated(book, a_line(top=320, Contents="Is that right?"), a_text_box("Seen"))

    found = read(book, tmp_path)

    assert "Is that right?" not in found
    assert "Seen" in found


@pytest.mark.parametrize("flags", [HIDDEN, NOT_ON_SCREEN])
def test_what_is_not_shown_is_not_read(flags: int, book: Path, tmp_path: Path) -> None:
    text = read(annotated(book, an_annotation("Seen"), an_annotation("A secret", F=flags)), tmp_path)

    assert "Seen" in text
    assert "A secret" not in text


def test_links_stay_links(book: Path, tmp_path: Path) -> None:
    def link(_pdf: pikepdf.Pdf) -> Dictionary:
        action = Dictionary(S=Name.URI, URI="https://example.org/")
        return Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array(RECT), A=action)

    task = pdfs.a_task(annotated(book, link, an_annotation("A note")), tmp_path / "work")

    with pikepdf.open(open_source(task).path(task)) as pdf:
        assert [str(one.Subtype) for one in pdf.pages[0].Annots] == ["/Link"]


def test_a_page_with_links_alone_is_used_where_it_lies(book: Path, tmp_path: Path) -> None:
    task = pdfs.a_task(annotated(book, an_annotation("", "/Link")), tmp_path / "work")

    assert open_source(task) == SourceFile(copy="", pages=1)


def test_a_file_with_annotations_is_not_called_repaired(book: Path, tmp_path: Path) -> None:
    source = open_source(pdfs.a_task(annotated(book, an_annotation("A note")), tmp_path / "work"))

    assert source.copy
    assert not source.repaired


def a_box(state: str | None, *, flags: int = 0, rect: Any = RECT, **more: Any) -> Any:
    """Its tick is a sign of the font that forms have for that."""

    def made(pdf: pikepdf.Pdf) -> Dictionary:
        looks = Dictionary(Yes=appearance(pdf, "BT /F1 12 Tf 2 5 Td (4) Tj ET"), Off=appearance(pdf, "0 0 20 20 re s"))
        looks.Yes.Resources.Font.F1.BaseFont = Name.ZapfDingbats
        box = Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Btn, T="box", AP=Dictionary(N=looks), **more)
        box.Ff, box.Rect = flags, Array(rect)
        if state is not None:
            box.AS = Name(state)
        return box

    return made


@pytest.mark.parametrize(
    ("box", "sign"),
    [
        (a_box("/Yes"), "☑"),
        (a_box("/Off"), "☐"),
        (a_box("/Yes", flags=RADIO), "☑"),
        (a_box(None), "☐"),
        (a_box(None, V=Name.Yes), "☑"),
    ],
    ids=["ticked", "open", "radio", "no state", "value"],
)
def test_a_box_tells_whether_it_is_ticked(box: Any, sign: str, book: Path, tmp_path: Path) -> None:
    text = read(annotated(book, box), tmp_path)

    assert [found for found in text if found in "☐☑"] == [sign]
    assert "4" not in text


@pytest.mark.parametrize("nothing", [a_box("/Off", flags=PUSH_BUTTON), a_box("/Off", rect=(72, 300, 72, 300))])
def test_what_is_no_box_has_no_tick(nothing: Any, book: Path, tmp_path: Path) -> None:
    assert "☐" not in read(annotated(book, nothing), tmp_path)


@pytest.mark.parametrize("value", ["Ada Lovelace", "Žižek", "λόγος", "日本語", "日", "💶 and ∑"])
@pytest.mark.parametrize("shown", [None, "Enter your name"])
def test_a_value_that_the_viewer_shall_draw_is_read(value: str, shown: str | None, book: Path, tmp_path: Path) -> None:
    text = read(annotated(book, a_field(value, shown=shown), needs_appearances=True), tmp_path)

    assert value in text
    assert "Enter" not in text, "it is older than the value"


def test_a_value_without_an_appearance_is_read(book: Path, tmp_path: Path) -> None:
    assert "Ada Lovelace" in read(annotated(book, a_field("Ada Lovelace")), tmp_path)


def test_an_appearance_that_the_file_vouches_for_is_read_as_it_is(book: Path, tmp_path: Path) -> None:
    text = read(annotated(book, a_field("1815-12-10", shown="10 December 1815")), tmp_path)

    assert "10 December 1815" in text
    assert "1815-12-10" not in text


def a_text_box(text: Any, **more: Any) -> Any:
    """As programs write it that leave the drawing to the viewer."""
    return lambda pdf: Dictionary(
        Type=Name.Annot, Subtype=Name.FreeText, Rect=Array(RECT), Contents=text, DA="/Helv 14 Tf 0 g", **more
    )


@pytest.mark.parametrize("text", ["Approved by Ada", "λόγος und 日本語"])
def test_a_text_box_without_an_appearance_is_read(text: str, book: Path, tmp_path: Path) -> None:
    read_text = read(annotated(book, a_text_box(text)), tmp_path)

    assert "The content" in read_text
    assert text in read_text


def test_a_text_box_is_read_as_it_looks(book: Path, tmp_path: Path) -> None:
    text = read(annotated(book, an_annotation("as it looks", Contents="as it was")), tmp_path)

    assert "as it looks" in text
    assert "as it was" not in text


@pytest.mark.parametrize("flags", [HIDDEN, NOT_ON_SCREEN])
def test_a_hidden_text_box_is_not_read(flags: int, book: Path, tmp_path: Path) -> None:
    assert "secret" not in read(annotated(book, a_text_box("secret", F=flags)), tmp_path)


@pytest.mark.parametrize("broken", [{"Rect": Array([1])}, {"Contents": 7}, {"Contents": ""}, {"DA": 7}])
def test_a_broken_text_box_keeps_nobody_from_the_rest(broken: dict[str, Any], book: Path, tmp_path: Path) -> None:
    def box(pdf: pikepdf.Pdf) -> Dictionary:
        made: Dictionary = a_text_box("Broken")(pdf)
        for name, value in broken.items():
            made[f"/{name}"] = value
        return made

    text = read(annotated(book, box, a_text_box("Sound")), tmp_path)

    assert "The content" in text
    assert "Sound" in text


@pytest.mark.parametrize("content", ["14 TL (Approved) '", '14 TL 0 0 (Approved) "'])
def test_every_way_to_show_text_is_known(content: str, book: Path, tmp_path: Path) -> None:
    def stamp(pdf: pikepdf.Pdf) -> Dictionary:
        looks = Dictionary(N=appearance(pdf, f"BT /F1 12 Tf 2 19 Td {content} ET"))
        return Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=Array(RECT), AP=looks)

    assert "Approved" in read(annotated(book, stamp), tmp_path)


def test_a_long_value_is_read_whole(book: Path, tmp_path: Path) -> None:
    value = " ".join(f"word{number}" for number in range(60))

    text = read(annotated(book, a_field(f"First line\r{value}"), needs_appearances=True), tmp_path)

    assert text.split()[2:] == f"First line {value}".split()


def test_a_choice_is_read_as_it_is_shown(book: Path, tmp_path: Path) -> None:
    options = Array([Array(["de", "Germany"]), Array(["fr", "France"])])

    text = read(annotated(book, a_field("fr", kind="/Ch", Opt=options), needs_appearances=True), tmp_path)

    assert "France" in text
    assert "Germany" not in text


def test_a_password_is_not_read(book: Path, tmp_path: Path) -> None:
    text = read(annotated(book, a_field("hunter2", Ff=PASSWORD), a_field("Ada"), needs_appearances=True), tmp_path)

    assert "hunter2" not in text
    assert "Ada" in text


def test_a_field_may_have_its_value_from_its_parent(book: Path, tmp_path: Path) -> None:
    def child(pdf: pikepdf.Pdf) -> Dictionary:
        parent = pdf.make_indirect(Dictionary(FT=Name.Tx, T="name", V="Ada Lovelace"))
        return Dictionary(Type=Name.Annot, Subtype=Name.Widget, Rect=Array(RECT), Parent=parent)

    assert "Ada Lovelace" in read(annotated(book, child, needs_appearances=True), tmp_path)


def test_fields_that_are_their_own_parents_end(book: Path, tmp_path: Path) -> None:
    def circle(pdf: pikepdf.Pdf) -> Dictionary:
        parent = pdf.make_indirect(Dictionary(T="name"))
        parent.Parent = parent
        return Dictionary(Type=Name.Annot, Subtype=Name.Widget, Rect=Array(RECT), Parent=parent)

    assert "Ada" in read(annotated(book, circle, a_field("Ada"), needs_appearances=True), tmp_path)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param({"Rect": Name.Nowhere}, id="no rectangle"),
        pytest.param({"Rect": Array([1, 2])}, id="half a rectangle"),
        pytest.param({"Ff": "flags"}, id="flags that are text"),
        pytest.param({"F": "flags"}, id="other flags that are text"),
        pytest.param({"AP": Name.Nothing}, id="an appearance that is a name"),
    ],
)
def test_a_broken_field_keeps_nobody_from_the_rest(broken: dict[str, Any], book: Path, tmp_path: Path) -> None:
    path = annotated(book, a_field("Broken", **broken), a_field("Sound"), needs_appearances=True)

    text = read(path, tmp_path)

    assert "The content" in text
    assert "Sound" in text


def test_annotations_that_are_no_list_keep_nobody_from_the_page(book: Path, tmp_path: Path) -> None:
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        pdf.pages[0].obj.Annots = Name.Nonsense
        pdf.save(book)

    assert "The content" in read(book, tmp_path)


def test_a_locked_file_has_its_annotations_too(book: Path, tmp_path: Path) -> None:
    locked = pdfs.encrypted(annotated(book, an_annotation("A note")), tmp_path / "locked.pdf", user="")

    assert "A note" in read(locked, tmp_path)


def test_an_annotation_that_is_named_very_often_is_drawn_once(tmp_path: Path, book: Path) -> None:
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        box = Dictionary(Type=Name.Annot, Subtype=Name.FreeText, Contents="once", Rect=Array(list(RECT)))
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(box)] * 20_001)
        assert draw_annotations(pdf)
        pdf.save(tmp_path / "drawn.pdf")

    assert [line.text for line in extract.Source(tmp_path / "drawn.pdf", pages=1).page(1).lines] == [
        "The content",
        "once",
    ]


def test_a_field_whose_font_is_nowhere_keeps_nobody_from_the_rest(book: Path, tmp_path: Path) -> None:
    annotated(book, a_field("Ada", shown="Ada"), a_field("Berlin", shown="Berlin"))
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        pdf.pages[0].obj.Annots[0].AP.N.Resources.Font.F1 = damaged_pdfs.to_be_lost(pdf)
        pdf.save(book)

    text = read(damaged_pdfs.losing(book), tmp_path)

    assert ("The content" in text, "Berlin" in text) == (True, True)
