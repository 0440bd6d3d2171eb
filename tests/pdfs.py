"""Whole documents for tests, good ones and bad ones, as files with a name.

They are an hour old, as documents are: what is written and converted in the same instant is a case of its own.
"""

import os
import time
import zlib
from pathlib import Path
from typing import Any

import pikepdf
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from tests.unit.processors.pdfs import PROSE, encrypted, make_pdf, prose, scan, shades, with_picture

LINES = ["It was a bright cold day in April,", "and the clocks were striking thirteen."]


def text_pdf(path: Path, *headings: str) -> Path:
    """A page of prose for each heading; the name of the file, where none is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return aged(make_pdf(path, *(prose(heading) for heading in headings or (path.stem,))))


def picture_pdf(path: Path, *, step: int = 1, pages: int = 1) -> Path:
    """Prose and one picture a page, which differs with `step`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    page = with_picture("With a picture", shades(step=step), box=(72, 300, 300, 200))
    return aged(make_pdf(path, *[page] * pages))


def scanned_pdf(path: Path, *, pages: int = 1, text_first: bool = False) -> Path:
    """Pages that are images of text; perhaps behind a page of prose."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scans = [scan([f"{path.stem}, page {number}", *LINES]) for number in range(1, pages + 1)]
    return aged(make_pdf(path, *([prose("Before the scan")] if text_first else []), *scans))


def coded_pdf(path: Path) -> Path:
    """A page of prose in a font that numbers its letters, and does not tell which number is which letter."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pdfmetrics.registerFont(TTFont("Coded", "Vera.ttf", asciiReadable=False))

    def draw(canvas: Any) -> None:
        canvas.setFont("Coded", 12)
        # Beside the page: they take the first numbers, which stand for nothing.
        canvas.drawString(50, -100, "".join(map(chr, range(0xC0, 0xFF))))
        for place, line in enumerate(PROSE * 3):
            canvas.drawString(50, 700 - 20 * place, line)

    make_pdf(path, draw)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for font in (each for each in pdf.objects if isinstance(each, pikepdf.Dictionary) and "/ToUnicode" in each):
            del font.ToUnicode
        pdf.save(path)
    return aged(path)


def locked_pdf(path: Path, *, password: str) -> Path:
    """Encrypted; with an empty password every reader opens it."""
    return _locked(text_pdf(path.with_suffix(".plain"), "Behind the lock"), path, password)


def locked_scan_pdf(path: Path, *, password: str) -> Path:
    return _locked(scanned_pdf(path.with_suffix(".plain")), path, password)


def pdf_with_a_bad_page(path: Path) -> Path:
    """Three pages; the second is no page."""
    text_pdf(path, "One", "Two", "Three")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.Root.Pages.Kids[1] = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name("/Nothing")))
        pdf.save(path)
    return aged(path)


def pdf_without_pages(path: Path) -> Path:
    with pikepdf.new() as pdf:
        pdf.save(path)
    return aged(path)


def bomb_pdf(path: Path, *, megabytes: int) -> Path:
    """A small file with a page that is huge once it is unpacked."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(megabytes)) + packer.flush()
    with pikepdf.new() as pdf:
        page = pdf.add_blank_page()
        page.Contents = pikepdf.Stream(pdf, packed, Filter=pikepdf.Name.FlateDecode)
        pdf.save(path)
    return aged(path)


def pdf_of_shared_pages(path: Path, *, depth: int) -> Path:
    """A tree of pages whose hundred branches are one and the same at each level: 3 KB, and 100 ** depth pages."""
    kids = {level: b" ".join([b"%d 0 R" % (level + 3)] * 100) for level in range(depth)}
    tree = [b"<</Type/Pages/Count %d/Kids[%s]>>" % (100 ** (depth - level), kids[level]) for level in range(depth)]
    page = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 200 200]>>" % (depth + 1)
    bodies = [b"<</Type/Catalog/Pages 2 0 R>>", *tree, page]
    content, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(bodies, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    tail = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, len(content))
    path.write_bytes(content + head + table + tail)
    return path


def _locked(plain: Path, path: Path, password: str) -> Path:
    encrypted(plain, path, user=password)
    plain.unlink()
    return aged(path)


def aged(path: Path) -> Path:
    before = time.time_ns() - 3600 * 10**9
    os.utime(path, ns=(before, before))
    return path
