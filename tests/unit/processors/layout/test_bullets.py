"""Bullets of ReportLab, which pdf-oxide keeps to itself."""

from pathlib import Path

from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import ListFlowable, Paragraph, SimpleDocTemplate

from blobforge.processors.pdf_markdown.layout.drawn.bullets import may_have_lost_bullets
from blobforge.processors.pdf_markdown.layout.drawn.extract import Source


def listed(path: Path) -> Path:
    style = getSampleStyleSheet()["Normal"]
    items = [Paragraph(f"The {word} item of the list", style) for word in ("first", "second", "third")]
    # The code that ReportLab itself writes for a bullet in the standard fonts.
    SimpleDocTemplate(str(path)).build([ListFlowable(items, bulletType="bullet", start="\u2022")])
    return path


def test_bullets_of_reportlab_are_found(tmp_path: Path) -> None:
    page = Source(listed(tmp_path / "list.pdf"), pages=1).page(1)

    bullets = [line for line in page.lines if line.text == "•"]
    items = [line for line in page.lines if "item" in line.text]
    assert len(bullets) == 3
    for bullet, item in zip(bullets, items, strict=True):
        assert abs(bullet.base - item.base) < item.size / 2
        assert bullet.left < item.left


def test_only_a_document_of_reportlab_is_asked_for_them(tmp_path: Path) -> None:
    other = tmp_path / "other.pdf"
    other.write_bytes(b"%PDF-1.7\n" + b"x" * 100_000)

    assert may_have_lost_bullets(listed(tmp_path / "list.pdf"))
    assert not may_have_lost_bullets(other)
    assert not may_have_lost_bullets(tmp_path / "absent.pdf")
