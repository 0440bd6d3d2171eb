"""Objects by name below a place. Every request passes here, is counted, and is tried again where that is safe."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import boto3
from botocore.config import Config

from blobforge.objectstore.place import Place
from blobforge.objectstore.trouble import Absent, LostRace, Patience

CONNECT_SECONDS = 5
READ_SECONDS = 60
PAGE = 1_000
"""As many names as one listing gives, and as many as one request deletes."""


class ObjectFacts(NamedTuple):
    name: str
    size: int
    etag: str
    modified: datetime


class StoredObject(NamedTuple):
    body: bytes
    etag: str
    metadata: Mapping[str, str]


class Only(NamedTuple):
    """A condition: if there is no such object, or if it is still the one with this ETag."""

    if_new: bool = False
    if_etag: str | None = None

    def as_facts(self) -> dict[str, Any]:
        facts = {"IfNoneMatch": "*"} if self.if_new else {}
        return facts | ({"IfMatch": self.if_etag} if self.if_etag is not None else {})


ALWAYS = Only()


class ObjectStore:
    """Threads may share it."""

    def __init__(self, place: Place, *, patience: Patience | None = None) -> None:
        self.place = place
        self.requests: Counter[str] = Counter()
        """How many of each kind were sent, tries included."""
        self._patience = patience or Patience()
        self._client = _client(place)
        self._ahead = timedelta()

    def now(self) -> datetime:
        """The time of the store, as far as its last answer told: the clocks of workers may be wrong."""
        return datetime.now(UTC) + self._ahead

    def get(self, name: str) -> StoredObject | None:
        """A small object, whole. None when there is none, and only then."""
        try:
            answer = self._ask("get_object", name, whole=True)
        except Absent:
            return None
        return StoredObject(answer["Body"], answer["ETag"], answer["Metadata"])

    def head(self, name: str) -> ObjectFacts | None:
        try:
            answer = self._ask("head_object", name)
        except Absent:
            return None
        return ObjectFacts(name, answer["ContentLength"], answer["ETag"], answer["LastModified"])

    def ranged(self, name: str, *, first: int, last: int, etag: str) -> bytes | None:
        """Bytes of the very object with this ETag; None when it is another one by now. Raises Absent."""
        try:
            answer = self._ask("get_object", name, whole=True, Range=f"bytes={first}-{last}", IfMatch=etag)
        except LostRace:
            return None
        body: bytes = answer["Body"]
        return body

    def put(
        self, name: str, body: bytes, *, only: Only = ALWAYS, metadata: Mapping[str, str] | None = None
    ) -> str | None:
        """The ETag of what was written; None when the condition did not hold.

        When an earlier try was left without an answer, a condition that does not hold may be our own doing: then the
        object itself says whether it is ours, by its bytes. A body that must not be mistaken has a nonce in it.
        """
        try:
            answer = self._ask("put_object", name, Body=body, Metadata=dict(metadata or {}), **only.as_facts())
        except Absent:
            return None
        except LostRace as lost:
            there = self.get(name) if lost.is_unclear else None
            return there.etag if there is not None and there.body == body else None
        return str(answer["ETag"])

    def delete(self, name: str, *, only: Only = ALWAYS) -> bool:
        """False when the condition did not hold. An absent object is no error."""
        try:
            self._ask("delete_object", name, **only.as_facts())
        except Absent:
            return only is ALWAYS
        except LostRace as lost:
            return lost.is_unclear and self.head(name) is None
        return True

    def delete_many(self, names: Sequence[str]) -> None:
        """Absent ones are no error. Raises StoreUnavailable when one could not be deleted."""
        for start in range(0, len(names), PAGE):
            wanted = [{"Key": self.place.key(name)} for name in names[start : start + PAGE]]
            answer = self._send("delete_objects", Delete={"Objects": wanted, "Quiet": True})
            for failed in answer.get("Errors", []):
                self.delete(self.place.name(failed["Key"]))

    def page(self, prefix: str, *, after: str | None = None, limit: int = PAGE) -> list[ObjectFacts]:
        """The next objects whose names begin so, in the order of the store, from behind `after`."""
        facts: dict[str, Any] = {"Prefix": self.place.key(prefix), "MaxKeys": limit}
        if after is not None:
            facts["StartAfter"] = self.place.key(after)
        return self._listed(self._send("list_objects_v2", **facts))

    def all(self, prefix: str) -> Iterator[ObjectFacts]:
        """All of them; by the store's own marks, because not every store lists in the order of bytes."""
        facts: dict[str, Any] = {"Prefix": self.place.key(prefix), "MaxKeys": PAGE}
        while True:
            answer = self._send("list_objects_v2", **facts)
            yield from self._listed(answer)
            if not answer.get("IsTruncated"):
                return
            facts["ContinuationToken"] = answer["NextContinuationToken"]

    def presigned(self, name: str, *, method: str, valid_for: timedelta) -> str:
        """A URL that lets its holder GET or PUT this object, without keys, for a while."""
        operation = {"GET": "get_object", "PUT": "put_object"}[method]
        target = {"Bucket": self.place.bucket, "Key": self.place.key(name)}
        seconds = int(valid_for.total_seconds())
        return str(self._client.generate_presigned_url(operation, Params=target, ExpiresIn=seconds))

    def close(self) -> None:
        self._client.close()

    def transfer(self, what: str, name: str, **facts: Any) -> dict[str, Any]:
        """A request of the transfers module, which knows bodies that do not fit into memory."""
        return self._ask(what, name, **facts)

    def _ask(self, operation: str, name: str, *, whole: bool = False, **facts: Any) -> dict[str, Any]:
        return self._send(operation, whole=whole, Key=self.place.key(name), **facts)

    def _send(self, operation: str, *, whole: bool = False, **facts: Any) -> dict[str, Any]:
        call = getattr(self._client, operation)

        def request() -> dict[str, Any]:
            self.requests[operation] += 1
            answer: dict[str, Any] = call(Bucket=self.place.bucket, **facts)
            self._look_at_the_clock(answer)
            if whole:
                # Within the try: a connection may break in the middle of a body.
                answer["Body"] = answer["Body"].read()
            return answer

        return self._patience.ask(str(self.place), request)

    def _listed(self, answer: Mapping[str, Any]) -> list[ObjectFacts]:
        return [
            ObjectFacts(self.place.name(entry["Key"]), entry["Size"], entry["ETag"], entry["LastModified"])
            for entry in answer.get("Contents", [])
        ]

    def _look_at_the_clock(self, answer: Mapping[str, Any]) -> None:
        date = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date")
        if date:
            self._ahead = parsedate_to_datetime(date) - datetime.now(UTC)


def _client(place: Place) -> Any:
    access = place.access
    return boto3.session.Session().client(
        "s3",
        endpoint_url=access.endpoint_url,
        region_name=access.region,
        aws_access_key_id=access.access_key_id,
        aws_secret_access_key=access.secret_access_key,
        config=Config(
            signature_version="s3v4",
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            # We try again ourselves: only we know which answers may be our own doing.
            retries={"total_max_attempts": 1},
            # Checksums in trailers are not understood by every store.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path"} if access.endpoint_url else None,
            max_pool_connections=32,
        ),
    )
