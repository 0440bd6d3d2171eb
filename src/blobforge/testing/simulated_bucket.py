"""A bucket in memory with the exact rules of S3, in virtual time, one HTTP request at a time.

The real `ObjectStore` runs on top of it, so that what it does after a lost reply is what it does in production. A
`Wire` stands between a client and the bucket: it may delay a request, lose its reply, or end the client there.
"""

import hashlib
import itertools
import threading
from bisect import bisect_right
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple, Protocol

from botocore.exceptions import ConnectionClosedError

from blobforge.objectstore.answers import Retries
from blobforge.objectstore.client import PAGE, ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import S3Access
from blobforge.testing.clock import START
from blobforge.testing.simulated_client import Listed, ListedUpload, S3Reply, S3Request, SimulatedClient

NOWHERE = Place("bucket", "", S3Access(None, None, None, None))


class Held(NamedTuple):
    """An object as it is stored."""

    body: bytes
    etag: str
    metadata: tuple[tuple[str, str], ...]
    modified: datetime


class SimulatedUpload(NamedTuple):
    """A multipart upload that has begun; its parts by number."""

    key: str
    metadata: tuple[tuple[str, str], ...]
    began_at: datetime = START
    parts: tuple[tuple[int, bytes], ...] = ()


class Contents(NamedTuple):
    """The contents of a bucket. Immutable: each request returns the next one."""

    objects: Mapping[str, Held]
    uploads: Mapping[str, SimulatedUpload]
    begun: int = 0
    """How many uploads there were, which names them."""


EMPTY = Contents({}, {})


class Wire(Protocol):
    def send(self, request: S3Request) -> S3Reply:
        """Raises what the SDK raises where a reply is lost."""
        ...

    def now(self) -> datetime:
        """This client's own clock, which may be wrong."""
        ...


class SimulatedBucket:
    """One bucket for many clients. Every request takes `latency` of virtual time."""

    def __init__(
        self,
        *,
        start: datetime = START,
        latency: timedelta = timedelta(),
        compares_digests: bool = True,
    ) -> None:
        """`compares_digests`: as SeaweedFS, it keeps nothing of a PUT that tells its digest and is cut off. What older
        releases and other programs leave is staged without."""
        self.contents = EMPTY
        self.time = start
        self._latency = latency
        self._compares_digests = compares_digests
        self._cuts: list[str] = []
        self._lock = threading.Lock()

    def cut_off(self, name: str, *, times: int = 1) -> None:
        """The connection of the next PUT of an object whose name has this in it ends between the headers and the
        body."""
        self._cuts += [name] * times

    def send(self, request: S3Request) -> S3Reply:
        with self._lock:
            self.time += self._latency
            cut = next((name for name in self._cuts if name in request.key and request.operation == "put_object"), None)
            if cut is not None:
                self._cuts.remove(cut)
                self.contents = torn(self.contents, request, self.time, compares_digests=self._compares_digests)
                raise ConnectionClosedError(endpoint_url="the bucket")
            self.contents, reply = performed(self.contents, request, self.time)
        return reply

    def now(self) -> datetime:
        return self.time

    def advance(self, by: timedelta) -> None:
        self.time += by

    def objects(self) -> ObjectStore:
        """A client whose requests all arrive, in order."""
        return connected(self)


def connected(wire: Wire, *, retries: Retries | None = None) -> ObjectStore:
    """The real client over this wire. By default the waits of its retries take no time, and it gives up after
    some tens of them."""
    retries = retries or Retries(clock=itertools.count().__next__, sleep=lambda _: None, roll=lambda: 0.0)
    return ObjectStore(NOWHERE, retries=retries, client=SimulatedClient(wire.send), clock=wire.now)


def performed(contents: Contents, request: S3Request, now: datetime) -> tuple[Contents, S3Reply]:
    """The contents after a request, and its reply; atomic, as each request to S3 is, but for `delete_objects`."""
    after, reply = _OPERATIONS[request.operation](contents, request, now)
    return after, reply._replace(date=now)


def torn(contents: Contents, request: S3Request, now: datetime, *, compares_digests: bool = True) -> Contents:
    """The contents after a PUT of which the headers came, and no body: an empty object with all its metadata."""
    if request.tells_digest and compares_digests:
        return contents
    after, _ = performed(contents, request._replace(body=b""), now)
    return after


@lru_cache(maxsize=10_000)
def etag_of(body: bytes) -> str:
    """Equal bodies have equal ETags, as in S3."""
    return f'"{hashlib.md5(body).hexdigest()}"'


_NO_SUCH_KEY = S3Reply(404, "NoSuchKey")
_NO_SUCH_UPLOAD = S3Reply(404, "NoSuchUpload")
_NOT_AS_EXPECTED = S3Reply(412, "PreconditionFailed")
_DONE = S3Reply(204)

_Outcome = tuple[Contents, S3Reply]


