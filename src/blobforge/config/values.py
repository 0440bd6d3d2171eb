"""The kinds of values that settings take, and the words for them."""

import re
from dataclasses import KW_ONLY, dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from blobforge.domain.addresses import has_dot_parts, is_readable
from blobforge.domain.errors import InvalidValue
from blobforge.domain.file_rights import FileRights
from blobforge.domain.ids import parse_name
from blobforge.domain.run_window import parse_run_windows
from blobforge.domain.worker_report import MOST_SLOTS

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Says:
    """What a setting means. `name` where it is not <section>_<field>; `default` where that depends on the machine;
    `flag` where the commands call it otherwise."""

    meaning: str
    _: KW_ONLY
    name: str = ""
    aliases: tuple[str, ...] = ()
    default: str = ""
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Expects:
    """What a value must look like, in words that follow "expected"."""

    text: str


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _none_for_auto(value: object) -> object:
    return None if isinstance(value, str) and value.lower() == "auto" else value


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()


def _home(path: Path) -> Path:
    """The addresses of the queue and the store in it are kept as text."""
    absolute = _absolute(path)
    str(absolute).encode()
    return absolute


def _url(text: str) -> str:
    if not _SCHEME.fullmatch(text) or not is_readable(text):
        raise ValueError("no address")
    return text


def _endpoint(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"[^!-~]", text):
        raise ValueError("no address")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("it holds more than an address")
    if parts.port == 0:
        raise ValueError("no port")
    return text


def _key_prefix(text: str) -> str:
    if has_dot_parts(text):
        raise ValueError("parts that mean another place")
    return text


def _networks(text: str) -> str:
    """As uvicorn reads them."""
    words = [word.strip() for word in text.split(",")]
    return ",".join(str(ip_network(word)) if "/" in word else str(ip_address(word)) for word in words)


def _project(text: str) -> str:
    try:
        return parse_name(text, of="project")
    except InvalidValue as error:
        raise ValueError(str(error)) from error


def _run_windows(text: str) -> str:
    try:
        return ",".join(map(str, parse_run_windows(text)))
    except InvalidValue as error:
        raise ValueError(str(error)) from error


# Every number has an upper bound too: what is absurd ends in words, and not as memory that is gone or a time that
# no calendar has.
TEN_YEARS_IN_SECONDS = 315_360_000
MOST_MEGABYTES = 16_777_216

