"""The messages of the queue protocol for files that are sent in parts."""

from typing import Annotated

from pydantic import BaseModel, Field

from blobforge.wire.bounds import Project, Size, Word
from blobforge.wire.queue import Lease
from blobforge.wire.transfers import SignedUrlMessage


class SourcePartsRequest(BaseModel):
    """A document that is sent in parts: which of them are missing?"""

    project: Project = None
    source_hash: str
    size: Annotated[Size, Field(ge=1)]


class ResultPartsRequest(BaseModel):
    """The same of the result of a job, under its lease."""

    lease: Lease
    recipe: Word | None = None
    size: Annotated[Size, Field(ge=1)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class PartMessage(BaseModel):
    """The bytes of the file from `offset` on, `size` of them, go to this address."""

    number: int
    offset: int
    size: int
    to: SignedUrlMessage


class PartsAnswer(BaseModel):
    """The next parts to be sent, of `missing` ones in all. Asked again, it says what is missing by then: after a break,
    after an address has expired, or in another process."""

    upload: str
    total: int
    missing: int
    parts: list[PartMessage]