def _get(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    held = contents.objects.get(request.key)
    if held is None:
        return contents, _NO_SUCH_KEY
    if request.if_etag not in (None, held.etag):
        return contents, _NOT_AS_EXPECTED
    body = held.body if request.span is None else held.body[request.span[0] : request.span[1] + 1]
    facts = S3Reply(200, body=body, size=len(held.body), etag=held.etag, metadata=held.metadata, modified=held.modified)
    return contents, facts


def _head(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    contents, reply = _get(contents, request, now)
    return contents, reply._replace(body=b"")


def _put(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    refused = _refused(contents, request)
    if refused is not None:
        return contents, refused
    held = Held(request.body, etag_of(request.body), request.metadata, now)
    return _with(contents, request.key, held), S3Reply(200, etag=held.etag)


def _copy(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    held = contents.objects.get(request.source)
    if held is None:
        return contents, _NO_SUCH_KEY
    metadata = request.metadata if request.replaces else held.metadata
    copy = held._replace(metadata=metadata, modified=now)
    return _with(contents, request.key, copy), S3Reply(200, etag=copy.etag)


def _delete(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    if request.if_etag is not None:
        held = contents.objects.get(request.key)
        if held is None or held.etag != request.if_etag:
            return contents, _NOT_AS_EXPECTED
    return without(contents, request.key), _DONE


def _delete_all(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    for key in request.keys:
        contents = without(contents, key)
    return contents, S3Reply(200)


def _list(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    # In the order of the bytes of UTF-8, which differs from that of Python's strings for no character.
    keys = sorted(key for key in contents.objects if key.startswith(request.prefix))
    first = 0 if request.after is None else bisect_right(keys, request.after)
    chosen = keys[first : first + min(request.limit, PAGE)]
    more = first + len(chosen) < len(keys)
    held = ((key, contents.objects[key]) for key in chosen)
    listed = tuple(Listed(key, len(this.body), this.etag, this.modified) for key, this in held)
    return contents, S3Reply(200, listed=listed, more=more)


def _begin_upload(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    name = f"upload-{contents.begun}"
    uploads = {**contents.uploads, name: SimulatedUpload(request.key, request.metadata, now)}
    return contents._replace(uploads=uploads, begun=contents.begun + 1), S3Reply(200, upload=name)


def _list_uploads(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    begun = sorted((upload.key, name, upload.began_at) for name, upload in contents.uploads.items())
    return contents, S3Reply(
        200, uploads=tuple(ListedUpload(*one) for one in begun if one[0].startswith(request.prefix))
    )


def _list_parts(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    upload = contents.uploads.get(request.upload)
    if upload is None:
        return contents, _NO_SUCH_UPLOAD
    return contents, S3Reply(200, sizes=tuple(len(body) for _, body in upload.parts))


def _upload_part(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    upload = contents.uploads.get(request.upload)
    if upload is None:
        return contents, _NO_SUCH_UPLOAD
    parts = {**dict(upload.parts), request.part: request.body}
    uploads = {**contents.uploads, request.upload: upload._replace(parts=tuple(sorted(parts.items())))}
    return contents._replace(uploads=uploads), S3Reply(200, etag=etag_of(request.body))


def _complete_upload(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    upload = contents.uploads.get(request.upload)
    if upload is None:
        return contents, _NO_SUCH_UPLOAD
    refused = _refused(contents, request)
    if refused is not None:
        return contents, refused
    body = b"".join(part for _, part in upload.parts)
    sums = b"".join(hashlib.md5(part).digest() for _, part in upload.parts)
    held = Held(body, f'"{hashlib.md5(sums).hexdigest()}-{len(upload.parts)}"', upload.metadata, now)
    return _with(_forgotten(contents, request.upload), upload.key, held), S3Reply(200, etag=held.etag)


def _abort_upload(contents: Contents, request: S3Request, now: datetime) -> _Outcome:
    if request.upload not in contents.uploads:
        return contents, _NO_SUCH_UPLOAD
    return _forgotten(contents, request.upload), _DONE


def _refused(contents: Contents, request: S3Request) -> S3Reply | None:
    held = contents.objects.get(request.key)
    if request.if_new:
        return None if held is None else _NOT_AS_EXPECTED
    if request.if_etag is None:
        return None
    if held is None:
        return _NO_SUCH_KEY
    return None if held.etag == request.if_etag else _NOT_AS_EXPECTED


def _with(contents: Contents, key: str, held: Held) -> Contents:
    return contents._replace(objects={**contents.objects, key: held})


def without(contents: Contents, key: str) -> Contents:
    if key not in contents.objects:
        return contents
    return contents._replace(objects={name: held for name, held in contents.objects.items() if name != key})


def _forgotten(contents: Contents, upload: str) -> Contents:
    return contents._replace(uploads={name: kept for name, kept in contents.uploads.items() if name != upload})


_OPERATIONS = {
    "get_object": _get,
    "head_object": _head,
    "put_object": _put,
    "copy_object": _copy,
    "delete_object": _delete,
    "delete_objects": _delete_all,
    "list_objects_v2": _list,
    "list_multipart_uploads": _list_uploads,
    "list_parts": _list_parts,
    "create_multipart_upload": _begin_upload,
    "upload_part": _upload_part,
    "complete_multipart_upload": _complete_upload,
    "abort_multipart_upload": _abort_upload,
}
