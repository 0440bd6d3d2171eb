"""Every object of the place by its name: which documents the queue knows of, and what nobody here understands.

Who deletes documents must not go by an index that a crash or another program left incomplete. So all names are
looked at, in all lanes, listed or not, and a name that makes no sense here is told instead of passed over.
"""

import re
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
from blobforge.ports.job_store import Named
from blobforge.thread_pool import ThreadPool

_HASH = "(?P<hash>[0-9a-f]{64})"
_MARK = re.compile(rf"queue/(?:todo/(?:{'|'.join(TIERS)})|failed|dead|cancelled)/{_HASH}")
_RESULT = re.compile(rf"{OUT}{_HASH}\.zip")
_SILENT = re.compile(
    rf"{RAW}{_HASH}\.[a-z0-9]+|{RECIPES}[0-9a-f]{{64}}-[^/]+\.zip|registry/.+|(sources|outputs)/.+|doctor/probe"
)
"""What is ours and needs no document. What is in the registry is about jobs or workers, and never the only trace of
a job but for the index."""
_NEVER_STRANGE = frozenset({"registry/", "sources/", "outputs/"})
"""Rooms in which every name is ours."""
_CELLS = "queue/processing/"
_HINT = "queue/hint"


class Mention(NamedTuple):
    """What a name tells of a document. A record must be read: its job may have been forgotten."""

    source_hash: str | None = None
    lane: Lane = MAIN
    record: RecordName | None = None


def mention_in(name: str) -> Mention | None:
    """None for a name that makes no sense here."""
    if name.endswith("/"):
        return Mention()  # some tools make empty objects that stand for folders
    if name.startswith(IDS):
        found = parse_index(name)
        return Mention(found.key.source_hash if found is not None else None)
    lane, rest = _split(name)
    if lane is None:
        return None
    if rest.startswith(_CELLS):
        record = parse_record_name(rest) if rest.count("/") == 2 else None
        return Mention(record.source_hash, lane, record) if record is not None else None
    if mark := _MARK.fullmatch(rest) or _RESULT.fullmatch(rest):
        return Mention(mark["hash"], lane)
    return Mention() if rest == _HINT or (lane == MAIN and _SILENT.fullmatch(rest)) else None


def _split(name: str) -> tuple[Lane | None, str]:
    if not name.startswith(LANES):
        return MAIN, name
    project, _, rest = name.removeprefix(LANES).partition("/")
    job_type, _, rest = rest.partition("/")
    return (Lane(project, job_type), rest) if project and job_type and rest else (None, name)


class Rooms(Objects, Protocol):
    """Objects that can be listed by folder."""

    def folder(self, prefix: str = "") -> Folder: ...


def strangers(rooms: Rooms) -> list[str]:
    """Names that make no sense here, for who looks at a place before it is anybody's queue. Of the rooms where there
    can be none, which are the largest of all, nothing is listed."""
    top = rooms.folder("")
    listed = (facts.name for folder in top.folders if folder not in _NEVER_STRANGE for facts in rooms.all(folder))
    return [name for name in (*top.objects, *listed) if mention_in(name) is None]


class Inventory:
    def __init__(self, objects: Objects, reader: StateReader, pool: ThreadPool) -> None:
        self._objects = objects
        self._reader = reader
        self._pool = pool

    def named(self) -> Named:
        """A job that moves while we look is met at least once: a result is there before anything of it is removed."""
        found: set[str] = set()
        records: dict[tuple[Lane, str], int] = {}
        strange: list[str] = []
        for facts in self._objects.all(""):
            mention = mention_in(facts.name)
            if mention is None:
                strange.append(facts.name)
            elif mention.record is not None:
                place = (mention.lane, mention.record.source_hash)
                records[place] = max(records.get(place, 0), mention.record.generation)
            elif mention.source_hash is not None:
                found.add(mention.source_hash)
        unclear = [(lane, RecordName(name, number)) for (lane, name), number in records.items() if name not in found]
        purged = self._pool.each(self._is_purged, unclear)
        found |= {name.source_hash for (_, name), is_gone in zip(unclear, purged, strict=True) if not is_gone}
        return Named(frozenset(map(SourceHash, found)), tuple(strange))

    def _is_purged(self, place: tuple[Lane, RecordName]) -> bool:
        found = self._reader.record(*place)
        return found is not None and found[0].state is RecordState.PURGED
