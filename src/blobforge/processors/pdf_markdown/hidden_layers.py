"""What lies on layers that are off is taken out of a file before anything reads it: a viewer does not show it, and
engines read it."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

import pikepdf

from blobforge.processors.pdf_markdown.optional_content import Layers
from blobforge.processors.pdf_markdown.page_resources import resources_of
from blobforge.processors.pdf_markdown.stream_decoding import decoded

Instruction = pikepdf.ContentStreamInstruction | pikepdf.ContentStreamInlineImage

_FAULTS = (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)
_PATHS = frozenset(["f", "F", "f*", "B", "B*", "b", "b*", "S", "s"])
_END_OF_PATH = pikepdf.ContentStreamInstruction([], pikepdf.Operator("n"))
"""It keeps the part of the page that the path may have cut out."""
_NEXT_LINE = pikepdf.ContentStreamInstruction([], pikepdf.Operator("T*"))
_SHOWING = frozenset(("Tj", "TJ", "Do", "sh", "INLINE IMAGE"))


def take_out_hidden_layers(pdf: pikepdf.Pdf) -> bool:
    """Of the opened document; whether there was anything on any. Raises what pikepdf does."""
    properties = pdf.Root.get("/OCProperties")
    if not isinstance(properties, pikepdf.Dictionary):
        return False
    clearing = _Clearing(pdf, Layers(properties))
    for page in pdf.pages:
        with suppress(*_FAULTS):
            clearing.annotations(page.obj)
        with suppress(*_FAULTS):
            clearing.page(page.obj)
    for stream in pdf.objects:
        if isinstance(stream, pikepdf.Stream):
            with suppress(*_FAULTS):
                clearing.stream(stream)
    return clearing.has_found_any


class _Clearing:
    def __init__(self, pdf: pikepdf.Pdf, layers: Layers) -> None:
        self._pdf = pdf
        self._layers = layers
        self.has_found_any = False

    def annotations(self, page: pikepdf.Object) -> None:
        found = page.get("/Annots")
        if not isinstance(found, pikepdf.Array):
            return
        shown = [each for each in found if not isinstance(each, pikepdf.Dictionary) or self._is_shown(each)]
        if len(shown) < len(found):
            page.Annots = pikepdf.Array(shown)
            self.has_found_any = True

    def page(self, page: pikepdf.Object) -> None:
        contents = page.get("/Contents")
        streams = contents if isinstance(contents, pikepdf.Array) else [contents]
        if (content := self._cleared(page, streams, resources_of(page))) is not None:
            page.Contents = self._pdf.make_stream(content)

    def stream(self, stream: pikepdf.Stream) -> None:
        """A form, an image, a pattern, or how an annotation looks."""
        if not self._is_shown(stream):
            _empty(stream)
            self.has_found_any = True
        elif (content := self._cleared(stream, [stream], stream.get("/Resources"))) is not None:
            stream.write(content)

    def _is_shown(self, holder: pikepdf.Object) -> bool:
        return self._layers.shows(holder.get("/OC"))

    def _cleared(
        self, drawn: pikepdf.Object, streams: Iterable[pikepdf.Object | None], resources: pikepdf.Object | None
    ) -> bytes | None:
        """What is left of the content; None where all of it is shown, or where it is damaged: what is lost there would
        look as if it had never been."""
        hidden = frozenset(self._hidden_in(resources))
        if not hidden or not all(isinstance(each, pikepdf.Stream) and decoded(each).whole for each in streams):
            return None
        told = pikepdf.parse_content_stream(drawn)
        left = list(_without(told, hidden))
        if left == told:
            return None
        self.has_found_any = True
        return pikepdf.unparse_content_stream(left)

    def _hidden_in(self, resources: pikepdf.Object | None) -> Iterator[str]:
        """The names by which content says that it lies on what is not shown."""
        named = resources.get("/Properties") if isinstance(resources, pikepdf.Dictionary) else None
        if isinstance(named, pikepdf.Dictionary):
            yield from (name for name, membership in named.items() if not self._layers.shows(membership))


def _empty(stream: pikepdf.Stream) -> None:
    """It becomes a form without content: of an image, there is no such thing."""
    stream.stream_dict = pikepdf.Dictionary(
        Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=pikepdf.Array([0, 0, 0, 0])
    )
    stream.write(b"")


def _without(told: Iterable[Instruction], hidden: frozenset[str]) -> Iterator[Instruction]:
    """What is left of it. Marks are nested, and need not be about layers."""
    marks: list[bool] = []
    for instruction in told:
        operator = str(instruction.operator)
        if operator in ("BDC", "BMC"):
            marks.append(_says_hidden(instruction, hidden))
        elif operator == "EMC" and marks:
            marks.pop()
        if any(marks):
            yield from _unseen(instruction, operator)
        else:
            yield instruction


def _says_hidden(instruction: Instruction, hidden: frozenset[str]) -> bool:
    tag, *named = instruction.operands
    return bool(tag == "/OC") and bool(named) and isinstance(named[0], pikepdf.Name) and str(named[0]) in hidden


def _unseen(instruction: Instruction, operator: str) -> Iterator[Instruction]:
    """What it does besides painting, for what comes after it: colours, fonts and places go on. How wide its text is
    only its font tells, so what follows that in its line, without a place of its own, moves up to it."""
    if operator in _PATHS:
        yield _END_OF_PATH
    elif operator == "'":
        yield _NEXT_LINE
    elif operator == '"':
        words, letters, _ = instruction.operands
        yield pikepdf.ContentStreamInstruction([words], pikepdf.Operator("Tw"))
        yield pikepdf.ContentStreamInstruction([letters], pikepdf.Operator("Tc"))
        yield _NEXT_LINE
    elif operator not in _SHOWING:
        yield instruction
