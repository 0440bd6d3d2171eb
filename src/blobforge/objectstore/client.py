"""Objects by name below a prefix. Every request is sent here, counted, and retried where that is safe."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from botocore.exceptions import ClientError

from blobforge.domain.errors import InvalidSettings, SourceTooLarge
from blobforge.objectstore.answers import SETTING, Absent, LostRace, Retries, is_s3_s_own, no_s3
from blobforge.objectstore.connection import Contact, client_of, contact_with
from blobforge.objectstore.cut_writes import content_md5, is_remains
from blobforge.objectstore.fetching import Fetched
from blobforge.objectstore.metadata import decoded, encoded
from blobforge.objectstore.place import Place
from blobforge.telemetry.slow_answers import Patience

PAGE = 1_000
"""The most names in one page of a listing, and in one request that deletes."""
LARGEST_PUT = 5 * 1024**3
"""The most bytes of one PUT, on AWS and compatible stores."""

_WITH_ETAG = ("get_object", "head_object", "put_object")
"""Their responses have an ETag; a web server that is no S3 store may answer too, without one."""


class ObjectFacts(NamedTuple):
    """An object without its body."""

    name: str
    size: int
    etag: str
    modified: datetime
    metadata: Mapping[str, str] = {}
    """Empty in listings."""


class StoredObject(NamedTuple):
    """An object with its body, as one request gave it."""

    body: bytes
    etag: str
    metadata: Mapping[str, str]
    modified: datetime


class Folder(NamedTuple):
    """What is directly below a prefix: objects, and prefixes that end with a slash."""

    objects: tuple[str, ...]
    folders: tuple[str, ...]


class Only(NamedTuple):
    """A condition: if there is no such object, or if it is still the one with this ETag."""

    if_new: bool = False
    if_etag: str | None = None

    def as_facts(self) -> dict[str, Any]:
        facts = {"IfNoneMatch": "*"} if self.if_new else {}
        return facts | ({"IfMatch": self.if_etag} if self.if_etag is not None else {})


ALWAYS = Only()


class ObjectStore:
    """Threads may share it. What a cut write has left counts as not there (`cut_writes`)."""

    def __init__(
        self,
        place: Place,
        *,
        retries: Retries | None = None,
        client: object | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """`client` has the interface of the SDK's, and `clock` is this machine's: a simulated bucket supplies both."""
        self.place = place
        self.requests: Counter[str] = Counter()
        """How many of each kind were sent, retries included."""
        self._retries = retries or Retries()
        self._client: Any = client or client_of(place)
        self._contact = Contact(made=True) if client is not None else contact_with(place)
        self._clock = clock or _clock_of_this_machine
        self._ahead = timedelta()
        self.server = ""
        """The `Server` header of the last response."""
        self.tells_time = False

    def now(self) -> datetime:
        """The clock of the store, by the `Date` of its last response: the clocks of workers may be wrong."""
        return self._clock() + self._ahead

    def now_here(self) -> datetime:
        """The clock of this machine. That of the store is off by as long as this one slept before a response was read,
        until the next one."""
        return self._clock()

    @property
    def ahead(self) -> timedelta:
        """Of the store's clock, before this machine's; 0 before the first response."""
        return self._ahead

    def get(self, name: str) -> StoredObject | None:
        """A small object, whole. None only when there is none."""
        try:
            answer = self._ask("get_object", name, whole=True)
        except Absent:
            return None
        if is_remains(name, len(answer["Body"])):
            return None
        return StoredObject(answer["Body"], answer["ETag"], decoded(answer["Metadata"]), answer["LastModified"])

    def head(self, name: str) -> ObjectFacts | None:
        there = self._head(name)
        return None if there is None or is_remains(name, there.size) else there

    def remains(self, name: str) -> ObjectFacts | None:
        """What a cut write has left under this name."""
        there = self._head(name)
        return there if there is not None and is_remains(name, there.size) else None

    def _head(self, name: str) -> ObjectFacts | None:
        try:
            answer = self._ask("head_object", name)
        except Absent:
            return None
        metadata = decoded(answer.get("Metadata", {}))
        return ObjectFacts(name, answer["ContentLength"], answer["ETag"], answer["LastModified"], metadata)

    def ranged(self, name: str, *, first: int, last: int, etag: str) -> bytes | None:
        """Bytes of the object with this ETag; None when it was replaced. Raises Absent."""
        try:
            answer = self._ask("get_object", name, whole=True, Range=f"bytes={first}-{last}", IfMatch=etag)
        except LostRace:
            return None
        return bytes(answer["Body"])

    def put(
        self, name: str, body: bytes, *, only: Only = ALWAYS, metadata: Mapping[str, str] | None = None
    ) -> str | None:
        """The ETag of what was written; None when the condition did not hold.

        When an earlier try got no response, it may itself be why the condition does not hold: then the bytes of the
        object tell whether it is ours. A body that must not be mistaken has a nonce in it.
        """

        def written_before() -> str | None:
            there = self.get(name)
            return there.etag if there is not None and there.body == body else None

        return self._put(name, only, written_before, Body=body, Metadata=encoded(metadata or {}))

    def put_file(
        self, name: str, path: Path, *, only: Only = ALWAYS, metadata: Mapping[str, str] | None = None
    ) -> str | None:
        """A file of up to 5 GB in one request. The ETag; None when the condition did not hold.

        As with `put`, the existing object may be our own, of a try whose response was lost. Its bytes are too many to
        compare: it is ours when it has this size and this metadata, which must therefore hold a nonce wherever there
        is a condition. Raises OSError, SourceTooLarge.
        """
        headers = encoded(metadata or {})

        def written_before() -> str | None:
            there = self.head(name)
            return there.etag if there and (there.size, there.metadata) == (size, decoded(headers)) else None

        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size > LARGEST_PUT:
                raise SourceTooLarge(f"{path} is larger than 5 GB, the most that a bucket takes in one request")
            return self._put(name, only, written_before, Body=file, ContentLength=size, Metadata=headers)

    def _put(self, name: str, only: Only, written_before: Callable[[], str | None], **facts: Any) -> str | None:
        """What a cut write has left is replaced: by a write of something new whoever left it, by any other where that
        was an earlier try of its own."""
        while True:
            try:
                return str(self._ask("put_object", name, **facts, **only.as_facts())["ETag"])
            except Absent:
                return None
            except LostRace as lost:
                left = self.remains(name) if only.if_new or lost.is_unclear else None
                if left is None or left.etag == only.if_etag:
                    return written_before() if lost.is_unclear else None
                if not only.if_new and left.metadata != decoded(facts["Metadata"]):
                    return None  # it is another's
                only = Only(if_etag=left.etag)

    def fetch(self, name: str, target: BinaryIO) -> Mapping[str, str]:
        """Writes an object's bytes from the beginning of the target, and returns its metadata. Raises Absent, OSError.

        One request if no connection breaks. After a break the rest of the same object is requested; if it was replaced
        by then, all of the new one.
        """
        fetched = Fetched(target)
        while not fetched.is_whole:
            try:
                self._ask("get_object", name, into=fetched, **fetched.condition)
            except LostRace:
                fetched = Fetched(target)
        if is_remains(name, fetched.size):
            raise Absent
        return fetched.metadata

    def delete(self, name: str, *, only: Only = ALWAYS, before_each: Callable[[], None] | None = None) -> bool:
        """False when the condition did not hold. An absent object is no error. What is raised `before_each` try ends
        them."""
        try:
            self._ask("delete_object", name, before_each=before_each, **only.as_facts())
        except Absent as absent:
            return only == ALWAYS or absent.is_unclear
        except LostRace as lost:
            return lost.is_unclear and self._head(name) is None
        return True

    def delete_many(self, names: Sequence[str]) -> None:
        """Absent ones are no error. Raises StoreUnavailable when one could not be deleted."""
        for start in range(0, len(names), PAGE):
            wanted = [{"Key": self.place.key(name)} for name in names[start : start + PAGE]]
            answer = self._send("delete_objects", Delete={"Objects": wanted, "Quiet": True})
            for failed in answer.get("Errors", []):
                self.delete(self.place.name(failed["Key"]))

    def page(self, prefix: str, *, after: str | None = None, limit: int = PAGE) -> list[ObjectFacts]:
        """The next objects with this prefix after `after`, in the order of the store."""
        facts: dict[str, Any] = {"Prefix": self.place.key(prefix), "MaxKeys": limit}
        if after is not None:
            facts["StartAfter"] = self.place.key(after)
        return self._listed(self._list(**facts))

    def all(self, prefix: str, *, remains: list[str] | None = None) -> Iterator[ObjectFacts]:
        """By continuation tokens, because not every store lists in the order of bytes. `remains` gets the names of what
        cut writes have left."""
        facts: dict[str, Any] = {"Prefix": self.place.key(prefix), "MaxKeys": PAGE}
        while True:
            answer = self._list(**facts)
            yield from self._listed(answer, remains)
            if not answer.get("IsTruncated"):
                return
            facts["ContinuationToken"] = answer["NextContinuationToken"]

    def uploads(self, prefix: str = "") -> Iterator[tuple[str, str, datetime]]:
        """Name, id and beginning of every upload in parts that is not finished."""
        facts: dict[str, Any] = {"Prefix": self.place.key(prefix)}
        while True:
            answer = self._send("list_multipart_uploads", **facts)
            for entry in answer.get("Uploads", []):
                # Not every store filters by the prefix here.
                if entry["Key"].startswith(facts["Prefix"]):
                    yield self.place.name(entry["Key"]), entry["UploadId"], entry["Initiated"]
            if not answer.get("IsTruncated"):
                return
            facts |= {"KeyMarker": answer["NextKeyMarker"], "UploadIdMarker": answer["NextUploadIdMarker"]}

    def folder(self, prefix: str = "") -> Folder:
        """What is directly below a prefix, in the first page of the listing."""
        answer = self._list(Prefix=self.place.key(prefix), Delimiter="/", MaxKeys=PAGE)
        return Folder(
            objects=tuple(facts.name for facts in self._listed(answer)),
            folders=tuple(self.place.name(entry["Prefix"]) for entry in answer.get("CommonPrefixes", [])),
        )

    def about_bucket(self, question: str) -> Mapping[str, Any] | None:
        """A setting, by get_bucket_versioning or the like. None where it has none, or we may not read it."""
        try:
            return self._send(question)
        except (Absent, LostRace, InvalidSettings):
            return None

    def presigned(self, name: str, *, method: str, valid_for: timedelta, size: int | None = None) -> str:
        """A URL that allows to GET or PUT this object without keys, for a limited time; `size` is of what is put."""
        operation = {"GET": "get_object", "PUT": "put_object"}[method]
        return self._presigned(operation, name, valid_for, {} if size is None else {"ContentLength": size})

    def presigned_part(self, name: str, upload_id: str, number: int, *, size: int, valid_for: timedelta) -> str:
        """A URL that allows to write this part of an upload in parts, in exactly this size."""
        facts = {"UploadId": upload_id, "PartNumber": number, "ContentLength": size}
        return self._presigned("upload_part", name, valid_for, facts)

    def _presigned(self, operation: str, name: str, valid_for: timedelta, facts: Mapping[str, object]) -> str:
        target = {"Bucket": self.place.bucket, "Key": self.place.key(name), **facts}
        seconds = int(valid_for.total_seconds())
        return str(self._client.generate_presigned_url(operation, Params=target, ExpiresIn=seconds))

    def copy(self, source: str, target: str) -> None:
        """Within the bucket; an object of up to 5 GB, in one request. Raises Absent."""
        self._ask("copy_object", target, CopySource={"Bucket": self.place.bucket, "Key": self.place.key(source)})

    def renew(self, name: str, *, metadata: Mapping[str, str]) -> None:
        """As if it were stored now, with this metadata; an object of up to 5 GB. Raises Absent."""
        origin = {"Bucket": self.place.bucket, "Key": self.place.key(name)}
        # S3 copies an object onto itself only where something of it is replaced.
        self._ask("copy_object", name, CopySource=origin, Metadata=encoded(metadata), MetadataDirective="REPLACE")

    def close(self) -> None:
        self._client.close()

    def transfer(self, what: str, name: str, **facts: Any) -> dict[str, Any]:
        """A request of the transfers module, which handles bodies that do not fit into memory."""
        return self._ask(what, name, **facts)

    def _ask(
        self,
        operation: str,
        name: str,
        *,
        whole: bool = False,
        into: Fetched | None = None,
        before_each: Callable[[], None] | None = None,
        **facts: Any,
    ) -> dict[str, Any]:
        key = self.place.key(name)
        if "Body" in facts:
            facts["ContentMD5"] = content_md5(facts["Body"])
        return self._send(operation, whole=whole, into=into, before_each=before_each, Key=key, **facts)

    def _send(
        self,
        operation: str,
        *,
        whole: bool = False,
        into: Fetched | None = None,
        before_each: Callable[[], None] | None = None,
        **facts: Any,
    ) -> dict[str, Any]:
        call = getattr(self._client, operation)
        body: Any = facts.get("Body")

        def request() -> dict[str, Any]:
            if hasattr(body, "seek"):
                body.seek(0)
            if before_each is not None:
                before_each()
            self.requests[operation] += 1
            try:
                answer: dict[str, Any] = call(Bucket=self.place.bucket, **facts)
            except ClientError as error:
                self._read_headers(error.response)
                self._contact.made = self._contact.made or is_s3_s_own(error)
                raise
            self._read_headers(answer)
            if operation in _WITH_ETAG and "ETag" not in answer:
                raise no_s3(str(self.place), self.place.access.endpoint_url)
            self._contact.made = True
            # Inside the retried request: a connection may break in the middle of a body.
            if whole:
                answer["Body"] = answer["Body"].read()
            if into is not None:
                into.take(answer)
            return answer

        is_conditional = "IfMatch" in facts or "IfNoneMatch" in facts
        patience = Patience(self.place.address, setting=SETTING)
        if not self._contact.made:
            patience.begin()
        try:
            return self._retries.run(
                str(self.place),
                request,
                is_conditional=is_conditional,
                has_answered=lambda: self._contact.made,
                endpoint=self.place.access.endpoint_url,
                on_refusal=patience.refused,
            )
        finally:
            patience.end()

    def _list(self, **facts: Any) -> dict[str, Any]:
        """A 404 here is no S3 store: one lists an empty bucket too, and has a code of its own for a missing one."""
        try:
            return self._send("list_objects_v2", **facts)
        except Absent as error:
            raise no_s3(str(self.place), self.place.access.endpoint_url) from error

    def _listed(self, answer: Mapping[str, Any], remains: list[str] | None = None) -> list[ObjectFacts]:
        listed = [
            ObjectFacts(self.place.name(entry["Key"]), entry["Size"], entry["ETag"], entry["LastModified"])
            for entry in answer.get("Contents", [])
        ]
        if remains is not None:
            remains += [facts.name for facts in listed if is_remains(facts.name, facts.size)]
        return [facts for facts in listed if not is_remains(facts.name, facts.size)]

    def _read_headers(self, answer: Mapping[str, Any]) -> None:
        headers = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
        self.server = headers.get("server", self.server)
        if date := headers.get("date"):
            self._ahead = parsedate_to_datetime(date) - self._clock()
            self.tells_time = True


def _clock_of_this_machine() -> datetime:
    return datetime.now(UTC)
