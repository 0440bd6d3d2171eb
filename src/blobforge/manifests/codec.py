"""The manifest as JSON, in version 1 of its format; unknown fields of other writers are kept."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from blobforge.domain.errors import InvalidValue, ManifestDamaged
from blobforge.domain.ids import SourceHash, parse_source_hash
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.manifest import Entries, ManifestContents, ManifestEntry

VERSION = 1

_TOP = frozenset({"version", "updated_at", "entries"})
_FIELDS = frozenset(ManifestEntry._fields) - {"extras"}
_ENTRY = re.compile(r'"([0-9a-f]{64})"\s*:\s*(?=\{)')
_DECODER = json.JSONDecoder()


class _Malformed(Exception):
    """What is wrong with it, for a person."""


def encode(contents: ManifestContents) -> bytes:
    """One entry per line, for people and their tools."""
    head: JsonObject = {"version": VERSION, "updated_at": _time_text(contents.updated_at), **contents.extras}
    lines = (f'"{source_hash}":{canonical_json(_fields(entry))}' for source_hash, entry in contents.entries.items())
    text = canonical_json(head)[:-1] + ',"entries":{\n' + ",\n".join(lines) + "\n}}\n"
    return text.encode()


def decode(body: bytes, *, address: str) -> ManifestContents:
    """Raises ManifestDamaged."""
    try:
        return _contents(json.loads(body))
    except _Malformed as error:
        reason = str(error)
    except (ValueError, RecursionError) as error:
        reason = f"it is no JSON ({error})"
    raise ManifestDamaged(
        f"{address} is no manifest of version {VERSION}: {reason}; it is left as it is. "
        "'blobforge manifest rebuild --force' keeps it under another name and makes a new one"
    )


def salvage(body: bytes) -> Entries:
    """Every entry that can still be parsed, anywhere in the text."""
    text = body.decode("utf-8", "replace")
    found: dict[SourceHash, ManifestEntry] = {}
    for start in _ENTRY.finditer(text):
        try:
            raw, _end = _DECODER.raw_decode(text, start.end())
            found[SourceHash(start[1])] = _entry(start[1], raw)
        except (_Malformed, ValueError, RecursionError):
            continue
    return found


def _contents(raw: Any) -> ManifestContents:
    if not isinstance(raw, dict):
        raise _Malformed("it is no JSON object")
    if raw.get("version") != VERSION:
        raise _Malformed(f"it says that its version is {raw.get('version')!r}")
    entries = raw.get("entries")
    if not isinstance(entries, dict):
        raise _Malformed("it has no entries")
    return ManifestContents(
        entries={_hash(name): _entry(name, entry) for name, entry in entries.items()},
        updated_at=None if raw.get("updated_at") is None else _time("updated_at", raw["updated_at"]),
        extras=_rest(raw, _TOP),
    )


def _hash(name: str) -> SourceHash:
    try:
        return parse_source_hash(name)
    except InvalidValue as error:
        raise _Malformed(str(error)) from error


def _entry(name: str, raw: Any) -> ManifestEntry:
    if not isinstance(raw, dict):
        raise _Malformed(f"the entry {name} is no object")
    size, source = raw.get("size"), raw.get("source") or ""
    if type(size) is not int or size < 0:
        raise _Malformed(f"the entry {name} has the size {size!r}")
    if not isinstance(source, str):
        raise _Malformed(f"the entry {name} has the source {source!r}")
    return ManifestEntry(
        paths=_texts(name, "paths", raw.get("paths")),
        size=size,
        tags=_texts(name, "tags", raw.get("tags") or []),
        ingested_at=_time(f"the ingested_at of {name}", raw.get("ingested_at")),
        source=source,
        extras=_rest(raw, _FIELDS),
    )


def _texts(name: str, field: str, raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(text, str) for text in raw):
        raise _Malformed(f"the {field} of the entry {name} are no list of texts")
    return tuple(raw)


def _time(what: str, raw: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(raw)
    except (TypeError, ValueError) as error:
        raise _Malformed(f"{what} is no time: {raw!r}") from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _rest(raw: Mapping[str, Any], known: frozenset[str]) -> JsonObject:
    return {name: value for name, value in raw.items() if name not in known}


def _fields(entry: ManifestEntry) -> JsonObject:
    return {
        "paths": entry.paths,
        "size": entry.size,
        "tags": entry.tags,
        "ingested_at": _time_text(entry.ingested_at),
        "source": entry.source,
        **entry.extras,
    }


def _time_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
