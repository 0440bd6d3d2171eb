"""A bucket as another program writes it that follows document 000 to the letter: none of BlobForge's own marks."""

import io
import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

QUEUED_AT = datetime(2026, 2, 1, 8, 0, tzinfo=UTC)
HEARD_AT = QUEUED_AT + timedelta(hours=1)
STATES = ("waiting", "running", "failed", "dead", "done")


class ForeignObject(NamedTuple):
    name: str
    body: bytes
    metadata: Mapping[str, str] = MappingProxyType({})


def hash_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def foreign_objects(**contents: bytes) -> list[ForeignObject]:
    """One document a state, by the names in STATES; `only_stored` was never queued, and only the manifest knows it."""
    objects = [raw for state, content in contents.items() for raw in [_raw(state, content)]]
    for state, content in contents.items():
        objects += [
            ForeignObject(name, body if isinstance(body, bytes) else json.dumps(body).encode())
            for name, body in _marks(state, hash_of(content)).items()
        ]
    return [*objects, _manifest(contents)]


def old_zip() -> bytes:
    """A result as the older worker packed it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        # With the time that every entry has which tells none: the same bytes at each call.
        archive.writestr(zipfile.ZipInfo("document.md"), "# PublishedJob long ago\n")
        archive.writestr(zipfile.ZipInfo("info.json"), json.dumps({"original_name": "done.pdf", "converter": "marker"}))
    return file.getvalue()


def _raw(state: str, content: bytes) -> ForeignObject:
    # The failed one was stored without headers, as by a copying tool: only the manifest knows its name.
    metadata = {"original-name": f"{state}.pdf", "tags": '["rpg"]', "size": str(len(content))}
    return ForeignObject(f"store/raw/{hash_of(content)}.pdf", content, {} if state == "failed" else metadata)


def _marks(state: str, name: str) -> dict[str, object]:
    todo = {f"queue/todo/2_high/{name}": {"retries": 1, "queued_at": QUEUED_AT.isoformat()}}
    heard = HEARD_AT.isoformat()
    lock = {"worker": "old-host", "started": heard, "last_heartbeat": heard, "priority": "2_high", "retries": 1}
    failed = {"error": "it fell over", "worker": "old-host", "retries": 1, "failed_at": heard}
    dead = {"error": "it fell over again", "total_retries": 3, "reason": "exceeded_max_retries"}
    known: dict[str, dict[str, object]] = {
        "waiting": dict(todo),
        "running": {**todo, f"queue/processing/{name}": lock},
        "failed": {f"queue/failed/{name}": failed},
        "dead": {f"queue/dead/{name}": dead},
        "done": {f"store/out/{name}.zip": old_zip()},
        "only_stored": {},
    }
    return known[state]


def _manifest(contents: dict[str, bytes]) -> ForeignObject:
    entries = {
        hash_of(content): {
            "paths": [f"shelf/{state}.pdf"],
            "size": len(content),
            "tags": ["rpg"],
            "ingested_at": "2026-02-01T08:00:00Z",
            "source": "rpg-library",
        }
        for state, content in contents.items()
    }
    body = json.dumps({"version": 1, "updated_at": "2026-02-01T08:00:00Z", "entries": entries}).encode()
    return ForeignObject("registry/manifest.json", body)
