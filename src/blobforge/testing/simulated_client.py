"""The interface of the SDK's S3 client over anything that answers single requests."""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import format_datetime
from functools import lru_cache
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from botocore.exceptions import ClientError

from blobforge.testing.clock import START

_READS = frozenset({"get_object", "head_object", "list_objects_v2", "list_multipart_uploads", "list_parts"})
_WRITES = frozenset({"put_object", "copy_object", "delete_object", "delete_objects"})
_PARTS = frozenset(
    {"create_multipart_upload", "upload_part", "complete_multipart_upload", "abort_multipart_upload"},
)
OPERATIONS = _READS | _WRITES | _PARTS


class S3Request(NamedTuple):
    """One HTTP request, in values that can be compared."""

    operation: str
    key: str = ""
    body: bytes = b""
    metadata: tuple[tuple[str, str], ...] = ()
    if_new: bool = False
    if_etag: str | None = None
    span: tuple[int, int] | None = None
    keys: tuple[str, ...] = ()
    prefix: str = ""
    after: str | None = None
    limit: int = 1_000
    upload: str = ""
    part: int = 0
    source: str = ""
    """Of a copy; its metadata are those of the request where it `replaces` them."""
    replaces: bool = False
    tells_digest: bool = False
    """Of its body, so that the store can notice that some is missing."""

    @property
    def is_write(self) -> bool:
        return self.operation in _WRITES or self.operation in _PARTS

    @property
    def is_conditional(self) -> bool:
        return self.if_new or self.if_etag is not None

    def __str__(self) -> str:
        what = self.operation.removesuffix("_object").removesuffix("_objects").replace("list_objects_v2", "list")
        condition = " if new" if self.if_new else " if unchanged" if self.if_etag is not None else ""
        return f"{what} {self.key or ', '.join(self.keys) or self.prefix}{condition}"


class Listed(NamedTuple):
    key: str
    size: int
    etag: str
    modified: datetime


class ListedUpload(NamedTuple):
    key: str
    upload: str
    began_at: datetime


class S3Reply(NamedTuple):
    """One HTTP reply, in values that can be compared."""

    status: int
    code: str = ""
    body: bytes = b""
    size: int = 0
    etag: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    modified: datetime = START
    listed: tuple[Listed, ...] = ()
    more: bool = False
    uploads: tuple[ListedUpload, ...] = ()
    sizes: tuple[int, ...] = ()
    """Of the parts of an upload."""
    upload: str = ""
    date: datetime = START


class SimulatedClient:
    """The operations of the SDK that `ObjectStore` calls, with the SDK's names of parameters and results."""

    def __init__(self, send: Callable[[S3Request], S3Reply]) -> None:
        self._send = send

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        if operation not in OPERATIONS:
            raise AttributeError(operation)
        return lambda **facts: self._ask(_request(operation, facts))

    def close(self) -> None:
        """There is nothing to release."""

    def _ask(self, request: S3Request) -> dict[str, Any]:
        reply = self._send(request)
        if reply.status >= 400:
            raise ClientError({"Error": {"Code": reply.code}, "ResponseMetadata": _headers(reply)}, request.operation)
        answer = _as_the_sdk_says(reply)
        if request.operation == "get_object":
            answer["Body"] = BytesIO(reply.body)
        if request.span is not None:
            answer["ContentRange"] = f"bytes {request.span[0]}-{request.span[0] + len(reply.body) - 1}/{reply.size}"
        return answer


def _request(operation: str, facts: Mapping[str, Any]) -> S3Request:
    return S3Request(
        operation,
        facts.get("Key", ""),
        body=_bytes(facts.get("Body", b"")),
        metadata=tuple(sorted(facts.get("Metadata", {}).items())),
        if_new="IfNoneMatch" in facts,
        if_etag=facts.get("IfMatch"),
        span=_span(facts.get("Range")),
        keys=tuple(entry["Key"] for entry in facts.get("Delete", {"Objects": ()})["Objects"]),
        prefix=facts.get("Prefix", ""),
        after=facts.get("ContinuationToken") or facts.get("StartAfter"),
        limit=facts.get("MaxKeys", 1_000),
        upload=facts.get("UploadId", ""),
        part=facts.get("PartNumber", 0),
        source=facts.get("CopySource", {"Key": ""})["Key"],
        replaces=facts.get("MetadataDirective") == "REPLACE",
        tells_digest="ContentMD5" in facts,
    )


def _bytes(body: bytes | BinaryIO) -> bytes:
    return body if isinstance(body, bytes) else body.read()


def _span(wanted: str | None) -> tuple[int, int] | None:
    if wanted is None:
        return None
    first, _, last = wanted.removeprefix("bytes=").partition("-")
    return int(first), int(last) if last else sys.maxsize - 1


def _as_the_sdk_says(reply: S3Reply) -> dict[str, Any]:
    listed = [
        {"Key": entry.key, "Size": entry.size, "ETag": entry.etag, "LastModified": entry.modified}
        for entry in reply.listed
    ]
    return {
        "ContentLength": reply.size,
        "ETag": reply.etag,
        "Metadata": dict(reply.metadata),
        "LastModified": reply.modified,
        "Contents": listed,
        "IsTruncated": reply.more,
        "NextContinuationToken": listed[-1]["Key"] if reply.more else None,
        "Uploads": [{"Key": one.key, "UploadId": one.upload, "Initiated": one.began_at} for one in reply.uploads],
        "Parts": [{"Size": size} for size in reply.sizes],
        "UploadId": reply.upload,
        "ResponseMetadata": _headers(reply),
    }


def _headers(reply: S3Reply) -> dict[str, Any]:
    return {"HTTPStatusCode": reply.status, "HTTPHeaders": {"date": _http_date(reply.date)}}


@lru_cache(maxsize=1_000)
def _http_date(when: datetime) -> str:
    return format_datetime(when, usegmt=True)
