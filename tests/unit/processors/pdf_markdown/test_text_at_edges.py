"""What stands at the edges of pages and nowhere else in the document is told, though it looks as if it ran along."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.processors.pdf_markdown.whole_documents import Draw, converted
from tests.unit.processors.pdfs import HEIGHT


def invoice(number: int, *, left: int, base: float, label: str = "INVOICE") -> Draw:
    """The number stands right of the label, `base` below the edge of the page."""

    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 12)
        canvas.drawString(60, HEIGHT - base, label)
        canvas.drawString(left, HEIGHT - base, str(number))
        canvas.setFont("Helvetica", 10)
        canvas.drawString(60, HEIGHT - 120, f"Customer of the {number * 7}th day")
        for row in range(8):
            canvas.drawString(60, HEIGHT - 200 - 20 * row, f"Hours of work, part {row + number}")
            canvas.drawString(420, HEIGHT - 200 - 20 * row, f"{number / 7 + row:.2f}")

    return draw


@pytest.mark.parametrize("numbers", [(1041, 1042), (417, 418, 419, 420), (1041, 1041, 1042, 1042)])
@pytest.mark.parametrize("base", [40, HEIGHT - 40], ids=["head", "foot"])
@pytest.mark.parametrize("label", ["INVOICE", "Tax invoice", "Muster Installation GmbH"])
def test_the_numbers_of_invoices_that_were_put_together_are_told(
    tmp_path: Path, numbers: tuple[int, ...], base: float, label: str
) -> None:
    found = converted(tmp_path / "a.pdf", *(invoice(each, left=480, base=base, label=label) for each in numbers))

    assert sorted({line for line in found.splitlines() if line.isdigit()}) == sorted({str(each) for each in numbers})
    assert label in found


def test_the_number_of_an_invoice_is_told_though_a_price_is_the_same(tmp_path: Path) -> None:
    def priced(number: int) -> Draw:
        def draw(canvas: Any) -> None:
            invoice(number, left=480, base=40)(canvas)
            canvas.drawString(60, 300, "We owe you 417 and 418 crowns.")

        return draw

    found = converted(tmp_path / "a.pdf", priced(417), priced(418))

    assert [line for line in found.splitlines() if line.isdigit()] == ["417", "418"]


def test_the_number_below_a_label_is_told(tmp_path: Path) -> None:
    def receipt(number: int) -> Draw:
        def draw(canvas: Any) -> None:
            canvas.setFont("Helvetica", 11)
            canvas.drawString(480, HEIGHT - 30, "Receipt")
            canvas.drawString(480, HEIGHT - 44, str(number))
            canvas.drawString(60, HEIGHT - 120, f"Customer of the {number * 7}th day paid what is said below.")

        return draw

    found = converted(tmp_path / "a.pdf", *(receipt(number) for number in range(3001, 3005)))

    assert [number for number in range(3001, 3005) if str(number) in found.split()] == [3001, 3002, 3003, 3004]


@pytest.mark.parametrize(("first", "is_mirrored"), [(1, False), (5, False), (117, True), (1041, True)], ids=str)
def test_the_numbers_of_pages_are_not_told(tmp_path: Path, first: int, is_mirrored: bool) -> None:
    def numbered(number: int) -> Draw:
        def draw(canvas: Any) -> None:
            canvas.setFont("Helvetica", 11)
            canvas.drawString(60 if is_mirrored and number % 2 == 0 else 480, 40, str(number))
            for row in range(6):
                canvas.drawString(60, HEIGHT - 120 - 14 * row, f"Line {row} of a text of place {number * 7} in full.")

        return draw

    found = converted(tmp_path / "a.pdf", *(numbered(first + place) for place in range(4)))

    assert [line for line in found.splitlines() if line.isdigit()] == []