Slots = Annotated[int, Field(ge=1, le=MOST_SLOTS), Expects(f"a whole number from 1 to {MOST_SLOTS}")]
Count = Annotated[int, Field(ge=1, le=1_000_000), Expects("a whole number from 1 to 1000000")]
Pictures = Annotated[int, Field(ge=1, le=90_000), Expects("a whole number from 1 to 90000")]
OpenFiles = Annotated[int, Field(ge=32, le=1_000_000), Expects("a whole number from 32 to 1000000")]
Megabytes = Annotated[
    int, Field(ge=64, le=MOST_MEGABYTES), Expects(f"a whole number of megabytes, from 64 to {MOST_MEGABYTES}")
]
Seconds = Annotated[
    float, Field(gt=0, le=TEN_YEARS_IN_SECONDS), Expects("a number of seconds above 0, and at most ten years")
]
MinutesOrNone = Annotated[
    Annotated[float, Field(gt=0, le=TEN_YEARS_IN_SECONDS / 60)] | None,
    Expects("a number of minutes above 0, and at most ten years"),
]
Days = Annotated[int, Field(ge=0, le=36_500), Expects("a whole number of days up to 36500; 0 for never")]
WholeSeconds = Annotated[
    int, Field(ge=1, le=TEN_YEARS_IN_SECONDS), Expects("a whole number of seconds, at least 1 and at most ten years")
]
SecondsOrNone = Annotated[
    float, Field(ge=0, le=TEN_YEARS_IN_SECONDS), Expects("a number of seconds, 0 or more, and at most ten years")
]
YesOrNo = Annotated[bool, Expects("1 or 0, true or false, yes or no")]
Folder = Annotated[Path, AfterValidator(_home), Expects("the path of a folder, in UTF-8")]
_QUEUES = Expects(
    "a URL such as sqlite:////srv/blobforge/queue.db or postgresql://USER:PASSWORD@HOST:PORT/DATABASE, where signs "
    "such as @ / [ and white space in the password are percent-encoded (%40 %2F %5B %20)"
)
QueueUrl = Annotated[str, AfterValidator(_url), _QUEUES]
StoreUrl = Annotated[
    str, AfterValidator(_url), Expects("a URL such as file:///srv/blobforge/blobs or s3://bucket/prefix")
]
Bucket = Annotated[
    str,
    Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?$"),
    Expects("the name of a bucket, such as my-documents"),
]
KeyPrefix = Annotated[
    str,
    Field(pattern=r"^[^\x00-\x1f]*$"),
    AfterValidator(_key_prefix),
    Expects("a text such as pdf/, without the parts . and .."),
]
_Word = Annotated[str, Field(pattern=r"^[!-~]+$")]
EndpointUrl = Annotated[
    Annotated[str, AfterValidator(_endpoint)] | None,
    BeforeValidator(_none_for_auto),
    Expects("'auto', or http:// or https:// with a host and perhaps a port, such as http://127.0.0.1:8333"),
]
ServerUrl = Annotated[
    str,
    AfterValidator(lambda text: _endpoint(text) if text else text),
    Expects("http:// or https:// with a host and perhaps a port, such as https://blobforge.example.org"),
]
Networks = Annotated[
    Annotated[str, AfterValidator(_networks)] | None,
    BeforeValidator(_none_for_auto),
    Expects("'auto', or addresses and networks with commas, such as 10.0.0.7,192.168.0.0/24"),
]
Port = Annotated[int, Field(ge=0, le=65_535), Expects("a whole number from 0 to 65535; 0 is any free port")]
FileOrNone = Annotated[
    Annotated[Path, AfterValidator(_absolute)] | None,
    BeforeValidator(_none_for_auto),
    Expects("'auto', or the path of a file"),
]
WordOrAuto = Annotated[_Word | None, BeforeValidator(_none_for_auto), Expects("'auto', or a word without spaces")]
Project = Annotated[
    str,
    AfterValidator(_project),
    Expects("up to 64 lower-case letters, digits, '.', '_' or '-', beginning with a letter or digit"),
]
WorkerName = Annotated[
    Annotated[str, Field(pattern=r"^[!-~]{1,128}$")] | None,
    BeforeValidator(_none_for_auto),
    Expects("'auto', or up to 128 letters, digits and signs without spaces"),
]
Engine = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$"), Expects("the name of an engine")]
Languages = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9_/-]+(\+[A-Za-z0-9_/-]+)*$"),
    Expects("'auto', or Tesseract's names of languages, joined by '+', such as eng+deu"),
]
LogLevel = Annotated[
    Literal["DEBUG", "INFO", "WARNING", "ERROR"],
    BeforeValidator(_upper),
    Expects("DEBUG, INFO, WARNING or ERROR"),
]
LogFormat = Annotated[Literal["auto", "json", "text"], BeforeValidator(_lower), Expects("auto, json or text")]
RunWindows = Annotated[
    str,
    AfterValidator(_run_windows),
    Expects("times of day such as 22:00-06:00, several with commas between them"),
]
Rights = Annotated[FileRights, BeforeValidator(_lower), Expects("private, group or umask")]
OnTerm = Annotated[Literal["release", "finish"], BeforeValidator(_lower), Expects("release or finish")]
Sandbox = Annotated[Literal["auto", "required", "off"], BeforeValidator(_lower), Expects("auto, required or off")]
Places = Annotated[
    str,
    Field(pattern=r"^([/~][^:]*(:[/~][^:]*)*)?$"),
    Expects("paths that begin with / or ~, with ':' between them"),
]
Names = Annotated[
    str,
    Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*(,[A-Za-z_][A-Za-z0-9_]*)*)?$"),
    Expects("names of variables such as HF_TOKEN, with commas between them"),
]
