"""What a program asks of a server, written down once: as steps, which one sender carries out at once and another within
an event loop."""

import asyncio
import io
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self, TypeVar

from pydantic import BaseModel

from blobforge.client.async_connection import AsyncConnection
from blobforge.client.connection import Connection
from blobforge.client.conversation import SECONDS
from blobforge.domain.errors import (
    BlobForgeError,
    OutputUnwritable,
    SourceChanged,
    SourceMissing,
    SourceUnreadable,
    StoreUnavailable,
)
from blobforge.domain.uploads import FilePart
from blobforge.wire.transfers import SignedUrlMessage

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request; its answer is a message of this kind."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    kind: type[BaseModel]
    message: BaseModel | None = None
    query: Mapping[str, str | int] = field(default_factory=dict)
    seconds: float = SECONDS

    def parameters(self) -> dict[str, Any]:
        message = self.message
        content = None if message is None else message.__pydantic_serializer__.to_json(message, warnings=False)
        headers = {} if content is None else {"Content-Type": "application/json"}
        return {"params": dict(self.query), "content": content, "headers": headers, "seconds": self.seconds}


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """Sends a file, or bytes, to a signed URL; or a part of them."""

    to: SignedUrlMessage
    source: Path | bytes
    part: FilePart | None = None

    def opened(self) -> "BinaryIO | PartReader":
        """Raises SourceMissing, SourceUnreadable."""
        file = opened(self.source)
        return file if self.part is None else PartReader(file, self.part, name=_name(self.source))


class PartReader:
    """Reads one part of a file, and not a byte more."""

    def __init__(self, file: BinaryIO, part: FilePart, *, name: str) -> None:
        self._file = file
        self._left = part.size
        self._name = name
        file.seek(part.offset)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *of_error: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Raises SourceChanged where the file has become shorter."""
        chunk = self._file.read(min(size, self._left))
        if self._left and not chunk:
            raise SourceChanged(f"{self._name} became shorter while it was sent; submit it again")
        self._left -= len(chunk)
        return chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """Fetches what is at a signed URL: into a file, or as bytes where none is named."""

    url: str
    target: Path | None = None

    def opened(self) -> AbstractContextManager[BinaryIO]:
        """Raises OutputUnwritable."""
        try:
            return io.BytesIO() if self.target is None else self.target.open("wb")
        except OSError as error:
            raise OutputUnwritable(f"{self.target} cannot be written: {error.strerror}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Something that takes its time on this machine."""

    act: Callable[[], Any]


AGAIN_AFTER = (0.5, 1.0, 2.0, 4.0)
"""Pauses before what may be done twice is done again."""

Step = Ask | Upload | Download | Delay | Work
Steps = Generator[Step, Any, Found]


def surely(begun: Callable[[], Steps[Found]]) -> Steps[Found]:
    """Steps that may be taken twice are taken again where an answer was lost. Raises StoreUnavailable for a server that
    stays away."""
    for pause in AGAIN_AFTER:
        try:
            return (yield from begun())
        except StoreUnavailable:
            yield Delay(seconds=pause)
    return (yield from begun())


def opened(source: Path | bytes) -> BinaryIO:
    """Raises SourceMissing, SourceUnreadable."""
    if isinstance(source, bytes):
        return io.BytesIO(source)
    try:
        return source.open("rb")
    except FileNotFoundError as error:
        raise SourceMissing(f"{source} is not there") from error
    except OSError as error:
        raise SourceUnreadable(f"{source} cannot be read: {error.strerror}") from error


def _name(source: Path | bytes) -> str:
    return "the document" if isinstance(source, bytes) else str(source)


def carry_out(steps: Steps[Found], connection: Connection) -> Found:
    """Raises what the steps raise."""
    follow = steps.__next__
    while True:
        try:
            step = follow()
        except StopIteration as end:
            found: Found = end.value
            return found
        try:
            answer = _done(step, connection)
        except BlobForgeError as error:
            follow = _throwing(steps, error)
        else:
            follow = _sending(steps, answer)


async def carry_out_in_loop(steps: Steps[Found], connection: AsyncConnection) -> Found:
    """The same within an event loop."""
    follow = steps.__next__
    while True:
        try:
            step = follow()
        except StopIteration as end:
            found: Found = end.value
            return found
        try:
            answer = await _done_in_loop(step, connection)
        except BlobForgeError as error:
            follow = _throwing(steps, error)
        else:
            follow = _sending(steps, answer)


def _sending(steps: Steps[Found], answer: object) -> Callable[[], Step]:
    return lambda: steps.send(answer)


def _throwing(steps: Steps[Found], error: BlobForgeError) -> Callable[[], Step]:
    return lambda: steps.throw(error)


def _done(step: Step, connection: Connection) -> object:
    match step:
        case Ask():
            return connection.parsed(connection.send(step.method, step.path, **step.parameters()), step.kind)
        case Upload():
            with step.opened() as source:
                connection.put(step.to.url, source, headers=step.to.headers)
        case Download():
            with step.opened() as target:
                target.writelines(connection.chunks(step.url))
                return _bytes_in(target)
        case Delay():
            time.sleep(step.seconds)
        case Work():
            return step.act()
    return None


async def _done_in_loop(step: Step, connection: AsyncConnection) -> object:
    match step:
        case Ask():
            return connection.parsed(await connection.send(step.method, step.path, **step.parameters()), step.kind)
        case Upload():
            with await asyncio.to_thread(step.opened) as source:
                await connection.put(step.to.url, source, headers=step.to.headers)
        case Download():
            with await asyncio.to_thread(step.opened) as target:
                await connection.read_into(step.url, target)
                return _bytes_in(target)
        case Delay():
            await asyncio.sleep(step.seconds)
        case Work():
            return await asyncio.to_thread(step.act)
    return None


def _bytes_in(target: BinaryIO) -> bytes:
    """Of what was fetched into memory; nothing for a file."""
    return target.getvalue() if isinstance(target, io.BytesIO) else b""
