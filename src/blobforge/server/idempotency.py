"""Requests that make something, and are sent again where their answer was lost: by the same key they make it once."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated

from fastapi import Header

from blobforge.domain.errors import IdempotencyKeyReused, InvalidValue, RequestUnderWay
from blobforge.domain.idempotency import LONGEST_KEY, RequestKey
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.loose_json import json_in, object_in, text_in, whole_in
from blobforge.ports.idempotency import IdempotencyKeys
from blobforge.server.auth.asking import Asker
from blobforge.server.parts import ServerParts
from blobforge.server.trail import name_of

IdempotencyKey = Annotated[
    str | None,
    Header(description="Chosen by who asks: within a day, the same request under it makes nothing a second time."),
]
REPLAYED = {"Idempotent-Replayed": "true"}


class MadeBefore:
    """What a request of the same key has made."""

    def __init__(self, answer: str) -> None:
        said = object_in(json_in(answer))
        self.job_id = whole_in(said.get("job_id")) or 0
        self.status = text_in(said.get("status")) or ""


class KeyedRequest:
    """One request, with its key or without one."""

    def __init__(self, *, before: MadeBefore | None = None, began_at: datetime | None = None) -> None:
        """`began_at`: when the first one came, of which nobody knows how it ended."""
        self.before = before
        """Where it is there, nothing is made, and the same is answered."""
        self._began_at = began_at
        self.made: Job | None = None
        """What the request has made: to be set before it ends."""

    def made_by_an_earlier_one(self, job: Job) -> bool:
        """Whether a job that was known may be of an attempt that ended without an answer, as when its server was
        killed: it is younger than the key."""
        return self._began_at is not None and job.created_at >= self._began_at


@asynccontextmanager
async def once_by_key(
    parts: ServerParts, asker: Asker, key: str | None, request: JsonObject
) -> AsyncIterator[KeyedRequest]:
    """`request` is all that says what is asked for. What fails is forgotten, and may be sent again at once.

    Raises InvalidValue, IdempotencyKeyReused, RequestUnderWay, TooManyRequests.
    """
    if key is None:
        yield KeyedRequest()
        return
    keys, known_as = _keys_of(parts), RequestKey(name_of(asker), _checked(key))
    digest = digest_of(request)
    begun = await parts.crossing.write(lambda: keys.begin(known_as, digest, now=parts.clock.now()))
    if begun.kept.digest != digest:
        raise IdempotencyKeyReused(
            "another request was sent under this Idempotency-Key within a day: choose a new key for a new request"
        )
    if begun.kept.answer is not None:
        yield KeyedRequest(before=MadeBefore(begun.kept.answer))
        return
    if not begun.is_ours:
        raise RequestUnderWay("the first request under this Idempotency-Key is not answered yet: ask again soon")
    is_first = begun.kept.taken_at == begun.kept.began_at
    ours = KeyedRequest(began_at=None if is_first else begun.kept.began_at)
    try:
        yield ours
    finally:
        await parts.crossing.write(lambda: _ended(keys, known_as, ours.made))


def digest_of(request: JsonObject) -> str:
    return hashlib.sha256(canonical_json(request).encode("utf-8", "surrogatepass")).hexdigest()


def _ended(keys: IdempotencyKeys, key: RequestKey, made: Job | None) -> None:
    """Addresses that are signed are made anew each time: they are secrets, and end."""
    if made is None:
        keys.give_up(key)
    else:
        keys.finish(key, canonical_json({"job_id": made.id, "status": made.state.value}))


def _keys_of(parts: ServerParts) -> IdempotencyKeys:
    if parts.idempotency_keys is None:
        raise InvalidValue("this queue keeps no idempotency keys: send the request without one")
    return parts.idempotency_keys


def _checked(key: str) -> str:
    if not 0 < len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise InvalidValue(f"an Idempotency-Key has 1 to {LONGEST_KEY} printable characters of ASCII")
    return key
