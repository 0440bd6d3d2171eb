"""Whether an image goes to its end. PDF readers draw what they get out of a damaged one, OCR reads what was drawn, and
neither says a word of the rest."""

import pikepdf

from blobforge.processors.pdf_markdown.colour_check import ColourCheck
from blobforge.processors.pdf_markdown.fax_check import is_fax_whole
from blobforge.processors.pdf_markdown.stream_decoding import MOST_TEXT, Stage, decoded, decoded_by, stages

_MOST_PIXELS = 200_000_000
"""What is larger is not decoded here: whoever draws the page has its limits, too."""
_END_OF_JPEG_2000 = b"\xff\xd9"
"""Nothing but the end of a codestream may look like that in one."""
_UNKNOWN_LENGTH = 0xFFFFFFFF
_FAULTS = (
    pikepdf.PdfError,
    pikepdf.DataDecodingError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    RuntimeError,
    OSError,
)


def is_image_whole(image: pikepdf.Stream, colours: ColourCheck) -> bool:
    """JPEG and Flate are decoded; of the other codecs a lost end is noticed, and what makes no sense in a fax."""
    try:
        components = _components(image, colours)
        if not components:
            return False
        if int(image.Width) * int(image.Height) > _MOST_PIXELS:
            return True
        return _is_decoded(image, components, list(stages(image)))
    except _FAULTS:
        return False


def _is_decoded(image: pikepdf.Stream, components: int, of_each: list[Stage]) -> bool:
    if not all(stage.settings is None or isinstance(stage.settings, pikepdf.Dictionary) for stage in of_each):
        return False
    codec = of_each[-1] if of_each else None
    if codec is None or codec.name not in _CODECS:
        pixels, whole = decoded(image)
        return whole and len(pixels) >= min(_least_bytes(image, components), MOST_TEXT)
    packed, whole = decoded_by(image.read_raw_bytes(), of_each[:-1])
    return whole and bool(packed) and _CODECS[codec.name](packed, codec, image)


def _components(image: pikepdf.Stream, colours: ColourCheck) -> int:
    """Of a pixel; 0 where the file does not have its colours."""
    # A key whose value is nowhere in the file is not there for `get`.
    for name, space in image.items():
        if name == "/ColorSpace" and not image.get("/ImageMask"):
            return colours.components(space)
    return 1


def _least_bytes(image: pikepdf.Stream, components: int) -> int:
    bits = 1 if image.get("/ImageMask") else int(image.get("/BitsPerComponent", 1))
    return (int(image.Width) * bits * components + 7) // 8 * int(image.Height)


def _is_jpeg_whole(packed: bytes, _: Stage, _image: pikepdf.Stream) -> bool:
    """Raises one of _FAULTS where libjpeg finds it corrupt or cut."""
    with pikepdf.new() as scratch:
        stream = pikepdf.Stream(scratch, packed)
        stream.Filter = pikepdf.Name.DCTDecode
        return bool(stream.read_bytes(pikepdf.StreamDecodeLevel.all))


def _is_jpeg_2000_whole(packed: bytes, _: Stage, _image: pikepdf.Stream) -> bool:
    return _END_OF_JPEG_2000 in packed


def _is_fax_whole(packed: bytes, stage: Stage, image: pikepdf.Stream) -> bool:
    settings = stage.settings if isinstance(stage.settings, pikepdf.Dictionary) else pikepdf.Dictionary()
    return is_fax_whole(packed, settings, height=int(image.Height))


def _is_jbig2_whole(packed: bytes, _: Stage, _image: pikepdf.Stream) -> bool:
    """Whether its last segment is as long as it says."""
    place = 0
    while place < len(packed):
        number, flags, references = int.from_bytes(packed[place : place + 4]), packed[place + 4], packed[place + 5] >> 5
        place += 6
        if references == 7:
            references = int.from_bytes(packed[place - 1 : place + 3]) & 0x1FFFFFFF
            place += 3 + (references + 8) // 8
        place += references * (1 if number <= 256 else 2 if number <= 65_536 else 4)
        place += 4 if flags & 0x40 else 1
        length = int.from_bytes(packed[place : place + 4])
        if length == _UNKNOWN_LENGTH:
            return True
        place += 4 + length
    return place == len(packed)


_CODECS = {
    "/DCTDecode": _is_jpeg_whole,
    "/JPXDecode": _is_jpeg_2000_whole,
    "/CCITTFaxDecode": _is_fax_whole,
    "/JBIG2Decode": _is_jbig2_whole,
}
