"""A page whose content is damaged in the file is doubtful, or a gap where nothing of it is left."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from tests.unit.processors import damaged_pdfs as damaged
from tests.unit.processors import pdfs

from blobforge.domain.errors import DamagedSource
from blobforge.domain.result_record import record_in
from blobforge.processors.pdf_markdown.content_check import ContentCheck
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.processors.pdf_markdown.stream_decoding import decoded
from blobforge.testing.processor_contract import account_of, converted

TEXT = damaged.text_of_lines("page")


def _accounts(path: Path, folder: Path, **options: Any) -> tuple[dict[int, Any], str]:
    """Of each page, and the doubts that are told of the document."""
    processor = PdfMarkdownProcessor(find_ocr=lambda: None)
    product = converted(processor, pdfs.a_task(path, folder, **options))
    return account_of(product), record_in(product.summary).doubts


def _is_whole(path: Path) -> bool:
    return not ContentCheck(path, pages=1).is_damaged(1)


@pytest.mark.parametrize("engine", ["blobforge", "liteparse"])
@pytest.mark.parametrize("damage", [damaged.cut_in_half, damaged.with_noise])
def test_a_page_with_a_damaged_stream_is_doubtful_and_no_other(
    tmp_path: Path, engine: str, damage: damaged.Damage
) -> None:
    packed = damage(zlib.compress(TEXT, 0))
    book = damaged.written(tmp_path / "book.pdf", (packed, ["/FlateDecode"]), (damaged.flate(TEXT), ["/FlateDecode"]))

    pages, doubts = _accounts(book, tmp_path / "work", engine=engine)

    assert [page["outcome"] for page in pages.values()] == ["text", "text"]
    assert "damaged_content" in pages[1]["warnings"]
    assert pages[1].get("confidence") is None
    assert "damaged in the file" in pages[1]["message"]
    assert not pages[2].get("warnings")
    assert doubts == "doubtful pages: 1 damaged_content"


def test_noise_that_was_packed_with_the_text_is_doubtful(tmp_path: Path) -> None:
    noise = damaged.flate(damaged.with_noise(TEXT))
    book = damaged.written(tmp_path / "book.pdf", (noise, ["/FlateDecode"]), (damaged.flate(TEXT), ["/FlateDecode"]))

    pages, doubts = _accounts(book, tmp_path / "work")

    assert [page["outcome"] for page in pages.values()] == ["text", "text"]
    assert doubts == "doubtful pages: 1 damaged_content"
    assert not pages[2].get("warnings")


def test_a_page_whose_content_is_nowhere_is_a_gap(tmp_path: Path) -> None:
    book = damaged.pointing_nowhere(tmp_path / "book.pdf", with_others=False)

    pages, _ = _accounts(book, tmp_path / "work")

    assert [page["outcome"] for page in pages.values()] == ["failed", "text"]
    assert pages[1]["code"] == DamagedSource.code


def test_a_page_of_whose_contents_one_is_nowhere_is_doubtful(tmp_path: Path) -> None:
    book = damaged.pointing_nowhere(tmp_path / "book.pdf", with_others=True)

    pages, doubts = _accounts(book, tmp_path / "work")

    assert [page["outcome"] for page in pages.values()] == ["text", "text"]
    assert doubts == "doubtful pages: 1 damaged_content"


def test_a_page_that_has_no_content_is_empty_and_no_gap(tmp_path: Path) -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.add_blank_page()
        del pdf.pages[0].obj["/Contents"]
        pdf.save(tmp_path / "book.pdf")

    pages, doubts = _accounts(tmp_path / "book.pdf", tmp_path / "work")

    assert [page["outcome"] for page in pages.values()] == ["empty", "empty"]
    assert doubts == ""


def test_a_form_that_is_drawn_is_looked_into(tmp_path: Path) -> None:
    packed = damaged.flate(TEXT)

    assert _is_whole(damaged.with_form(tmp_path / "good.pdf", packed))
    assert not _is_whole(damaged.with_form(tmp_path / "bad.pdf", damaged.cut_in_half(packed)))


def test_a_form_that_tells_too_short_a_length_is_doubtful(tmp_path: Path) -> None:
    book = damaged.with_form(tmp_path / "book.pdf", damaged.flate(TEXT))

    assert not _is_whole(damaged.with_half_the_length(book))


def test_a_form_that_is_not_drawn_casts_no_doubt(tmp_path: Path) -> None:
    packed = damaged.cut_in_half(damaged.flate(TEXT))

    assert _is_whole(damaged.with_form(tmp_path / "book.pdf", packed, drawn=False))


SOUND_OR_CUT: list[tuple[damaged.Damage, bool]] = [(lambda packed: packed, True), (damaged.cut_in_half, False)]


@pytest.mark.parametrize(("done", "sound"), SOUND_OR_CUT, ids=["sound", "cut"])
def test_a_form_within_a_form_uses_the_names_of_the_outer_one(
    tmp_path: Path, done: damaged.Damage, sound: bool
) -> None:
    book = damaged.with_form(tmp_path / "book.pdf", done(damaged.flate(TEXT)))
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        resources = pdf.pages[0].obj.Resources
        resources.XObject["/Inner"] = resources.XObject["/Outer"].Resources.XObject["/Inner"]
        del resources.XObject["/Outer"]["/Resources"]
        pdf.save(book, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)

    assert _is_whole(book) is sound


@pytest.mark.parametrize(("done", "sound"), SOUND_OR_CUT, ids=["sound", "cut"])
def test_a_form_has_names_of_its_own_however_deep_it_lies(tmp_path: Path, done: damaged.Damage, sound: bool) -> None:
    book = damaged.within_a_form(damaged.with_form(tmp_path / "book.pdf", done(damaged.flate(TEXT))))

    assert _is_whole(book) is sound


def test_a_page_that_draws_what_the_file_does_not_have_is_doubtful(tmp_path: Path) -> None:
    book = damaged.without(damaged.with_form(tmp_path / "book.pdf", damaged.flate(TEXT)), "/Outer")

    pages, doubts = _accounts(book, tmp_path / "work")

    assert pages[1]["outcome"] == "text"
    assert doubts == "doubtful pages: 1 damaged_content"


def test_what_is_neither_a_form_nor_an_image_is_a_damage(tmp_path: Path) -> None:
    book = damaged.with_form(tmp_path / "book.pdf", damaged.flate(TEXT))

    book.write_bytes(book.read_bytes().replace(b"/Subtype /Form", b"/Subtype /Forn"))

    assert not _is_whole(book)


def test_a_page_that_speaks_of_drawing_draws_nothing(tmp_path: Path) -> None:
    told = TEXT.replace(b"says", rb"says: \(/Im1 Do\)")

    assert _is_whole(damaged.written(tmp_path / "book.pdf", (told, [])))


def test_a_stream_whose_end_is_nowhere_is_a_damage(tmp_path: Path) -> None:
    book = damaged.written(tmp_path / "book.pdf", (damaged.flate(TEXT), ["/FlateDecode"]))

    book.write_bytes(book.read_bytes().replace(b"endstream\nendobj", bytes(16)))

    assert not _is_whole(book)


FILTERS: dict[str, tuple[Callable[[bytes], bytes], list[str]]] = {
    "flate": (damaged.flate, ["/FlateDecode"]),
    "lzw": (damaged.lzw, ["/LZWDecode"]),
    "ascii85": (damaged.ascii85, ["/ASCII85Decode"]),
    "hexadecimal": (damaged.hexadecimal, ["/ASCIIHexDecode"]),
    "run lengths": (damaged.run_lengths, ["/RunLengthDecode"]),
    "flate in ascii85": (lambda text: damaged.ascii85(damaged.flate(text)), ["/ASCII85Decode", "/FlateDecode"]),
    "flate in flate": (lambda text: damaged.flate(damaged.flate(text)), ["/FlateDecode", "/FlateDecode"]),
}


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_is_followed_to_its_end(tmp_path: Path, name: str) -> None:
    pack, filters = FILTERS[name]
    text = b"\n".join(damaged.text_of_lines(f"chapter {part}") for part in range(8))
    packed = pack(text)

    good = damaged.written(tmp_path / "good.pdf", (packed, filters))
    bad = damaged.written(tmp_path / "bad.pdf", (damaged.cut_in_half(packed), filters))

    with pikepdf.open(good) as pdf:
        stream = pdf.pages[0].obj.Contents
        assert isinstance(stream, pikepdf.Stream)
        assert decoded(stream) == (text, True)
    assert _is_whole(good)
    assert not _is_whole(bad)


def test_a_filter_that_nobody_knows_is_a_damage(tmp_path: Path) -> None:
    assert not _is_whole(damaged.written(tmp_path / "book.pdf", (TEXT, ["/Nonsense"])))


def test_a_checksum_that_is_left_out_is_none(tmp_path: Path) -> None:
    packed = damaged.flate(TEXT)[:-4]

    assert _is_whole(damaged.written(tmp_path / "book.pdf", (packed, ["/FlateDecode"])))


def test_a_stream_beyond_measure_is_left_to_the_limits_of_the_child(tmp_path: Path) -> None:
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(140)) + packer.flush()

    assert _is_whole(damaged.written(tmp_path / "book.pdf", (packed, ["/FlateDecode"])))


def test_pages_that_the_libraries_count_differently_are_all_doubtful(tmp_path: Path) -> None:
    book = damaged.written(tmp_path / "book.pdf", (TEXT, []))

    check = ContentCheck(book, pages=2)

    assert check.is_damaged(1)
    assert check.is_damaged(2)


def test_a_file_that_qpdf_does_not_open_is_doubtful(tmp_path: Path) -> None:
    (tmp_path / "book.pdf").write_bytes(b"%PDF-1.4 and nothing else")

    assert ContentCheck(tmp_path / "book.pdf", pages=1).is_damaged(1)


def _with_note(path: Path, packed: bytes, *, kind: str = "/FreeText", flags: int = 4, **more: Any) -> Path:
    """A page, and beside its content a note with that appearance."""
    damaged.written(path, (damaged.flate(TEXT), ["/FlateDecode"]))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        look = pdf.make_stream(packed)
        look.Type, look.Subtype, look.Filter = pikepdf.Name.XObject, pikepdf.Name.Form, pikepdf.Name.FlateDecode
        look.BBox, look.Resources = pikepdf.Array([0, 0, 400, 100]), pdf.pages[0].obj.Resources
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name(kind), Rect=pikepdf.Array([50, 50, 450, 150]), F=flags, **more
        )
        note.AP = pikepdf.Dictionary(N=look)
        pdf.pages[0].Annots = pikepdf.Array([pdf.make_indirect(note)])
        fields = [one for one in pdf.pages[0].Annots if one.Subtype == pikepdf.Name.Widget]
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array(fields))
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return path


@pytest.mark.parametrize("kind", ["/FreeText", "/Stamp", "/Widget", "/Line"])
@pytest.mark.parametrize(("done", "sound"), SOUND_OR_CUT, ids=["sound", "cut"])
def test_a_note_beside_the_content_is_looked_at(tmp_path: Path, kind: str, done: damaged.Damage, sound: bool) -> None:
    packed = done(damaged.flate(damaged.text_of_lines("note", 5)))

    pages, _ = _accounts(_with_note(tmp_path / "book.pdf", packed, kind=kind), tmp_path / "work")

    assert pages[1].get("warnings", []) == ([] if sound else ["damaged_content"])


def test_damage_is_seen_beside_a_note_that_is_drawn(tmp_path: Path) -> None:
    book = _with_note(tmp_path / "book.pdf", damaged.with_noise(damaged.flate(TEXT)), kind="/Widget")
    other = _with_note(tmp_path / "other.pdf", damaged.flate(b"BT /F 9 Tf 5 5 Td (Seen) Tj ET"))
    with pikepdf.open(book, allow_overwriting_input=True) as pdf, pikepdf.open(other) as source:
        pdf.pages[0].obj.Annots.append(pdf.copy_foreign(source.pages[0].obj.Annots[0]))
        pdf.save(book, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)

    pages, doubts = _accounts(book, tmp_path / "work")

    assert pages[1]["outcome"] == "text"
    assert doubts == "doubtful pages: 1 damaged_content"


def test_a_note_that_nobody_sees_casts_no_doubt(tmp_path: Path) -> None:
    hidden = 2

    assert _is_whole(_with_note(tmp_path / "book.pdf", damaged.cut_in_half(damaged.flate(TEXT)), flags=hidden))


def test_a_box_that_is_not_ticked_needs_no_look_for_that(tmp_path: Path) -> None:
    book = _with_note(tmp_path / "book.pdf", damaged.flate(TEXT), kind="/Widget", AS=pikepdf.Name.Off)
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        looks = pdf.pages[0].obj.Annots[0].AP
        looks.N = pikepdf.Dictionary(Yes=looks.N)
        pdf.save(book)

    assert _is_whole(book)


def test_a_field_whose_appearance_is_nowhere_is_doubtful(tmp_path: Path) -> None:
    book = _with_note(tmp_path / "book.pdf", damaged.flate(TEXT), kind="/Widget")
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        pdf.pages[0].obj.Annots[0].AP.N = damaged.to_be_lost(pdf)
        pdf.save(book)

    assert not _is_whole(damaged.losing(book))
