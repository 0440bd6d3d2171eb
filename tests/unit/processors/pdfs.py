"""PDFs for tests, each made by the test that needs it."""

import hashlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pikepdf
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from blobforge.domain.ids import SourceHash
from blobforge.domain.json_value import JsonObject
from blobforge.ports.processor import Task

WIDTH, HEIGHT = 595.0, 842.0

PROSE = (
    "The quick brown fox jumps over the lazy dog while seven wizards quietly brew",
    "a potion near the old stone bridge, and nobody in the village takes notice.",
)

Draw = Callable[[Any], object]
"""Draws on a reportlab canvas."""


def make_pdf(path: Path, *pages: Draw, title: str = "", size: tuple[float, float] = (WIDTH, HEIGHT)) -> Path:
    """One page a drawing, the same bytes each time."""
    canvas = Canvas(str(path), pagesize=size, invariant=True)
    if title:
        canvas.setTitle(title)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return path


def prose(heading: str) -> Draw:
    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(72, 760, heading)
        canvas.setFont("Helvetica", 11)
        for place, line in enumerate(PROSE):
            canvas.drawString(72, 700 - 15 * place, line)

    return draw


def words(text: str) -> Draw:
    return lambda canvas: canvas.drawString(72, 400, text)


def nothing(_canvas: Any) -> None:
    """An empty page."""


def scan(lines: Sequence[str], *, dpi: int = 200, stamp: str = "") -> Draw:
    """A page that is one image of text."""

    def draw(canvas: Any) -> None:
        image = picture_of_text(lines, dpi=dpi)
        canvas.drawImage(ImageReader(image), 0, 0, WIDTH, HEIGHT)
        if stamp:
            canvas.drawString(20, 20, stamp)

    return draw


def picture_of_text(lines: Sequence[str], *, dpi: int) -> Image.Image:
    import pypdfium2

    content = io.BytesIO()
    canvas = Canvas(content, pagesize=(WIDTH, HEIGHT), invariant=True)
    canvas.setFont("Helvetica", 14)
    for place, line in enumerate(lines):
        canvas.drawString(72, 740 - 20 * place, line)
    canvas.showPage()
    canvas.save()
    with pypdfium2.PdfDocument(content.getvalue()) as document:
        image: Image.Image = document[0].render(scale=dpi / 72).to_pil()
    return image


def shades(width: int = 90, height: int = 60, *, step: int = 1) -> Image.Image:
    """A picture that differs with `step`."""
    return Image.frombytes("RGB", (width, height), bytes(step * place % 251 for place in range(width * height * 3)))


def encoded(image: Image.Image, kind: str) -> bytes:
    content = io.BytesIO()
    image.save(content, kind)
    return content.getvalue()


def with_picture(text: str, image: Image.Image | bytes, *, box: tuple[float, float, float, float]) -> Draw:
    """Prose with an image below it; bytes are embedded as they are."""

    def draw(canvas: Any) -> None:
        prose(text)(canvas)
        source: Any = ImageReader(io.BytesIO(image) if isinstance(image, bytes) else image)
        canvas.drawImage(source, *box)

    return draw


def encrypted(source: Path, target: Path, *, user: str) -> Path:
    with pikepdf.open(source) as pdf:
        pdf.save(target, encryption=pikepdf.Encryption(user=user, owner="the owner", R=6))
    return target


def a_task(source: Path, workspace: Path, *, name: str = "book.pdf", **options: Any) -> Task:
    workspace.mkdir(parents=True, exist_ok=True)
    chosen: JsonObject = options
    content = source.read_bytes() if source.exists() else b""
    return Task(
        source=source,
        source_name=name,
        source_hash=SourceHash(hashlib.sha256(content).hexdigest()),
        workspace=workspace,
        options=chosen,
    )
