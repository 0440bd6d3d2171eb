"""A document as PDFium reads it, in the words of pdf-oxide: for what that one passes over or cannot open.

It is slower, for every glyph costs several calls.
"""

import ctypes
import json
import math
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from blobforge.processors.pdf_markdown.layout.drawn.libraries import (
    Annotation,
    DrawnPath,
    ImagePlace,
    Limits,
    OpenPdfium,
    PathOperation,
    PdfiumObject,
    PdfiumPage,
    PdfiumTextPage,
)
from blobforge.processors.pdf_markdown.layout.drawn.visibility import Sheet
from blobforge.processors.pdf_markdown.layout.model.content import OutlineEntry, Rectangle
from blobforge.processors.pdf_markdown.layout.words.characters import LOST

_BOLD_FROM = 600
_FIXED_PITCH, _ITALIC = 1, 64
"""Bits of a font's flags, as the PDF itself has them."""
_INVISIBLE = 3
_HYPHEN = "\x02"
"""What PDFium makes of a hyphen at the end of a line."""
_EXACT = 0.05
_DEEPEST = 8
_LARGEST = 4_000_000
"""Square points: eight times the usual page."""
_NAME_LENGTH = 128
FAINTEST = 0.05
"""Of full opacity: what is fainter is not seen."""

LetterFilter = Callable[[str, float, float], bool]
"""By the character and its origin."""
Matrix = tuple[float, float, float, float, float, float]


class Letter(NamedTuple):
    """A glyph with the names that pdf-oxide has for its facts; in the file's own coordinates."""

    char: str
    origin_x: float
    origin_y: float
    advance_width: float
    font_name: str
    font_size: float
    color: tuple[float, ...]
    rotation_degrees: float
    font_weight: str
    is_italic: bool
    is_monospace: bool
    bbox: tuple[float, float, float, float]


class _TextState(NamedTuple):
    """What holds for all glyphs that were drawn in one go."""

    font: str
    size: float
    angle: float
    colour: tuple[float, ...]
    weight: str
    italic: bool
    mono: bool
    turns: int
    """How many quarters of a turn that angle is, more or less."""


class PdfiumDocument:
    """Pages are counted from 0, as pdf-oxide counts them. Opened when it is first asked.

    The last page stays open, since several ask for the same one. Raises pypdfium2.PdfiumError, a RuntimeError.
    """

    def __init__(self, source: Path | bytes) -> None:
        self._source = source
        self.page = lru_cache(maxsize=1)(self._page)
        self.text = lru_cache(maxsize=1)(self._text)

    @cached_property
    def _document(self) -> OpenPdfium:
        opened: OpenPdfium = pypdfium2.PdfDocument(self._source)
        return opened

    def _page(self, index: int) -> PdfiumPage:
        """As pypdfium2 has it."""
        return self._document.get_page(index)

    def _text(self, index: int) -> PdfiumTextPage:
        return self.page(index).get_textpage()

    def page_count(self) -> int:
        return len(self._document)

    def page_crop_box(self, index: int) -> Limits:
        return self.page(index).get_cropbox()

    page_media_box = page_crop_box

    def extract_chars(self, index: int, *, is_wanted: LetterFilter | None = None) -> list[Letter]:
        """All of a page, or those of them that are wanted."""
        return _one_each(_Letters(self.text(index).raw).read(is_wanted))

    def letters(self, index: int) -> str:
        """All text of a page, in no order to rely on: cheaper by far than its glyphs."""
        return self.text(index).get_text_range()

    def sheet(self, index: int) -> Sheet | None:
        """The page as it is drawn; None where it is drawn turned, or is a poster, or cannot be drawn."""
        try:
            page = self.page(index)
            width, height = page.get_size()
            if page.get_rotation() or width * height > _LARGEST:
                return None
            bitmap = page.render(scale=1, grayscale=True)
        except (RuntimeError, FileNotFoundError):
            return None
        return Sheet(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride)

    def extract_paths(self, index: int) -> list[DrawnPath]:
        """Those that are seen: nothing that is transparent."""
        return [path for path in self._all_paths(index) if _is_painted(path)]

    def unseen_paths(self, index: int) -> list[DrawnPath]:
        return [path for path in self._all_paths(index) if not _is_painted(path)]

    def _all_paths(self, index: int) -> Iterator[DrawnPath]:
        for each in self._objects(index, raw.FPDF_PAGEOBJ_PATH):
            yield _path(each, _matrix_of(each))

    def page_images(self, index: int) -> list[ImagePlace]:
        return [_image(each) for each in self._objects(index, raw.FPDF_PAGEOBJ_IMAGE)]

    @staticmethod
    def get_annotations(_index: int) -> list[Annotation]:
        return []

    def classify_page(self, index: int) -> str:
        """The share of its text that is not drawn."""
        modes = [raw.FPDFTextObj_GetTextRenderMode(each.raw) for each in self._objects(index, raw.FPDF_PAGEOBJ_TEXT)]
        share = modes.count(_INVISIBLE) / len(modes) if modes else 0.0
        return json.dumps({"signals": {"invisible_text_ratio": share}})

    def get_outline(self) -> list[OutlineEntry]:
        outline: list[OutlineEntry] = []
        for mark in self._document.get_toc(max_depth=_DEEPEST):
            target, among = mark.get_dest(), outline
            for _ in range(mark.level):
                among = among[-1]["children"] if among else among
            page = target.get_index() if target is not None else None
            among.append({"title": mark.get_title(), "page": page, "children": []})
        return outline

    def _objects(self, index: int, kind: int) -> Iterator[PdfiumObject]:
        yield from self.page(index).get_objects(filter=[kind], max_depth=_DEEPEST)


