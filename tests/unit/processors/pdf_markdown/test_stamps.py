"""A few words at another angle than the text are told once, after their page, unless the document says them itself."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.processors.pdf_markdown.whole_documents import Draw, converted
from tests.unit.processors.pdfs import HEIGHT

STAMP = "PAID 12 MAY 2026"
LINES = 46


def stamped(*stamps: tuple[str, float], page: int = 1, place: tuple[float, float] = (300, 420)) -> Draw:
    """A page full of text, with words at these angles."""

    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 11)
        for line in range(LINES):
            said = f"Line {line * 31 + page} of a text that fills its page and goes on to say what nobody asked."
            canvas.drawString(60, HEIGHT - 60 - 15 * line, said)
        for number, (text, angle) in enumerate(stamps):
            canvas.saveState()
            canvas.translate(place[0], place[1] - 120 * number)
            canvas.rotate(angle)
            canvas.setFont("Helvetica-Bold", 16)
            canvas.drawString(0, 0, text)
            canvas.restoreState()

    return draw


def after_text(markdown: str) -> list[str]:
    return [block.strip("*") for block in markdown.split("\n\n") if not block.startswith("Line")]


@pytest.mark.parametrize("angle", [12.0, 45.0, 90.0, 180.0, 270.0, -35.0])
def test_a_stamp_at_any_angle_is_told_after_its_page(tmp_path: Path, angle: float) -> None:
    found = converted(tmp_path / "a.pdf", stamped((STAMP, angle)), stamped(page=2))

    assert after_text(found) == [STAMP]
    assert found.index(STAMP) < found.index("Line 2 of")


def test_stamps_at_several_angles_are_each_told(tmp_path: Path) -> None:
    found = converted(tmp_path / "a.pdf", stamped((STAMP, 90), ("Received by M. Smith", 12), ("Copy", -35)))

    assert sorted(after_text(found)) == ["Copy", STAMP, "Received by M. Smith"]


@pytest.mark.parametrize("angle", [45.0, 90.0])
def test_a_watermark_on_each_page_is_told_once(tmp_path: Path, angle: float) -> None:
    found = converted(tmp_path / "a.pdf", *(stamped(("DRAFT COPY", angle), page=page) for page in (1, 2, 3)))

    assert after_text(found) == ["DRAFT COPY"]


@pytest.mark.parametrize("angle", [45.0, 90.0])
def test_a_stamp_with_the_words_of_the_text_is_not_told_again(tmp_path: Path, angle: float) -> None:
    found = converted(tmp_path / "a.pdf", stamped(("What nobody asked", angle)))

    assert after_text(found) == []


def test_a_mirrored_watermark_is_read_from_its_first_letter(tmp_path: Path) -> None:
    """As browsers draw it: from the upper left corner, in a space where down is up."""

    def mirrored(canvas: Any) -> None:
        canvas.transform(1, 0, 0, -1, 0, HEIGHT)
        canvas.setFont("Helvetica", 11)
        for line in range(LINES):
            canvas.saveState()
            canvas.transform(1, 0, 0, -1, 60, 60 + 15 * line)
            canvas.drawString(0, 0, f"Line {line} of a text that fills its page and goes on to say what nobody asked.")
            canvas.restoreState()
        canvas.translate(150, 500)
        canvas.rotate(-35)
        canvas.scale(1, -1)
        canvas.setFont("Helvetica", 60)
        canvas.drawString(0, 0, "DRAFT COPY")

    assert after_text(converted(tmp_path / "a.pdf", mirrored)) == ["DRAFT COPY"]
