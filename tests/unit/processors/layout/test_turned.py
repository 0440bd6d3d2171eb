"""Text and tables that are set on their side."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.processors.layout.made import page
from tests.unit.processors.layout.made_pdfs import PROSE, MadePdf, written

from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines.blobforge import BlobforgeEngine
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage
from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.output.completeness import TEXT_LOST
from blobforge.processors.pdf_markdown.layout.page import passages_of
from blobforge.processors.pdf_markdown.layout.survey.survey import survey_of
from blobforge.processors.pdf_markdown.layout.words.turned import turned_back
from blobforge.testing.processor_contract import nobody

ROWS = (
    ("Station", "Depth", "Remarks"),
    ("North", "12 m", "clear water"),
    ("South", "18 m", "some weed"),
    ("West", "31 m", "swell in spring"),
)
UP = "0 1 -1 0"
LABEL = "Printed on the island for members only"
MIRRORED = b"1 0 0 -1 0 800 cm\n"


def along_the_page() -> bytes:
    """The table, its rows running up the page, with rules above, under its head and below."""
    cells = [
        f"BT /F1 10 Tf {UP} {300 + 16 * row} {100 + 120 * column} Tm ({text}) Tj ET"
        for row, texts in enumerate(ROWS)
        for column, text in enumerate(texts)
    ]
    rules = [f"{x} 98 m {x} 460 l S" for x in (288, 304, 352)]
    return "\n".join([*cells, *rules]).encode()


def mirrored_along_the_page() -> bytes:
    """The same page, drawn as browsers do: from the upper left corner, in a space where down is up."""
    cells = [
        f"BT /F1 10 Tf 0 -1 -1 0 {300 + 16 * row} {700 - 120 * column} Tm ({text}) Tj ET"
        for row, texts in enumerate(ROWS)
        for column, text in enumerate(texts)
    ]
    return b"q " + MIRRORED + "\n".join(cells).encode() + b" Q\n"


def prose(count: int = 4) -> bytes:
    return b"".join(written(PROSE, y=780 - 14 * place, size=11) for place in range(count))


def passages(path: Path) -> list[Passage]:
    read = Source(path, pages=1).page(1)
    return passages_of(read, survey_of([read], count=1))


def tables(found: Sequence[Passage]) -> Iterator[list[list[str]]]:
    return (passage.rows for passage in found if passage.role is PassageRole.TABLE)


@pytest.mark.parametrize("drawn", [along_the_page(), mirrored_along_the_page()], ids=["as it is", "mirrored"])
def test_a_table_along_a_page_with_text_is_a_table(tmp_path: Path, drawn: bytes) -> None:
    found = passages(MadePdf().saved(tmp_path / "a.pdf", prose() + drawn))

    assert list(tables(found)) == [[list(row) for row in ROWS]]
    assert found[0].role is PassageRole.PARAGRAPH


def test_a_table_along_a_page_says_where_it_lies_there(tmp_path: Path) -> None:
    (table,) = (
        passage
        for passage in passages(MadePdf().saved(tmp_path / "a.pdf", prose() + along_the_page()))
        if passage.role is PassageRole.TABLE
    )

    assert (round(table.box.left, -1), round(table.box.right, -1)) == (290, 350)
    assert (round(table.box.top, -1), round(table.box.bottom, -1)) == (400, 700)


def test_a_page_that_is_shown_turned_loses_nothing_at_its_edges(tmp_path: Path) -> None:
    made = MadePdf()
    made.page.obj.Rotate = 90
    path = made.saved(tmp_path / "a.pdf", f"BT /F1 11 Tf {UP} 60 50 Tm ({PROSE * 2}) Tj ET".encode())

    assert [line.text for line in Source(path, pages=1).page(1).lines] == [PROSE * 2]


@pytest.mark.parametrize(
    ("angle", "wanted"),
    [(90, Rectangle(20, 500, 40, 700)), (180, Rectangle(500, 560, 700, 580)), (270, Rectangle(560, 100, 580, 300))],
)
def test_a_place_on_a_turned_page_is_one_on_the_page(angle: int, wanted: Rectangle) -> None:
    turned = page([])._replace(angle=angle, width=800.0, height=600.0)

    assert turned_back(Rectangle(100, 20, 300, 40), turned, on=page([])) == wanted


@pytest.mark.parametrize("space", [b"", MIRRORED], ids=["as it is", "mirrored"])
def test_a_turned_label_in_a_grid_is_in_its_cell(tmp_path: Path, space: bytes) -> None:
    matrix, place = ("0 -1 -1 0", "112 690") if space else (UP, "112 110")
    label = f"q {space.decode()} BT /F1 10 Tf {matrix} {place} Tm (Northern) Tj ET Q\n".encode()
    cells = [("Region", 102, 172), ("Port", 182, 172), ("Harrow", 182, 152), ("Holm", 182, 132), ("Skerry", 182, 112)]
    texts = b"".join(written(text, x=x, y=y, size=10) for text, x, y in cells)
    uprights = [f"{x} 105 m {x} 185 l S" for x in (98, 178, 260)]
    levels = [f"{left} {y} m 260 {y} l S" for left, y in ((98, 105), (178, 125), (178, 145), (98, 165), (98, 185))]
    path = MadePdf().saved(tmp_path / "a.pdf", prose() + label + texts + "\n".join([*uprights, *levels]).encode())

    found = passages(path)

    assert list(tables(found)) == [[["Region", "Port"], ["Northern", "Harrow"], ["", "Holm"], ["", "Skerry"]]]
    assert [passage.text for passage in found if "Northern" in passage.text] == []


def slanted(text: str, *, count: int = 1, angle: float = 45.0, x: float = 100.0, y: float = 300.0) -> bytes:
    """Lines at an angle, one below the other."""
    across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    matrix = f"{across:.4f} {up:.4f} {-up:.4f} {across:.4f}"
    lines = [
        f"BT /F1 11 Tf {matrix} {x + 14 * place * up:.2f} {y - 14 * place * across:.2f} Tm ({text}{place}) Tj ET"
        for place in range(count)
    ]
    return "\n".join(lines).encode()


def read(path: Path) -> EnginePage:
    engine = BlobforgeEngine()
    document = Document(path=path, pages=1, survey={})
    document = replace(document, survey=engine.survey(document))
    (found,) = engine.read(document, Slice(1, 1), nobody)
    return found


def warnings_of(found: EnginePage) -> tuple[str, ...]:
    assert found.quality is not None
    return found.quality.warnings


def test_a_label_on_its_side_is_text_where_it_is_much_of_what_the_page_says(tmp_path: Path) -> None:
    label = f"BT /F1 10 Tf {UP} 20 200 Tm ({LABEL}) Tj ET".encode()

    little = read(MadePdf().saved(tmp_path / "little.pdf", prose() + label))
    much = read(MadePdf().saved(tmp_path / "much.pdf", prose(count=40) + label))

    assert little.markdown.rstrip().endswith(LABEL)
    assert [roles_of(little, LABEL), roles_of(much, LABEL)] == [[PassageRole.PARAGRAPH], [PassageRole.ASIDE]]
    assert [warnings_of(little), warnings_of(much)] == [(), ()]


def roles_of(found: EnginePage, text: str) -> list[PassageRole]:
    return [passage.role for passage in found.passages or () if passage.plain == text]


@pytest.mark.parametrize("angle", [3.0, 8.0, 30.0, 45.0, 84.0, 200.0])
def test_a_page_that_was_set_at_an_angle_is_read(tmp_path: Path, angle: float) -> None:
    middle = math.radians(angle)
    x, y = 300 - 200 * math.cos(middle), 400 - 200 * math.sin(middle)

    found = read(MadePdf().saved(tmp_path / "a.pdf", slanted(PROSE, count=3, angle=angle, x=x, y=y)))

    assert found.markdown == f"{PROSE}0 {PROSE}1 {PROSE}2"
    assert warnings_of(found) == ()


def test_a_paragraph_at_an_angle_beside_others_is_read_last_and_has_its_place(tmp_path: Path) -> None:
    found = read(MadePdf().saved(tmp_path / "a.pdf", prose() + slanted(PROSE, count=3, angle=12, x=60, y=300)))

    assert found.markdown.endswith(f"{PROSE}0 {PROSE}1 {PROSE}2")
    assert warnings_of(found) == ()
    assert found.passages is not None
    box = found.passages[-1].box
    assert [round(edge, -1) for edge in box] == [60, 420, 420, 530]


def along_a_curve(text: str) -> bytes:
    """Each letter at an angle of its own."""
    letters = [slanted(letter, angle=4.0 * place, x=60 + 9 * place) for place, letter in enumerate(text, start=1)]
    return b"\n".join(letter.replace(b"0) Tj", b") Tj") for letter in letters)


def test_letters_along_a_curve_are_lost(tmp_path: Path) -> None:
    lost = read(MadePdf().saved(tmp_path / "lost.pdf", prose(count=3) + along_a_curve(PROSE[:30])))
    few = read(MadePdf().saved(tmp_path / "few.pdf", prose(count=40) + along_a_curve("Draft")))

    assert warnings_of(lost) == (TEXT_LOST,)
    assert warnings_of(few) == ()


def test_words_at_several_angles_are_read(tmp_path: Path) -> None:
    several = slanted(PROSE, count=4) + slanted(PROSE, count=2, angle=20, y=100)

    found = read(MadePdf().saved(tmp_path / "a.pdf", prose() + several))

    assert found.markdown.endswith(f"{PROSE}0 {PROSE}1")
    assert warnings_of(found) == ()


def test_letters_of_a_negative_size_that_are_turned_back_are_ordinary_ones(tmp_path: Path) -> None:
    """They look like all others."""
    turned_back = "\n".join(
        f"BT /F1 -11 Tf -1 0 0 -1 72 {600 - 14 * place} Tm ({text}) Tj ET"
        for place, text in enumerate(["The keeper of the northern", "lighthouse wrote a journal"])
    )

    alone = read(MadePdf().saved(tmp_path / "alone.pdf", turned_back.encode()))
    beside = read(MadePdf().saved(tmp_path / "beside.pdf", written(PROSE, y=780, size=11) + turned_back.encode()))

    assert alone.markdown.strip() == "The keeper of the northern lighthouse wrote a journal"
    assert "The keeper of the northern lighthouse wrote a journal" in beside.markdown
