"""Text that a reader sees on a page and that is not in its content: filled fields, text boxes, stamps, captions.

Engines read the content alone, so it is drawn into that."""

from collections.abc import Iterable, Iterator
from typing import Any

import pikepdf

from blobforge.processors.pdf_markdown.form_fields import draw_captions, draw_text_boxes, draw_ticks, draw_values
from blobforge.processors.pdf_markdown.stream_decoding import decoded

_WITH_TEXT = frozenset(("/FreeText", "/Widget", "/Stamp", "/Watermark"))
_WITH_CAPTION = frozenset(("/Line", "/PolyLine", "/Polygon", "/Redact"))
"""Mostly without. Others are links, or marks upon the page that would look like its rules and boxes."""
_UNSEEN = 0b100010
"""The flags of one that is hidden, or not shown on a screen."""
_DEEPEST_FORM = 4
_MOST = 20_000
"""Annotations of one page; who names more is out to keep its reader busy."""
_WRITING = (b"Tj", b"TJ")
_SHOWING = (*_WRITING, b"Do", b"'", b'"')


def draw_annotations(pdf: pikepdf.Pdf) -> bool:
    """Into the pages of the opened document; whether there was anything to draw. Raises what pikepdf does."""
    cut = [_cut(page.obj) for page in pdf.pages]
    pages = [(page.obj, list(_annotations(page.obj))) for page in pdf.pages]
    everywhere = [one for _, annotations in pages for one in annotations]
    draw_values(pdf, filter(_is_field, everywhere))
    draw_ticks(pdf, filter(_is_field, everywhere))
    draw_text_boxes(pdf, (one for one in everywhere if one.get("/Subtype") == "/FreeText"))
    draw_captions(pdf, (one for one in everywhere if one.get("/Subtype") == "/Line"))
    drawn = [(page, [one for one in annotations if _shows_text(one)], annotations) for page, annotations in pages]
    if not any(shown for _, shown, _ in drawn):
        return any(cut)
    for _, shown, _ in drawn:
        for one in shown:
            _share_fonts(pdf, _appearance(one))
    # qpdf draws all that have an appearance and takes them away, links among them.
    for page, shown, _ in drawn:
        page.Annots = pikepdf.Array(shown)
    pdf.flatten_annotations("screen")
    for page, _, annotations in drawn:
        page.Annots = pikepdf.Array(list(_kept(annotations)))
    return True


def _kept(annotations: Iterable[pikepdf.Object]) -> Iterator[pikepdf.Object]:
    """All that was not drawn but fields, for there is no form any more. Who looks for damage finds what was lost."""
    for one in annotations:
        if _is_lost(one):
            one.Subtype = pikepdf.Name.Stamp
            yield one
        elif not (_is_field(one) or _shows_text(one)):
            yield one


def _cut(page: pikepdf.Object) -> bool:
    """Whether the page named so many that some were left out. One that is named again is the same."""
    found = page.get("/Annots")
    if not isinstance(found, pikepdf.Array) or len(found) <= _MOST:
        return False
    first = {found[place].objgen: found[place] for place in range(_MOST)}
    page.Annots = pikepdf.Array(list(first.values()))
    return True


def _share_fonts(pdf: pikepdf.Pdf, form: pikepdf.Object | None, depth: int = 0) -> None:
    """pdf-oxide passes over text in a form whose fonts are written into it, as most programs write appearances."""
    resources = form.get("/Resources") if isinstance(form, pikepdf.Stream) else None
    if not isinstance(resources, pikepdf.Dictionary) or depth > _DEEPEST_FORM:
        return
    fonts, forms = resources.get("/Font"), resources.get("/XObject")
    if isinstance(fonts, pikepdf.Dictionary):
        for name, font in list(fonts.items()):
            # One that is nowhere in the file is no font; whoever checks the page says so.
            if isinstance(font, pikepdf.Dictionary) and not font.is_indirect:
                fonts[name] = pdf.make_indirect(font)
    if isinstance(forms, pikepdf.Dictionary):
        for _, inner in list(forms.items()):
            _share_fonts(pdf, inner, depth + 1)


def appearances_on(page: pikepdf.Object) -> Iterator[pikepdf.Object | None]:
    """Of what is seen on the page and may hold text, as it looks now; None for one that is nowhere in the file."""
    for one in _annotations(page):
        if _operators_of(one) and _names_appearance(one):
            yield _appearance(one)


def _annotations(page: pikepdf.Object) -> Iterator[pikepdf.Object]:
    found = page.get("/Annots")
    if isinstance(found, pikepdf.Array):
        yield from (annotation for annotation in found if isinstance(annotation, pikepdf.Dictionary))


def _is_field(annotation: pikepdf.Object) -> bool:
    return bool(annotation.get("/Subtype") == "/Widget")


def _shows_text(annotation: pikepdf.Object) -> bool:
    operators = _operators_of(annotation)
    appearance = _appearance(annotation) if operators else None
    if appearance is None:
        return False
    text = decoded(appearance).text
    return any(operator in text for operator in operators)


def _operators_of(annotation: pikepdf.Object) -> tuple[bytes, ...]:
    """Those by which it could show text; none where it is not seen."""
    flags: Any = annotation.get("/F")
    if isinstance(flags, int) and flags & _UNSEEN:
        return ()
    kind = str(annotation.get("/Subtype"))
    return _SHOWING if kind in _WITH_TEXT else _WRITING if kind in _WITH_CAPTION else ()


def _is_lost(annotation: pikepdf.Object) -> bool:
    """Whether it may have shown text before its appearance was damaged."""
    if not _operators_of(annotation) or not _names_appearance(annotation):
        return False
    appearance = _appearance(annotation)
    return appearance is None or not decoded(appearance).whole


def _names_appearance(annotation: pikepdf.Object) -> bool:
    """Whether it says where its appearance is. A box that can be ticked need not have one for its present state."""
    # A key whose value is nowhere in the file is not there for `get`.
    for name, looks in annotation.items():
        if name == "/AP":
            now = dict(looks.items()) if isinstance(looks, pikepdf.Dictionary) else {"/N": None}
            states = now.get("/N")
            if isinstance(states, pikepdf.Dictionary) and not isinstance(states, pikepdf.Stream):
                return str(annotation.get("/AS", "/Off")) in dict(states.items())
            return "/N" in now
    return False


def _appearance(annotation: pikepdf.Object) -> pikepdf.Stream | None:
    """As it looks now: a box that can be ticked has one for each state."""
    looks = annotation.get("/AP")
    found = looks.get("/N") if isinstance(looks, pikepdf.Dictionary) else None
    if isinstance(found, pikepdf.Dictionary):
        found = found.get(str(annotation.get("/AS", "/Off")))
    return found if isinstance(found, pikepdf.Stream) else None
