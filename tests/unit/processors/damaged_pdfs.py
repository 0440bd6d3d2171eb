"""PDFs with a content stream that is damaged in one way or another."""

import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pikepdf
from pikepdf import Name

LINES = 60

Damage = Callable[[bytes], bytes]
Colours = Callable[[pikepdf.Pdf], pikepdf.Object]


def text_of_lines(name: str, lines: int = LINES) -> bytes:
    """What draws that many lines on a page; some are noise, so that packed text stays long."""
    told = " ".join(f"({name} line {line} says {zlib.crc32(b'%d' % line)} words) Tj T*" for line in range(lines))
    return f"BT /F 9 Tf 50 800 Td 12 TL {told} ET".encode()


def written(path: Path, *pages: tuple[bytes, list[str]]) -> Path:
    """A page for each content that was packed by these filters, the outermost first."""
    with pikepdf.new() as pdf:
        for packed, filters in pages:
            stream = pdf.make_stream(packed)
            if filters:
                stream.Filter = pikepdf.Array(map(Name, filters))
            _with_font(pdf, pdf.add_blank_page(page_size=(595, 842))).Contents = stream
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return path


def with_form(path: Path, packed: bytes, *, drawn: bool = True) -> Path:
    """A line, and a form of two levels that holds the rest; or one that is there and not drawn."""
    with pikepdf.new() as pdf:
        page = _with_font(pdf, pdf.add_blank_page(page_size=(595, 842)))
        inner = _form(pdf, packed, page.Resources)
        inner.Filter = Name.FlateDecode
        outer = _form(pdf, b"/In#6eer Do" if drawn else b"0 0 m", pikepdf.Dictionary(XObject={"/Inner": inner}))
        page.Resources.XObject = pikepdf.Dictionary({"/Outer": outer})
        page.Contents = pdf.make_stream(text_of_lines("page", 5) + b" /Outer Do")
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return path


def within_a_form(path: Path) -> Path:
    """What the page of `with_form` draws is drawn by another form around it, which has its names."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        resources = pdf.pages[0].obj.Resources
        around = _form(pdf, b"/Outer Do", pikepdf.Dictionary(XObject={"/Outer": resources.XObject["/Outer"]}))
        resources.XObject = pikepdf.Dictionary({"/Outer": around})
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return path


def with_image(path: Path, packed: bytes, codec: str, *, size: tuple[int, int], bits: int = 8, **settings: int) -> Path:
    """A page that is one image, as a scanner writes it."""
    with pikepdf.new() as pdf:
        page = pdf.add_blank_page(page_size=(595, 842)).obj
        image = pdf.make_stream(packed)
        image.Type, image.Subtype, image.Filter = Name.XObject, Name.Image, Name(codec)
        image.Width, image.Height, image.BitsPerComponent = *size, bits
        image.ColorSpace = Name.DeviceGray
        if settings:
            image.DecodeParms = pikepdf.Dictionary({f"/{name}": value for name, value in settings.items()})
        page.Resources = pikepdf.Dictionary(XObject={"/Scan": image})
        page.Contents = pdf.make_stream(b"q 595 0 0 842 0 0 cm /Scan Do Q")
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return path


def with_colours(path: Path, packed: bytes, codec: str, *, size: tuple[int, int], colours: Colours) -> Path:
    """The same page; its image has that colour space."""
    with_image(path, packed, codec, size=size)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].obj.Resources.XObject["/Scan"].ColorSpace = colours(pdf)
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return losing(path)


def without(path: Path, name: str) -> Path:
    """The page draws a form or an image of that name, and the file does not have it."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        del pdf.pages[0].obj.Resources.XObject[name]
        pdf.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return path


