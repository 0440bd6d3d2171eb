"""Whether a fax (CCITT) is whole. Its decoders go on behind what they do not understand, with black where text was."""

import io
import struct

import pikepdf
from PIL import Image, TiffImagePlugin

_END = 0x001001
_LONGEST_PADDING = 8
"""Bytes behind the last line in which the end is looked for."""
_HOLE = bytes(4)
"""No two codes of Group 4 have so many zeros between them: what a disk or a transfer has lost reads like this."""
_USUAL_WIDTH = 1728
_MOST_PIXELS = 80_000_000
_TALLEST = 30_000
"""In lines; libtiff prints a word on each that it does not understand."""
_ALIKE = 0.02
"""Of the length. Group 4 leaves an encoder no choice, and what was read wrongly has other lines."""
_FEW_BYTES = 16
_LONG, _SHORT = 4, 3
_WIDTH, _HEIGHT, _BITS, _CODEC, _LIGHT, _STRIPS, _SAMPLES, _ROWS, _LENGTHS = 256, 257, 258, 259, 262, 273, 277, 278, 279
_GROUP_4 = 4


def is_fax_whole(packed: bytes, settings: pikepdf.Dictionary, *, height: int) -> bool:
    """Nothing is told of Group 3. Group 4 says where it ends, unless the document says that it does not."""
    if int(settings.get("/K", 0)) >= 0:
        return True
    lines = packed.rstrip(b"\0\r\n")
    if _HOLE in lines or not (_has_end(lines) or not settings.get("/EndOfBlock", True)):
        return False
    width = int(settings.get("/Columns", _USUAL_WIDTH))
    is_padded = bool(settings.get("/EncodedByteAlign", False) or settings.get("/EndOfLine", False))
    if is_padded or height > _TALLEST or width * height > _MOST_PIXELS:
        return True
    again = _packed_again(packed, width, height)
    return abs(len(again) - len(lines)) <= max(_FEW_BYTES, _ALIKE * len(lines))


def _has_end(lines: bytes) -> bool:
    tail = lines[-_LONGEST_PADDING:] + b"\0"
    bits = int.from_bytes(tail)
    return any(bits >> shift & 0xFFFFFF == _END for shift in range(8 * len(tail)))


def _packed_again(packed: bytes, width: int, height: int) -> bytes:
    """What its pixels are in Group 4. Raises OSError."""
    written = io.BytesIO()
    with Image.open(io.BytesIO(_as_tiff(packed, width, height))) as image:
        image.save(written, "TIFF", compression="group4", strip_size=width * height)
    with Image.open(written) as image:
        assert isinstance(image, TiffImagePlugin.TiffImageFile)
        (start,), (length,) = image.tag_v2[_STRIPS], image.tag_v2[_LENGTHS]
    return written.getvalue()[start : start + length]


def _as_tiff(packed: bytes, width: int, height: int) -> bytes:
    """The least that a TIFF is made of."""
    entries = [
        (_WIDTH, _LONG, width),
        (_HEIGHT, _LONG, height),
        (_BITS, _SHORT, 1),
        (_CODEC, _SHORT, _GROUP_4),
        (_LIGHT, _SHORT, 1),
        (_STRIPS, _LONG, 0),
        (_SAMPLES, _SHORT, 1),
        (_ROWS, _LONG, height),
        (_LENGTHS, _LONG, len(packed)),
    ]
    header, count, end = struct.pack("<2sHI", b"II", 42, 8), struct.pack("<H", len(entries)), bytes(4)
    start = len(header) + len(count) + 12 * len(entries) + len(end)
    told = [struct.pack("<HHII", tag, kind, 1, start if tag == _STRIPS else value) for tag, kind, value in entries]
    return header + count + b"".join(told) + end + packed
