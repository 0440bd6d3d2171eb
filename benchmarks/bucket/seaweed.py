"""Rooms in a bucket of a real S3 server on this machine, and how often they are asked."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from typing import Any, NamedTuple

from tests.seaweed import Seaweed

from blobforge.objectstore.client import ObjectStore


class Sent:
    """What a process asked of the bucket, and for how long it waited for the answers of all its threads."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.seconds = 0.0


class DiskSpace(NamedTuple):
    """A prefix of its own."""

    server: Seaweed
    prefix: str

    @property
    def variables(self) -> dict[str, str]:
        """For commands."""
        place = {"BLOBFORGE_S3_BUCKET": self.server.bucket, "BLOBFORGE_S3_PREFIX": self.prefix}
        return place | self.server.variables


def room_in(server: Seaweed) -> DiskSpace:
    return DiskSpace(server, f"{token_hex(6)}/")


@contextmanager
def counted() -> Iterator[Sent]:
    """All requests of this process that are sent within the block."""
    sent = Sent()
    honest = ObjectStore._send

    def counting(store: ObjectStore, operation: str, **facts: Any) -> dict[str, Any]:
        began = time.perf_counter()
        sent.requests[operation] += 1
        try:
            return honest(store, operation, **facts)
        finally:
            sent.seconds += time.perf_counter() - began

    ObjectStore._send = counting  # type: ignore[method-assign, assignment]
    try:
        yield sent
    finally:
        ObjectStore._send = honest  # type: ignore[method-assign]