def _is_painted(path: DrawnPath) -> bool:
    return path["fill_color"] is not None or path["stroke_color"] is not None


class _Letters:
    """The glyphs of one page, in PDFium's order. There are thousands, so what is told of each is told by its place."""

    def __init__(self, text: object) -> None:
        self._text = text
        self._states: dict[int, _TextState] = {}
        self._latest = 0
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._origin = ctypes.byref(self._x), ctypes.byref(self._y)
        self._matrix = raw.FS_MATRIX()
        self._box = raw.FS_RECTF()
        self._to_box = ctypes.byref(self._box)

    def read(self, is_wanted: LetterFilter | None) -> Iterator[Letter]:
        generated, origin, text = raw.FPDFText_IsGenerated, raw.FPDFText_GetCharOrigin, self._text
        for number in range(raw.FPDFText_CountChars(text)):
            char = self._char(number)
            # What PDFium has put in, such as a space in a wide gap, is ours to find.
            if char.isalnum() or not generated(text, number):
                origin(text, number, *self._origin)
                if is_wanted is None or is_wanted(char, self._x.value, self._y.value):
                    yield self._letter(number, char)

    def _letter(self, number: int, char: str) -> Letter:
        """Of the glyph whose origin was asked for last."""
        raw.FPDFText_GetLooseCharBox(self._text, number, self._to_box)
        font, size, angle, colour, weight, italic, mono, turns = self._state(number)
        x, y = self._x.value, self._y.value
        end = _ends(self._box, x, y, turns) if turns else self._box.right - x
        advance = max(end, 0.0)
        bbox = (x, y, advance or size / 2, size)
        return Letter(char, x, y, advance, font, size, colour, angle, weight, italic, mono, bbox)

    def _char(self, number: int) -> str:
        code = raw.FPDFText_GetUnicode(self._text, number)
        if code in (0, 0xFFFE, 0xFFFF) or raw.FPDFText_HasUnicodeMapError(self._text, number) == 1:
            return LOST
        char = chr(code)
        return "-" if char == _HYPHEN else char

    def _state(self, number: int) -> _TextState:
        owner = raw.FPDFText_GetTextObject(self._text, number)
        # What PDFium has put between words that run to the left is nobody's, and does not count as put in.
        drawn = ctypes.addressof(owner.contents) if owner else self._latest
        ink = self._states.get(drawn)
        if ink is None:
            ink = self._states[drawn] = self._state_of(number)
        self._latest = drawn
        return ink

    def _state_of(self, number: int) -> _TextState:
        text, matrix = self._text, self._matrix
        raw.FPDFText_GetMatrix(text, number, matrix)
        name, flags = ctypes.create_string_buffer(_NAME_LENGTH), ctypes.c_int()
        raw.FPDFText_GetFontInfo(text, number, name, _NAME_LENGTH, flags)
        parts = [ctypes.c_uint() for _ in range(4)]
        raw.FPDFText_GetFillColor(text, number, *parts)
        size = raw.FPDFText_GetFontSize(text, number)
        # A negative size is half a turn.
        angle = math.degrees(math.atan2(matrix.b, matrix.a) if size >= 0 else math.atan2(-matrix.b, -matrix.a))
        return _TextState(
            font=name.value.decode("utf-8", "replace"),
            size=abs(size) * math.hypot(matrix.c, matrix.d),
            angle=angle,
            colour=tuple(part.value / 255 for part in parts[:3]),
            weight="Bold" if raw.FPDFText_GetFontWeight(text, number) >= _BOLD_FROM else "Normal",
            italic=bool(flags.value & _ITALIC),
            mono=bool(flags.value & _FIXED_PITCH),
            turns=round(angle / 90) % 4,
        )


