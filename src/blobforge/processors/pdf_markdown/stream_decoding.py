"""A strict decoder of content streams. PDF readers show what they get out of a damaged stream, and say nothing of the
rest; this one tells whether a stream was decoded to its end."""

import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pikepdf

MOST_TEXT = 32 << 20
_MOST_UNPACKED = 1 << 27
"""Of one stream, in bytes. What is larger is not followed to its end: whoever reads the page has its limits, too."""
_CHUNK = 1 << 20
_SHORT_NAMES = {
    "/Fl": "/FlateDecode",
    "/LZW": "/LZWDecode",
    "/A85": "/ASCII85Decode",
    "/AHx": "/ASCIIHexDecode",
    "/RL": "/RunLengthDecode",
    "/DCT": "/DCTDecode",
    "/CCF": "/CCITTFaxDecode",
}
_FAULTS = (pikepdf.PdfError, pikepdf.DataDecodingError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)
"""Of streams that are not as they should be."""
_HEADER_OF_ZLIB = 2
_CLEAR, _END = 256, 257
_WIDEST_CODE = 12
_END_OF_RUNS = 128


class Decoded(NamedTuple):
    """`text` is the beginning where there is very much of it, and may be nothing where the stream is not `whole`."""

    text: bytes
    whole: bool


class Stage(NamedTuple):
    """A filter of a stream, and its parameters."""

    name: str
    settings: pikepdf.Object | None = None


_NOTHING = Decoded(b"", whole=False)


def decoded(stream: pikepdf.Stream) -> Decoded:
    """All filters of a stream, one after another. It is whole if the last of them came to the end of its data."""
    try:
        packed = stream.read_raw_bytes()
        told = int(stream.get("/Length", 0))
        if not packed and told > 0:
            return _NOTHING  # qpdf did not find its end
        found = decoded_by(packed, list(stages(stream)))
        # qpdf has found an end beyond the one that is told, where others stop.
        return found._replace(whole=found.whole and not packed[told:].strip())
    except _FAULTS:
        return _NOTHING


def decoded_by(packed: bytes, filters: Iterable[Stage]) -> Decoded:
    """Raises one of pikepdf's errors, or ValueError, where a filter finds its data wrong."""
    found = Decoded(packed, whole=True)
    for name, settings in filters:
        found = _inflated(found.text) if name == "/FlateDecode" else _by_qpdf(found.text, name, settings)
    return found


def stages(stream: pikepdf.Stream) -> Iterator[Stage]:
    filters, settings = stream.get("/Filter"), stream.get("/DecodeParms")
    if filters is None:
        return
    names = list(filters) if isinstance(filters, pikepdf.Array) else [filters]
    of_each = list(settings) if isinstance(settings, pikepdf.Array) else [settings]
    for place, name in enumerate(names):
        yield Stage(_SHORT_NAMES.get(str(name), str(name)), of_each[place] if place < len(of_each) else None)


def _inflated(packed: bytes) -> Decoded:
    if not packed:
        # So some programs write a page without content.
        return Decoded(b"", whole=True)
    found = _unpacked(packed, zlib.MAX_WBITS)
    if found.whole:
        return found
    # Some programs leave out the checksum at the end, which costs no text.
    return found._replace(whole=bool(found.text) and _unpacked(packed[_HEADER_OF_ZLIB:], -zlib.MAX_WBITS).whole)


def _unpacked(packed: bytes, window: int) -> Decoded:
    unpacker = zlib.decompressobj(window)
    try:
        text = unpacker.decompress(packed, MOST_TEXT)
        size = len(text)
        while unpacker.unconsumed_tail and not unpacker.eof and size < _MOST_UNPACKED:
            size += len(unpacker.decompress(unpacker.unconsumed_tail, _CHUNK))
    except zlib.error:
        return _NOTHING
    return Decoded(text, whole=unpacker.eof or size >= _MOST_UNPACKED)


def _by_qpdf(packed: bytes, name: str, settings: pikepdf.Object | None) -> Decoded:
    """Raises one of _FAULTS where the data is wrong; that it ends too early is no fault to qpdf."""
    with pikepdf.new() as scratch:
        stream = pikepdf.Stream(scratch, packed)
        stream.Filter = pikepdf.Name(name)
        early = 1
        if isinstance(settings, pikepdf.Dictionary):
            early = int(settings.get("/EarlyChange", 1))
            stream.DecodeParms = pikepdf.Dictionary(EarlyChange=early)
        text = stream.read_bytes(pikepdf.StreamDecodeLevel.specialized)
        is_without_fault = not scratch.get_warnings()
    return Decoded(text, whole=is_without_fault and _has_end(packed, name, early=early))


def _has_end(packed: bytes, name: str, *, early: int) -> bool:
    match name:
        case "/ASCII85Decode":
            return b"~" in packed
        case "/ASCIIHexDecode":
            return b">" in packed
        case "/LZWDecode":
            return _lzw_ends(packed, early=early)
        case "/RunLengthDecode":
            return _runs_end(packed)
    return True


def _lzw_ends(packed: bytes, *, early: int) -> bool:
    """Whether the code of the end is among its codes, which grow wider as the table of the decoder fills."""
    entries, width, is_first = _END + 1, 9, True
    value = bits = 0
    for byte in packed:
        value, bits = value << 8 | byte, bits + 8
        if bits < width:
            continue
        bits -= width
        code, value = value >> bits, value & ((1 << bits) - 1)
        if code == _END:
            return True
        if code == _CLEAR:
            entries, width, is_first = _END + 1, 9, True
            continue
        entries, is_first = entries + (not is_first), False
        if width < _WIDEST_CODE and entries + early >= 1 << width:
            width += 1
    return False


def _runs_end(packed: bytes) -> bool:
    place = 0
    while place < len(packed):
        length = packed[place]
        if length == _END_OF_RUNS:
            return True
        place += length + 2 if length < _END_OF_RUNS else 2
    return False
