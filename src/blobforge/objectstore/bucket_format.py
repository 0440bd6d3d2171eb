"""`registry/format.json`: which program owns a place in a bucket, in which format, and that the store was probed.

    {"format": "blobforge-bucket", "version": 1, "written_by": "blobforge 0.1.0", "created_at": "2026-01-02T03:04:05Z",
     "probed": {"server": "SeaweedFS 4.48", "conditional_delete": true}, "adopted": false}

It is written once, after the probe, by the first process. From then on a queue reads it in one request. Two programs
that write to one place would ignore each other's locks and lose jobs, so a place that has a queue, but no such object,
is left alone until somebody adopts it explicitly.
"""

import json
from dataclasses import dataclass
from datetime import datetime

from blobforge.domain.errors import InvalidSettings
from blobforge.domain.json_value import JsonValue
from blobforge.domain.loose_json import json_in
from blobforge.objectstore.client import ObjectStore, Only
from blobforge.objectstore.probe import Probed, probe
from blobforge.version import __version__

NAME = "registry/format.json"
FORMAT = "blobforge-bucket"
VERSION = 1

_QUEUE = "queue/"
_MANIFEST = "registry/manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketFormat:
    """`adopted`: an older queue was there before."""

    version: int
    written_by: str
    created_at: str
    server: str
    conditional_delete: bool
    adopted: bool


def require_format(store: ObjectStore) -> BucketFormat:
    """The format of a place, in one request. A new place is probed, and gets its format.

    Raises InvalidSettings: the queue is of an older or another writer, or of a newer one, or the store cannot be one.
    """
    found = read_format(store)
    if found is not None:
        return found
    older = trace_of_another(store)
    if older is not None:
        raise InvalidSettings(
            f"{store.place} has a queue of an older BlobForge or of another program: {older} is there, and no {NAME}. "
            "Both at once would lose jobs. Stop whatever uses it, and take it over with `blobforge doctor --adopt`, or "
            "choose another place with BLOBFORGE_S3_PREFIX or BLOBFORGE_QUEUE"
        )
    return _create(store, adopted=False)


def adopt(store: ObjectStore) -> BucketFormat:
    """Takes over a place that has a queue of an older writer. Raises InvalidSettings as above."""
    found = read_format(store)
    return found if found is not None else _create(store, adopted=trace_of_another(store) is not None)


def record(store: ObjectStore, probed: Probed, *, adopted: bool = False) -> BucketFormat:
    """Writes the format of a place in a store that was probed already, perhaps at another place."""
    body = json.dumps(_document(probed, now=store.now(), adopted=adopted), indent=2).encode()
    store.put(NAME, body, only=Only(if_new=True))
    # The first writer wins, and all others use its format.
    found = read_format(store)
    if found is None:
        raise InvalidSettings(f"{store.place}: {NAME} vanished right after it was written; does somebody clear it?")
    return found


def read_format(store: ObjectStore) -> BucketFormat | None:
    """None when there is none yet. Raises InvalidSettings when it is not ours, or of a newer version."""
    there = store.get(NAME)
    if there is None:
        return None
    found = json_in(there.body)
    if not isinstance(found, dict) or found.get("format") != FORMAT or not isinstance(found.get("version"), int):
        raise InvalidSettings(
            f"{store.place} belongs to another program: its {NAME} is not of BlobForge. Choose another place with "
            "BLOBFORGE_S3_PREFIX or BLOBFORGE_QUEUE"
        )
    if found["version"] > VERSION:
        raise InvalidSettings(
            f"{store.place} has format {found['version']}, written by {found.get('written_by', 'a newer version')}; "
            f"BlobForge {__version__} knows formats up to {VERSION}: upgrade it"
        )
    return _parsed(found)


def trace_of_another(store: ObjectStore) -> str | None:
    """The name of an object that only a queue has; checked where there is no format."""
    for name in (_QUEUE, _MANIFEST):
        for facts in store.page(name, limit=2):
            # Some tools create empty objects as folders.
            if not facts.name.endswith("/"):
                return facts.name
    return None


def _create(store: ObjectStore, *, adopted: bool) -> BucketFormat:
    return record(store, probe(store), adopted=adopted)


def _document(probed: Probed, *, now: datetime, adopted: bool) -> dict[str, JsonValue]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"blobforge {__version__}",
        "created_at": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "probed": {"server": probed.server, "conditional_delete": probed.conditional_delete},
        "adopted": adopted,
    }


def _parsed(found: dict[str, object]) -> BucketFormat:
    probed = found.get("probed")
    probed = probed if isinstance(probed, dict) else {}
    return BucketFormat(
        version=int(str(found["version"])),
        written_by=str(found.get("written_by", "")),
        created_at=str(found.get("created_at", "")),
        server=str(probed.get("server", "")),
        conditional_delete=probed.get("conditional_delete") is True,
        adopted=found.get("adopted") is True,
    )