def _ends(box: Rectangle, x: float, y: float, turns: int) -> float:
    """How far from its origin a glyph ends, in the direction that it is written in."""
    match turns:
        case 1:
            end = box.top - y
        case 2:
            end = x - box.left
        case 3:
            end = y - box.bottom
        case _:
            end = box.right - x
    return end


def _one_each(letters: Iterator[Letter]) -> list[Letter]:
    """One for each glyph: PDFium gives the letters of a ligature one by one, all at its place.

    It tells where the ink of a glyph ends, not where its width does: where the next one begins says more.
    """
    found: list[Letter] = []
    for letter in letters:
        before = found[-1] if found else None
        if before is not None and _is_same_glyph(before, letter):
            width = max(before.advance_width, letter.advance_width)
            found[-1] = before._replace(char=_joined(before.char, letter.char), advance_width=width)
            continue
        if before is not None and 0 < (step := _step(before, letter)) < before.advance_width:
            found[-1] = before._replace(advance_width=step)
        found.append(letter)
    return found


def _step(before: Letter, letter: Letter) -> float:
    across, up = letter.origin_x - before.origin_x, letter.origin_y - before.origin_y
    if not before.rotation_degrees:
        return across
    angle = math.radians(before.rotation_degrees)
    return across * math.cos(angle) + up * math.sin(angle)


def _is_same_glyph(before: Letter, letter: Letter) -> bool:
    is_there = abs(before.origin_x - letter.origin_x) <= _EXACT and abs(before.origin_y - letter.origin_y) <= _EXACT
    return is_there and before.font_name == letter.font_name and before.color == letter.color


def _joined(before: str, after: str) -> str:
    """Also the two halves of a character beyond the first 65,536."""
    return (before + after).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _matrix_of(thing: PdfiumObject) -> Matrix:
    """From the thing's own coordinates to the page's, through the forms that it lies in."""
    matrix, container = thing.get_matrix(), thing.container
    while container is not None:
        matrix = matrix.multiply(container.get_matrix())
        container = container.container
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def moved(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _image(thing: PdfiumObject) -> ImagePlace:
    """An image fills the unit square of its own coordinates."""
    matrix = _matrix_of(thing)
    corners = [moved(matrix, x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return {"x": min(xs), "y": min(ys), "width": max(xs) - min(xs), "height": max(ys) - min(ys)}


def _modes(thing: PdfiumObject) -> tuple[bool, bool]:
    """Whether it is filled, and whether its outline is drawn."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(thing.raw, fill, stroke)
    return fill.value != raw.FPDF_FILLMODE_NONE, bool(stroke.value)


def _path(thing: PdfiumObject, matrix: Matrix) -> DrawnPath:
    filled, stroked = _modes(thing)
    width = ctypes.c_float()
    raw.FPDFPageObj_GetStrokeWidth(thing.raw, width)
    return {
        "fill_color": _colour(raw.FPDFPageObj_GetFillColor, thing) if filled else None,
        "stroke_color": _colour(raw.FPDFPageObj_GetStrokeColor, thing) if stroked else None,
        "stroke_width": width.value * math.sqrt(abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])),
        "operations": list(_operations(thing, matrix)),
    }


def _colour(ask: Callable[..., object], thing: PdfiumObject) -> tuple[float, ...] | None:
    """None where it is (almost) transparent."""
    parts = [ctypes.c_uint() for _ in range(4)]
    ask(thing.raw, *parts)
    *colour, opacity = (part.value / 255 for part in parts)
    return tuple(colour) if opacity >= FAINTEST else None


def _operations(thing: PdfiumObject, matrix: Matrix) -> Iterator[PathOperation]:
    names = {raw.FPDF_SEGMENT_MOVETO: "move_to", raw.FPDF_SEGMENT_LINETO: "line_to"}
    x, y = ctypes.c_float(), ctypes.c_float()
    curved = 0
    for number in range(raw.FPDFPath_CountSegments(thing.raw)):
        segment = raw.FPDFPath_GetPathSegment(thing.raw, number)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        name = names.get(raw.FPDFPathSegment_GetType(segment), "curve_to")
        # Of the three points of a curve the last is its end.
        curved = curved + 1 if name == "curve_to" else 0
        if curved % 3 == 0:
            to_x, to_y = moved(matrix, x.value, y.value)
            yield {"op": name, "x": to_x, "y": to_y}
        if raw.FPDFPathSegment_GetClose(segment):
            yield {"op": "close_path"}
