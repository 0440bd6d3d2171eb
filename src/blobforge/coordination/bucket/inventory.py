"""Every object of the bucket by its name: which documents the queue refers to, and which objects are foreign.

The garbage collection of documents must not rely on an index that a crash or another program left incomplete. So all
names are read, in all lanes, registered or not, and a name that cannot be parsed is reported, not skipped.
"""

import re
from itertools import chain
from typing import NamedTuple, Protocol

from blobforge.coordination.bucket.job_record import RecordState
from blobforge.coordination.bucket.names import (
    IDS,
    MAIN,
    TIERS,
    Lane,
    RecordName,
    parse_index,
    parse_record_name,
)
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.stored_state import StateReader
from blobforge.domain.ids import SourceHash
from blobforge.objectstore.client import Folder
from blobforge.objectstore.key_layout import LANES, OUT, RAW, RECIPES
from blobforge.ports.job_store import References
from blobforge.thread_pool import ThreadPool

_HASH = "(?P<hash>[0-9a-f]{64})"
_MARKER = re.compile(rf"queue/(?:todo/(?:{'|'.join(TIERS)})|failed|dead|cancelled)/{_HASH}")
_RESULT = re.compile(rf"{OUT}{_HASH}\.zip")
_SILENT = re.compile(
    rf"{RAW}{_HASH}\.[a-z0-9]+|{RECIPES}[0-9a-f]{{64}}-[^/]+\.zip|registry/.+|(sources|outputs)/.+|doctor/probe"
)
"""Ours, and refers to no document. The registry is about jobs and workers; only its index of ids can be the last
trace of a job."""
_NEVER_FOREIGN = frozenset({"registry/", "sources/", "outputs/"})
"""Prefixes below which every name is ours."""
_RECORDS = "queue/processing/"
_CHANGED = "queue/hint"


class Mention(NamedTuple):
    """The document that a name refers to. A record must be read: it may be a tombstone."""

    source_hash: str | None = None
    lane: Lane = MAIN
    record: RecordName | None = None


def mention_in(name: str) -> Mention | None:
    """None for the name of a foreign object."""
    if name.endswith("/"):
        return Mention()  # some tools create empty objects as folders
    if name.startswith(IDS):
        found = parse_index(name)
        return Mention(found.key.source_hash if found is not None else None)
    lane, rest = _split(name)
    if lane is None:
        return None
    if rest.startswith(_RECORDS):
        record = parse_record_name(rest) if rest.count("/") == 2 else None
        return Mention(record.source_hash, lane, record) if record is not None else None
    if marker := _MARKER.fullmatch(rest) or _RESULT.fullmatch(rest):
        return Mention(marker["hash"], lane)
    return Mention() if rest == _CHANGED or (lane == MAIN and _SILENT.fullmatch(rest)) else None


def _split(name: str) -> tuple[Lane | None, str]:
    if not name.startswith(LANES):
        return MAIN, name
    project, _, rest = name.removeprefix(LANES).partition("/")
    job_type, _, rest = rest.partition("/")
    return (Lane(project, job_type), rest) if project and job_type and rest else (None, name)


class ListedByFolder(Objects, Protocol):
    """Objects of which the folders can be listed alone."""

    def folder(self, prefix: str = "") -> Folder: ...


def foreign_objects(objects: ListedByFolder) -> list[str]:
    """The names of foreign objects, also in a bucket that has no queue of ours yet. The prefixes below which there can
    be none, which have the most objects, are not listed."""
    top = objects.folder("")
    listed = (facts.name for folder in top.folders if folder not in _NEVER_FOREIGN for facts in objects.all(folder))
    return [name for name in (*top.objects, *listed) if mention_in(name) is None]


class Inventory:
    """May name too much, never too little: `gc` deletes what it does not name."""

    def __init__(self, objects: Objects, reader: StateReader, pool: ThreadPool) -> None:
        self._objects = objects
        self._reader = reader
        self._pool = pool

    def references(self) -> References:
        """A job that changes during the listing is seen at least once: its result is written before its markers are
        removed."""
        found: set[str] = set()
        records: dict[tuple[Lane, str], int] = {}
        foreign: list[str] = []
        # What a cut write has left names its document as well: it may be all that there is of a job.
        remains: list[str] = []
        names = (facts.name for facts in self._objects.all("", remains=remains))
        for name in chain(names, remains):
            mention = mention_in(name)
            if mention is None:
                foreign.append(name)
            elif mention.record is not None:
                place = (mention.lane, mention.record.source_hash)
                records[place] = max(records.get(place, 0), mention.record.generation)
            elif mention.source_hash is not None:
                found.add(mention.source_hash)
        unclear = [(lane, RecordName(name, number)) for (lane, name), number in records.items() if name not in found]
        purged = self._pool.each(self._is_purged, unclear)
        found |= {name.source_hash for (_, name), is_gone in zip(unclear, purged, strict=True) if not is_gone}
        return References(frozenset(map(SourceHash, found)), tuple(foreign))

    def _is_purged(self, place: tuple[Lane, RecordName]) -> bool:
        found = self._reader.record(*place)
        return found is not None and found[0].state is RecordState.PURGED
