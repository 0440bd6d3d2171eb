"""Whether a queue and a store belong together: a job in the one is of no use without its document in the other."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from blobforge.domain.json_value import JsonObject, JsonValue, canonical_json
from blobforge.domain.loose_json import json_in, list_in, object_in, text_in

MARK = "registry/queue.json"
"""The object of a store that names its queues."""


class QueueIdentity(NamedTuple):
    """`id` is random, and new whenever another store replaces the one before, which is refused from then on; `store` is
    the address of the store as its first user wrote it."""

    id: str
    store: str


class KnownQueue(NamedTuple):
    """A queue that a store serves; `called` is the address at which it was used: one in a file that was copied has its
    id at several. `is_begun`: the queue may not have this id yet, and nobody has worked with both so far; it gets it
    `instead_of` the one that it had."""

    id: str
    called: str
    is_begun: bool = False
    instead_of: str = ""


class Pairing(Enum):
    """What is to be done about a queue and a store that meet."""

    KNOWN = "they were used together before"
    NEW = "both are new to each other, and nothing speaks against it"
    OTHER_STORE = "the queue is used with another store, or this one has lost what it held"
    OTHER_QUEUE = "the store is used by another queue"


class Evidence(NamedTuple):
    """What speaks for or against them where nothing was written down.

    `has_jobs`: the queue; `has_documents`: the store has some of theirs. `is_one_home`: both lie in the home folder of
    this machine, where nobody else puts anything, and whoever begins the queue anew does so on purpose.
    """

    has_jobs: bool
    has_documents: bool
    is_one_home: bool


def judge(identity: QueueIdentity | None, serves: Sequence[KnownQueue], evidence: Evidence, *, called: str) -> Pairing:
    """`called` is the address of the queue."""
    if identity is not None and identity.id in {queue.id for queue in serves}:
        return Pairing.KNOWN
    if evidence.is_one_home:
        # A store that is gone may be a disk that is not mounted: its jobs would fail, each for want of its document.
        is_lost = identity is not None and evidence.has_jobs and not evidence.has_documents
        return Pairing.OTHER_STORE if is_lost else Pairing.NEW
    if identity is not None:
        return Pairing.OTHER_STORE
    if evidence.has_jobs and not evidence.has_documents:
        # A version without identities wrote these: they look like a second machine with a store of its own.
        return Pairing.OTHER_STORE
    # A new queue at an old store is a typing error as often as a wish, and `gc` would find nothing that is in use.
    # What was begun from this very address was left by a process that died: a queue that lost its jobs would have had
    # all of its pairing.
    others = [queue for queue in serves if not (queue.is_begun and queue.called == called)]
    return Pairing.OTHER_QUEUE if others and not evidence.has_documents else Pairing.NEW


def mark_body(serves: Sequence[KnownQueue]) -> bytes:
    return canonical_json({"format": "blobforge-store", "queues": [_entry(queue) for queue in serves]}).encode()


def _entry(queue: KnownQueue) -> Mapping[str, JsonValue]:
    entry: dict[str, JsonValue] = {"id": queue.id, "queue": queue.called}
    if queue.is_begun:
        entry["begun"] = True
        entry["instead_of"] = queue.instead_of
    return entry


def read_mark(body: bytes | None) -> list[KnownQueue]:
    """No queues for what cannot be parsed."""
    said = object_in(json_in(body))
    found = [object_in(entry) for entry in list_in(said.get("queues"))]
    return [_known(entry) for entry in found]


def _known(entry: JsonObject) -> KnownQueue:
    return KnownQueue(
        id=text_in(entry.get("id")) or "",
        called=text_in(entry.get("queue")) or "",
        is_begun=entry.get("begun") is True,
        instead_of=text_in(entry.get("instead_of")) or "",
    )
