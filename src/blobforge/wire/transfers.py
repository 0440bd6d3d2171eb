"""The messages of the queue protocol for bytes: where they are uploaded to and had from."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from blobforge.ports.transfers import SignedUrl
from blobforge.wire.bounds import Project, Size, Text, Word
from blobforge.wire.queue import MOST_AT_ONCE, Lease


class UploadRequest(BaseModel):
    """An address to upload the result of a job, under its lease."""

    lease: Lease
    recipe: Word | None = None
    size: Size | None = None


class SignedUrlMessage(BaseModel):
    """What its holder may do once, or a few times, until it expires: the request must have the headers."""

    url: str
    method: str
    expires_in: int
    headers: dict[str, str] = {}

    @classmethod
    def of(cls, signed: SignedUrl) -> "SignedUrlMessage":
        return cls(url=signed.url, method=signed.method, expires_in=signed.expires_in, headers=dict(signed.headers))


class UploadAnswer(BaseModel):
    """`upload` is what the ending names."""

    upload: str
    to: SignedUrlMessage


class BlobRequest(BaseModel):
    """A blob by its key. A worker names the lease under which it needs it."""

    key: Annotated[str, Field(max_length=300)]
    project: Project = None
    lease: Lease | None = None


class BlobAnswer(BaseModel):
    """None where there is no such blob."""

    size: int | None = None
    modified: datetime | None = None
    source: SignedUrlMessage | None = None


class StatRequest(BaseModel):
    project: Project = None
    keys: Annotated[list[Text], Field(max_length=MOST_AT_ONCE)]


class BlobRow(BaseModel):
    key: str
    size: int
    modified: datetime


class BlobRows(BaseModel):
    blobs: list[BlobRow]


class ErrorLogMessage(BaseModel):
    """The error log of a document, as the worker that had the job last has added to it."""

    lease: Lease
    log: Annotated[str, Field(max_length=1_000_000)]
