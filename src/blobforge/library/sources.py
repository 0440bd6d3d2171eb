"""What a program hands over to be converted: a path, bytes, or a stream that is read to its end."""

import io
import os
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import IO, TypeAlias, TypedDict

from blobforge.domain.errors import InvalidOptions, SourceUnreadable
from blobforge.domain.json_value import JsonValue
from blobforge.worker.workspace import writing_failed

DocumentSource: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]
UNNAMED = "document.pdf"
_LONGEST_NAME = 200
_CHUNK = 1 << 20


class ConvertOptions(TypedDict, total=False):
    """How a document is to be converted; the same for one and for many."""

    engine: str
    """`blobforge`, unless you say another; `blobforge processors` lists them."""
    pages: str | Iterable[int] | None
    """Only these pages: "1-20", "120-" or "3,5-7", or numbers such as [1, 2] or range(1, 21)."""
    password: str | None
    """Of an encrypted document."""
    ocr: bool
    """Whether pages without text are read by OCR, which needs tesseract; True, unless you say otherwise."""
    ocr_languages: str | Iterable[str]
    """tesseract's names of languages, such as "deu+eng" or ["deu", "eng"]; as the text tells, unless you say."""
    read_pictures: bool
    """Whether the text in charts and screens is read as well, which takes about a second a picture."""


def processor_options(options: ConvertOptions) -> dict[str, JsonValue]:
    """In the words of the processor. Raises InvalidOptions, and TypeError for a name that is no option."""
    unknown = [name for name in options if name not in ConvertOptions.__annotations__]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no option; there are {', '.join(ConvertOptions.__annotations__)}")
    wanted: dict[str, JsonValue] = {"ocr": "auto" if options.get("ocr", True) else "off"}
    if "engine" in options:
        wanted["engine"] = options["engine"]
    if options.get("read_pictures"):
        wanted["read_pictures"] = True
    if (pages := options.get("pages")) is not None:
        wanted["pages"] = _pages(pages)
    if (languages := options.get("ocr_languages")) is not None:
        wanted["ocr_languages"] = languages if isinstance(languages, str) else "+".join(languages)
    return wanted


def _pages(pages: str | Iterable[int]) -> str:
    if isinstance(pages, str):
        return pages
    numbers: list[object] = list(pages)
    if not numbers:
        raise InvalidOptions("pages=[] asks for no page at all; leave it out to have all of them")
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise InvalidOptions(f"pages has {number!r}: pages are whole numbers and are counted from 1")
    return ",".join(map(str, numbers))


def name_of(source: DocumentSource, name: str | None) -> str:
    """How the document is called in messages and in the account of its result. Raises InvalidOptions."""
    if name is not None:
        if not _is_file_name(name):
            raise InvalidOptions(f"name={name!r} is no name of a file")
        return name
    if isinstance(source, str | os.PathLike):
        return PurePath(source).name
    said = getattr(source, "name", None)
    own = PurePath(said).name if isinstance(said, str) else ""
    return own if _is_file_name(own) and not own.startswith("<") else UNNAMED


def put_into_file(source: DocumentSource, folder: Path, name: str) -> Path:
    """Where the document lies for a child to read: its own place, or a copy in that folder.

    Raises SourceUnreadable, OutputError, and TypeError for what is no document.
    """
    if isinstance(source, str | os.PathLike):
        return Path(source).absolute()
    path = folder / name
    try:
        with path.open("xb") as target:
            _copy(source, target)
    except OSError as error:
        raise writing_failed(error, path) from error
    return path


def require_source(source: object) -> None:
    """Raises TypeError for what is neither path, bytes nor a stream of bytes."""
    if isinstance(source, str | os.PathLike | bytes | bytearray | memoryview):
        return
    if isinstance(source, io.TextIOBase):
        raise TypeError("the stream gives text; open the file in binary mode: open(path, 'rb')")
    if not callable(getattr(source, "read", None)):
        raise TypeError(f"a document is a path, bytes or a stream of bytes, and not {type(source).__name__}")


def require_many(sources: object, options: ConvertOptions) -> None:
    """Raises TypeError for what is one document and not many, and what `processor_options` raises."""
    if isinstance(sources, str | os.PathLike | bytes | bytearray | memoryview | io.IOBase):
        raise TypeError("many documents are a list or another iterable of them; for one there is convert")
    processor_options(options)


def _copy(source: bytes | bytearray | memoryview | IO[bytes], target: IO[bytes]) -> None:
    if isinstance(source, bytes | bytearray | memoryview):
        target.write(source)
        return
    try:
        content = source.read(_CHUNK)
    except (OSError, ValueError) as error:
        raise SourceUnreadable(f"the stream cannot be read: {error}") from error
    if not isinstance(content, bytes | bytearray | memoryview):
        raise TypeError("the stream gives no bytes; open the file in binary mode: open(path, 'rb')")
    target.write(content)
    shutil.copyfileobj(source, target, _CHUNK)


def _is_file_name(name: str) -> bool:
    return (
        name not in ("", ".", "..")
        and not {"/", "\\", "\0"} & set(name)
        and len(name.encode("utf-8", "surrogateescape")) <= _LONGEST_NAME
    )
