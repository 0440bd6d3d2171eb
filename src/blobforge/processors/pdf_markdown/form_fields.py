"""The text of form fields and text boxes that a file leaves to its viewer to draw, and the state of boxes to tick: an
appearance for each, made to be read."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

import pikepdf

_PASSWORD = 1 << 13
_PUSH_BUTTON = 1 << 16
_TICKED, _OPEN = "☑", "☐"
_SMALLEST_BOX = 4.0
"""Points; what is smaller is not there to be ticked."""
_SIZE = re.compile(r"([\d.]+)\s+Tf")
_USUAL_SIZE = 12.0
_SMALLEST_SIZE = 2.0
_ADVANCE = 0.5
"""Of the size, for every character: nobody looks at this font, so it has no widths of its own."""
_LEADING = 1.15
_MOST_ANCESTORS = 32
_FAULTS = (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError)
_ENTRIES = 100
"""A block of a CMap has no more."""


class _Lines(NamedTuple):
    lines: list[str]
    size: float


def draw_values(pdf: pikepdf.Pdf, widgets: Iterable[pikepdf.Object]) -> None:
    """Where the form says that the viewer draws them, what is drawn already may be older than the value."""
    form = pdf.Root.get("/AcroForm")
    is_left_to_viewer = bool(form.get("/NeedAppearances")) if isinstance(form, pikepdf.Dictionary) else False
    for widget in widgets:
        # A field that is written wrongly keeps the others from nobody.
        with suppress(*_FAULTS):
            if (is_left_to_viewer or "/AP" not in widget) and (text := _value(widget)) is not None:
                widget.AP = pikepdf.Dictionary(N=_drawn(pdf, text, widget))
    if is_left_to_viewer:
        pdf.Root.AcroForm.NeedAppearances = False


def draw_ticks(pdf: pikepdf.Pdf, widgets: Iterable[pikepdf.Object]) -> None:
    """What is drawn is mostly a letter of a font of signs or nothing, which reads alike."""
    for widget in widgets:
        with suppress(*_FAULTS):
            if _can_be_ticked(widget):
                widget.AP = pikepdf.Dictionary(N=_drawn(pdf, _TICKED if _is_ticked(widget) else _OPEN, widget))


def _can_be_ticked(widget: pikepdf.Object) -> bool:
    left, bottom, right, top = (float(edge) for edge in widget.Rect.as_list())
    if min(abs(right - left), abs(top - bottom)) < _SMALLEST_BOX:
        return False
    return str(_inherited(widget, "/FT")) == "/Btn" and not int(_inherited(widget, "/Ff") or 0) & _PUSH_BUTTON


def _is_ticked(widget: pikepdf.Object) -> bool:
    """By the state that it looks like, or by its value where it looks like nothing."""
    state = widget.get("/AS", _inherited(widget, "/V"))
    return isinstance(state, pikepdf.Name) and state != pikepdf.Name.Off


def draw_text_boxes(pdf: pikepdf.Pdf, boxes: Iterable[pikepdf.Object]) -> None:
    """Those whose looks their file leaves to its viewer, as programs that comment on documents do."""
    for box in boxes:
        with suppress(*_FAULTS):
            if "/AP" not in box and isinstance(text := box.get("/Contents"), pikepdf.String) and str(text):
                box.AP = pikepdf.Dictionary(N=_drawn(pdf, str(text), box))


def draw_captions(pdf: pikepdf.Pdf, lines: Iterable[pikepdf.Object]) -> None:
    """Of lines that say that their text is their caption; the place of a line alone is too low for it."""
    captioned = [line for line in lines if bool(line.get("/Cap")) and "/AP" not in line]
    for line in captioned:
        with suppress(*_FAULTS):
            left, bottom, right, top = (float(edge) for edge in line.Rect.as_list())
            low, high = min(bottom, top), max(bottom, top)
            line.Rect = pikepdf.Array([left, low, right, max(high, low + _LEADING * _USUAL_SIZE)])
    draw_text_boxes(pdf, captioned)


def _value(widget: pikepdf.Object) -> str | None:
    """As its reader sees it; None for what is not text: buttons, signatures, passwords."""
    if str(_inherited(widget, "/FT")) not in ("/Tx", "/Ch") or int(_inherited(widget, "/Ff") or 0) & _PASSWORD:
        return None
    value = _inherited(widget, "/V")
    chosen = list(value) if isinstance(value, pikepdf.Array) else [value]
    texts = [str(one) for one in chosen if isinstance(one, pikepdf.String)]
    shown = dict(_choices(widget))
    return "\n".join(shown.get(text, text) for text in texts)


def _choices(widget: pikepdf.Object) -> Iterator[tuple[str, str]]:
    """What is kept for each choice, and what is shown for it."""
    options = _inherited(widget, "/Opt")
    for option in options if isinstance(options, pikepdf.Array) else ():
        if isinstance(option, pikepdf.Array) and len(option) == 2:
            yield str(option[0]), str(option[1])


def _inherited(widget: pikepdf.Object, name: str) -> pikepdf.Object | None:
    holder = widget
    for _ in range(_MOST_ANCESTORS):
        if name in holder:
            return holder[name]
        parent = holder.get("/Parent")
        if not isinstance(parent, pikepdf.Dictionary):
            return None
        holder = parent
    return None


def _drawn(pdf: pikepdf.Pdf, text: str, widget: pikepdf.Object) -> pikepdf.Stream:
    left, bottom, right, top = (float(edge) for edge in widget.Rect.as_list())
    width, height = abs(right - left), abs(top - bottom)
    lines, size = _fitted(text, width, height, _size(widget))
    # PDFium passes over text of one sign alone that its font does not have.
    told = [f"{line} " if len(line) == 1 else line for line in lines]
    codes = {character: code for code, character in enumerate(sorted(set("".join(told))), start=1)}
    shown = " T* ".join(f"<{''.join(f'{codes[character]:04x}' for character in line)}> Tj" for line in told)
    first = (height + size * _LEADING * (len(told) - 1)) / 2 - size / 3
    content = text and f"BT /F {size:.2f} Tf {size * _LEADING:.2f} TL 2 {first:.2f} Td {shown} ET"
    stream = pdf.make_stream(content.encode())
    stream.Type, stream.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
    stream.BBox = pikepdf.Array([0, 0, width, height])
    stream.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=_font(pdf, codes)))
    return stream


def _size(widget: pikepdf.Object) -> float:
    told = _SIZE.search(str(_inherited(widget, "/DA") or ""))
    return float(told[1]) or _USUAL_SIZE if told else _USUAL_SIZE


def _fitted(text: str, width: float, height: float, size: float) -> _Lines:
    """Broken at the width of the field, and smaller where that is too much for its height."""
    while True:
        columns = max(1, int((width - 4) / (size * _ADVANCE)))
        lines = [part for line in text.splitlines() for part in textwrap.wrap(line, columns) or [""]]
        if len(lines) * size * _LEADING <= height or size <= _SMALLEST_SIZE:
            return _Lines(lines or [""], size)
        size *= 0.9


def _font(pdf: pikepdf.Pdf, codes: dict[str, int]) -> pikepdf.Dictionary:
    """Without glyphs, but with the character that each code stands for, of whatever script."""
    descendant = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.CIDFontType2,
        BaseFont=pikepdf.Name.Helvetica,
        CIDSystemInfo=pikepdf.Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
        DW=int(1000 * _ADVANCE),
    )
    return pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.Type0,
        BaseFont=pikepdf.Name.Helvetica,
        Encoding=pikepdf.Name("/Identity-H"),
        DescendantFonts=pikepdf.Array([descendant]),
        ToUnicode=pdf.make_stream(_cmap(codes).encode()),
    )


def _cmap(codes: dict[str, int]) -> str:
    entries = [f"<{code:04x}> <{character.encode('utf-16-be').hex()}>" for character, code in codes.items()]
    blocks = (entries[start : start + _ENTRIES] for start in range(0, len(entries), _ENTRIES))
    told = "\n".join("\n".join((f"{len(block)} beginbfchar", *block, "endbfchar")) for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{told}\nendcmap end end"
    )