def pointing_nowhere(path: Path, *, with_others: bool) -> Path:
    """Two pages; the content of the first is at an object that is not in the file, wholly or in part."""
    written(path, (text_of_lines("first"), []), (text_of_lines("second"), []))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0].obj
        page.Contents = pikepdf.Array([page.Contents, pdf.make_stream(b"")])
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.disable, static_id=True)
    content = path.read_bytes()
    start = content.index(b"/Contents [ ")
    end = content.index(b"]", start) + 1
    first = content[start:end].split(b"[ ")[1].split(b" 0 R")[0]
    named = b"/Contents [%s 0 R 99 0 R]" % first if with_others else b"/Contents 99 0 R"
    replaced = named.ljust(end - start)
    assert len(replaced) == end - start, "all that follows stays where the table of the file says"
    path.write_bytes(content[:start] + replaced + content[end:])
    return path


def to_be_lost(pdf: pikepdf.Pdf) -> pikepdf.Object:
    """An object that `losing` takes out of the file, so that whoever refers to it points nowhere."""
    return pdf.make_indirect(pikepdf.Dictionary(Lost=True))


def losing(path: Path) -> Path:
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(
            path,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.none,
        )
    content = path.read_bytes()
    path.write_bytes(re.sub(rb"\d+ 0 obj\n<< /Lost true >>\nendobj", lambda found: b" " * len(found[0]), content))
    return path


def with_half_the_length(path: Path) -> Path:
    """The longest stream of the file says that it is half as long as it is."""
    content = path.read_bytes()
    told = max(re.findall(rb"/Length (\d+)", content), key=int)
    half = (b"%d" % (int(told) // 2)).ljust(len(told))
    path.write_bytes(content.replace(b"/Length " + told, b"/Length " + half))
    return path


def flate(text: bytes) -> bytes:
    return zlib.compress(text)


def cut_in_half(packed: bytes) -> bytes:
    return packed[: len(packed) // 2]


def with_noise(packed: bytes) -> bytes:
    middle = len(packed) // 2
    return (
        packed[:middle] + bytes((byte * 7 + 3) % 256 for byte in packed[middle : middle + 50]) + packed[middle + 50 :]
    )


def lzw(text: bytes) -> bytes:
    """By the book: codes of 9 to 12 bits, which grow one code early."""
    table, width, bits, count = {bytes([byte]): byte for byte in range(256)}, 9, [format(256, "09b")], 258
    known = b""
    for byte in text:
        longer = known + bytes([byte])
        if longer in table:
            known = longer
            continue
        bits.append(format(table[known], f"0{width}b"))
        table[longer], count, known = count, count + 1, bytes([byte])
        if count > (1 << width) - 1 and width < 12:
            width += 1
        if count == 4094:
            bits.append(format(256, f"0{width}b"))
            table, width, count = {bytes([byte]): byte for byte in range(256)}, 9, 258
    bits += [format(table[known], f"0{width}b"), format(257, f"0{width + (count + 1 > (1 << width) - 1)}b")]
    joined = "".join(bits)
    joined += "0" * (-len(joined) % 8)
    return int(joined, 2).to_bytes(len(joined) // 8)


def ascii85(text: bytes) -> bytes:
    import base64

    return base64.a85encode(text) + b"~>"


def hexadecimal(text: bytes) -> bytes:
    return text.hex().encode() + b">"


def run_lengths(text: bytes) -> bytes:
    runs = (text[start : start + 100] for start in range(0, len(text), 100))
    return b"".join(bytes([len(run) - 1]) + run for run in runs) + b"\x80"


def _form(pdf: pikepdf.Pdf, content: bytes, resources: pikepdf.Object) -> pikepdf.Stream:
    form = pdf.make_stream(content)
    form.Type, form.Subtype = Name.XObject, Name.Form
    form.BBox, form.Resources = pikepdf.Array([0, 0, 595, 842]), resources
    return form


def _with_font(pdf: pikepdf.Pdf, page: pikepdf.Page) -> pikepdf.Object:
    font = pikepdf.Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    page.obj.Resources = pikepdf.Dictionary(Font={"/F": pdf.make_indirect(font)})
    return page.obj
