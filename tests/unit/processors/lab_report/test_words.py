"""Words as a reader sees them."""

from pathlib import Path
from typing import Any

import pdfplumber
from tests.unit.processors.lab_report.sheets import moved, words
from tests.unit.processors.pdfs import Draw, make_pdf

from blobforge.processors.lab_report.notation.glyphs import UNREADABLE
from blobforge.processors.lab_report.page.rows import cells_of, rows_of
from blobforge.processors.lab_report.page.words import PositionedWord, settled, words_of


def lines(tmp_path: Path, draw: Draw) -> list[str]:
    with pdfplumber.open(make_pdf(tmp_path / "page.pdf", draw)) as pdf:
        return [row.text for row in rows_of(1, words_of(pdf.pages[0]))]


def test_what_is_printed_twice_is_read_once(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        for shift in (0, 0.3):
            canvas.drawString(72 + shift, 700, "Glucose 5.1 mmol/L")

    assert lines(tmp_path, draw) == ["Glucose 5.1 mmol/L"]


def test_a_watermark_that_lies_askew_is_not_read(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(72, 700, "Glucose 5.1 mmol/L")
        canvas.translate(80, 650)
        canvas.rotate(40)
        canvas.setFont("Helvetica", 40)
        canvas.drawString(0, 0, "SPECIMEN")

    assert lines(tmp_path, draw) == ["Glucose 5.1 mmol/L"]


def test_a_large_word_behind_a_line_is_a_line_of_its_own(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 40)
        canvas.drawString(90, 690, "COPY")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(72, 700, "Glucose 5.1 mmol/L")

    assert "Glucose 5.1 mmol/L" in lines(tmp_path, draw)


def test_a_raised_mark_is_dropped_and_a_power_is_kept(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        for x, y, size, text in (
            (72, 700, 10, "WBC"), (96, 704, 5, "02"), (150, 700, 10, "5.4"),
            (200, 700, 10, "x10"), (216.6, 704, 5, "9"), (219.6, 700, 10, "/L"),
        ):  # fmt: skip
            canvas.setFont("Helvetica", size)
            canvas.drawString(x, y, text)

    assert lines(tmp_path, draw) == ["WBC 5.4 x10⁹/L"]


def test_dots_that_lead_to_a_value_are_no_words(tmp_path: Path) -> None:
    assert lines(tmp_path, lambda canvas: canvas.drawString(72, 700, "Glucose.......... 5.1")) == ["Glucose 5.1"]


def test_dots_that_run_into_a_value_are_no_part_of_it(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(72, 700, "Sodium")
        canvas.drawString(115, 700, "." * 30)
        canvas.drawString(205, 700, "138 mmol/L")

    assert lines(tmp_path, draw) == ["Sodium 138 mmol/L"]


def test_a_letter_without_a_place_is_no_letter() -> None:
    from blobforge.processors.lab_report.page.words import _is_level

    letter = {"object_type": "char", "matrix": (1, 0, 0, 1, 0, 0), "x0": float("nan"), "top": 10.0}

    assert not _is_level(letter)
    assert _is_level({**letter, "x0": 10.0})


def test_an_unreadable_glyph_has_a_sign() -> None:
    from blobforge.processors.lab_report.page.words import _word

    found = {"text": "a(cid:7)b", "x0": 0, "top": 0, "x1": 9, "bottom": 9, "size": 9}

    assert _word(found).text == f"a{UNREADABLE}b"


def test_a_word_in_two_sizes_is_one_word() -> None:
    tokens = [PositionedWord("Hemo", 0, 0, 20, 10, 10), PositionedWord("globin", 20.2, 0.4, 50, 10, 9.6)]

    assert [word.text for word in settled(tokens)] == ["Hemoglobin"]


def test_lines_are_told_apart_by_their_height() -> None:
    """R3-15, R3-26."""
    assert [row.text for row in rows_of(1, words("Glucose   5.1\nSodium   139"))] == ["Glucose 5.1", "Sodium 139"]


def test_small_print_in_a_cell_of_its_own_is_text() -> None:
    line = [
        *words("Холестерин        6,42   ммоль/л", size=12.5),
        *moved(words(" " * 40 + "Норма: < 5,2", size=8.0), 2),
    ]

    (row,) = rows_of(1, line)

    assert row.text.endswith("Норма: < 5,2")


def test_beside_a_headline_there_is_room_for_two_lines() -> None:
    headline = [word._replace(size=20.0, bottom=word.top + 22) for word in words("Laboratory")]
    lines = words(" " * 30 + "Madame LE GUENNEC\n" + " " * 30 + "Née le 22/06/1989", size=9.0)

    rows = rows_of(1, [*headline, *(word._replace(top=word.top * 0.75, bottom=word.top * 0.75 + 9) for word in lines)])

    assert any(row.text.endswith("Née le 22/06/1989") and "GUENNEC" not in row.text for row in rows)


def test_a_line_that_is_spaced_out_to_the_margin_is_one_cell() -> None:
    text = "Пациентка Гаврилова Зинаида Петровна проживает в городе"
    spaced = [word._replace(x0=word.x0 + 9 * place, x1=word.x1 + 9 * place) for place, word in enumerate(words(text))]

    (row,) = rows_of(1, spaced)

    assert len(cells_of(row)) == 1


def test_a_large_number_stays_with_its_unit() -> None:
    number = [word._replace(size=24.0, top=-14.0) for word in words("0.62")]
    unit = words("        ng/mL")
    text = moved(words("PSA and more words in the usual size of this page"), 40)

    assert rows_of(1, [*number, *unit, *text])[0].text == "0.62 ng/mL"


def test_a_unit_in_small_print_is_no_mark(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 17)
        canvas.drawString(72, 700, "214")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(103, 703, "mg/dL")

    assert lines(tmp_path, draw) == ["214 mg/dL"]
