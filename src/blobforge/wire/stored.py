"""The messages for what clients bring to a store: documents, and parts of the manifest."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from blobforge.ports.shards import Shard
from blobforge.wire.bounds import Project, Size
from blobforge.wire.queue import MOST_AT_ONCE
from blobforge.wire.transfers import SignedUrlMessage

BYTES = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")


class SourceUploadRequest(BaseModel):
    """An address for a document of so many bytes."""

    project: Project = None
    source_hash: str
    size: Annotated[int, Field(ge=1)]


class SourceUploadAnswer(BaseModel):
    """`upload` is what tells of it when it is done."""

    upload: str
    to: SignedUrlMessage


class SourcePlaced(BaseModel):
    """A document was uploaded; `size` is that of one that was sent in parts."""

    project: Project = None
    source_hash: str
    upload: str
    size: Size | None = None


class SourceReceipt(BaseModel):
    """Goes with the jobs of this document: that its sender had the bytes."""

    receipt: str
    size: int


class ShardRequest(BaseModel):
    """A part of the manifest, by its name."""

    name: str


class ShardAnswer(BaseModel):
    """Its body as Base64; None where there is none."""

    model_config = BYTES

    body: bytes | None = None
    version: str = ""

    @classmethod
    def of(cls, shard: Shard) -> "ShardAnswer":
        return cls.model_construct(**shard._asdict())

    def as_shard(self) -> Shard | None:
        return None if self.body is None else Shard(self.body, self.version)


class ShardPut(BaseModel):
    """Only if it still has the version `seen`; with None, only if there is none."""

    model_config = BYTES

    name: str
    body: bytes
    seen: str | None = None


class ShardPutAnswer(BaseModel):
    done: bool


class ShardFactsRow(BaseModel):
    name: str
    size: int
    modified: datetime


class ShardFactsRows(BaseModel):
    shards: list[ShardFactsRow]


class ShardNames(BaseModel):
    names: Annotated[list[str], Field(max_length=MOST_AT_ONCE)]
