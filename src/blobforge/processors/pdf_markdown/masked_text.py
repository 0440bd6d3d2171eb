"""Text that is set in a soft mask, so that what is painted through it looks like letters. Readers look at what is
painted alone, so the text is put beside it, where nobody sees it."""

from collections.abc import Iterator
from contextlib import suppress

import pikepdf

from blobforge.processors.pdf_markdown.content_syntax import is_content
from blobforge.processors.pdf_markdown.page_resources import resources_of
from blobforge.processors.pdf_markdown.stream_decoding import decoded

_OF_TEXT = frozenset(b"q Q cm BT ET Tf Td TD Tm T* TL Tc Tw Tz Ts Tj TJ ' \"".decode().split())
_WRITING = (b"Tj", b"TJ", b"'", b'"')
_UNSEEN = 3
"""The mode of text that is not painted."""
_NAME = "/TextOfMask"
_FAULTS = (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError)

_Step = pikepdf.ContentStreamInstruction | pikepdf.ContentStreamInlineImage


def draw_masked_text(pdf: pikepdf.Pdf) -> bool:
    """Into the pages of the opened document; whether there was any."""
    drawn = [_draw_on(pdf, page.obj) for page in pdf.pages]
    return any(drawn)


def _draw_on(pdf: pikepdf.Pdf, page: pikepdf.Object) -> bool:
    with suppress(*_FAULTS):
        resources = resources_of(page)
        masks = dict(_masks_in(resources)) if resources is not None else {}
        if resources is None or not masks or not _is_sound(page):
            return False
        forms = resources.get("/XObject")
        page.Resources = pikepdf.Dictionary(dict(resources.items()))
        page.Resources.XObject = pikepdf.Dictionary(dict(forms.items()) if forms is not None else {})
        for name, mask in masks.items():
            page.Resources.XObject[_NAME + name[1:]] = _text_of(pdf, mask)
        steps = [each for step in pikepdf.parse_content_stream(page) for each in _with_text(step, masks)]
        page.Contents = pdf.make_stream(pikepdf.unparse_content_stream(steps))
        return True
    return False


def _masks_in(resources: pikepdf.Object) -> Iterator[tuple[str, pikepdf.Stream]]:
    """By the names of the states that set them."""
    states = resources.get("/ExtGState")
    for name, state in states.items() if isinstance(states, pikepdf.Dictionary) else ():
        mask = state.get("/SMask") if isinstance(state, pikepdf.Dictionary) else None
        group = mask.get("/G") if isinstance(mask, pikepdf.Dictionary) else None
        if isinstance(group, pikepdf.Stream) and any(operator in decoded(group).text for operator in _WRITING):
            yield name, group


def _is_sound(page: pikepdf.Object) -> bool:
    """What is damaged stays as it is, for who looks for damage."""
    contents = page.get("/Contents")
    streams = contents if isinstance(contents, pikepdf.Array) else [contents]
    found = [decoded(stream) for stream in streams if isinstance(stream, pikepdf.Stream)]
    return len(found) == len(streams) and all(each.whole and is_content(each.text) for each in found)


def _text_of(pdf: pikepdf.Pdf, mask: pikepdf.Stream) -> pikepdf.Stream:
    """A form like the mask that paints nothing. Its fonts are objects of their own, or pdf-oxide passes over it."""
    steps = [step for step in pikepdf.parse_content_stream(mask) if str(step.operator) in _OF_TEXT]
    form = pdf.make_stream(pikepdf.unparse_content_stream(steps))
    form.Type, form.Subtype, form.BBox = pikepdf.Name.XObject, pikepdf.Name.Form, mask.BBox
    if "/Matrix" in mask:
        form.Matrix = mask.Matrix
    fonts = mask.Resources.get("/Font", pikepdf.Dictionary())
    shared = {name: font if font.is_indirect else pdf.make_indirect(font) for name, font in fonts.items()}
    form.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(shared))
    return form


def _with_text(step: _Step, masks: dict[str, pikepdf.Stream]) -> Iterator[_Step]:
    """Where the mask is set, for its places are meant from there."""
    if str(step.operator) == "gs" and (name := str(step.operands[0])) in masks:
        yield pikepdf.ContentStreamInstruction([], pikepdf.Operator("q"))
        yield pikepdf.ContentStreamInstruction([_UNSEEN], pikepdf.Operator("Tr"))
        yield pikepdf.ContentStreamInstruction([pikepdf.Name(_NAME + name[1:])], pikepdf.Operator("Do"))
        yield pikepdf.ContentStreamInstruction([], pikepdf.Operator("Q"))
    yield step
