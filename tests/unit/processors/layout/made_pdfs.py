"""Small PDFs written operator by operator, for what no drawing library would write."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream

BOX = Array([0, 0, 600, 800])

PROSE = "There still stands a mill at the old weir and nobody remembers who built it"


def written(text: str, *, x: float = 50, y: float = 700, size: float = 12, font: str = "F1") -> bytes:
    return f"BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n".encode()


class MadePdf:
    """One page, 600 by 800 points, with Helvetica as F1."""

    def __init__(self) -> None:
        self.pdf = pikepdf.new()
        self.page = self.pdf.add_blank_page(page_size=(600, 800))
        self.page.obj.Resources = Dictionary(
            Font=Dictionary(F1=self.helvetica()), XObject=Dictionary(), Properties=Dictionary()
        )

    def helvetica(self, **more: Any) -> Any:
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, **more)
        return self.pdf.make_indirect(font)

    def add_font(self, name: str, font: Any) -> None:
        self.page.obj.Resources.Font[f"/{name}"] = font

    def add_form(self, name: str, form: Any) -> None:
        self.page.obj.Resources.XObject[f"/{name}"] = form

    def add_mark(self, name: str, mark: Any) -> None:
        self.page.obj.Resources.Properties[f"/{name}"] = self.pdf.make_indirect(mark)

    def form(self, content: bytes, *, forms: Mapping[str, Any] | None = None, own_font: Any = None) -> Any:
        form = Stream(self.pdf, content, Type=Name.XObject, Subtype=Name.Form, BBox=BOX)
        form.Resources = Dictionary(XObject=Dictionary(dict(forms or {})))
        form.Resources.Font = Dictionary(F1=own_font if own_font is not None else self.helvetica())
        return self.pdf.make_indirect(form)

    def drawn_letters(self, letters: str) -> Any:
        """A font in which each letter is a square."""
        square = Stream(self.pdf, b"500 0 0 0 500 500 d1 0 0 500 500 re f")
        names = [Name(f"/{letter}") for letter in letters]
        return self.pdf.make_indirect(
            Dictionary(
                Type=Name.Font,
                Subtype=Name.Type3,
                FontBBox=Array([0, 0, 500, 500]),
                FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
                CharProcs=Dictionary({str(name): square for name in names}),
                Encoding=Dictionary(Type=Name.Encoding, Differences=Array([ord(min(letters)), *names])),
                FirstChar=ord(min(letters)),
                LastChar=ord(max(letters)),
                Widths=Array([500] * len(letters)),
                Resources=Dictionary(),
            )
        )

    def says(self, **letters: str) -> Any:
        """A table of what codes stand for: `says(A="fi")`."""
        rows = "\n".join(
            f"<{ord(code):02x}> <{text.encode('utf-16-be').hex()}>" for code, text in sorted(letters.items())
        )
        codes = "1 begincodespacerange <00> <ff> endcodespacerange"
        table = f"begincmap {codes}\n{len(letters)} beginbfchar\n{rows}\nendbfchar endcmap"
        return Stream(self.pdf, table.encode())

    def saved(self, path: Path, content: bytes) -> Path:
        self.page.obj.Contents = Stream(self.pdf, content)
        self.pdf.save(path)
        return path
