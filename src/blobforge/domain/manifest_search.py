"""Finding documents in a manifest by what people remember of them: words of a path, a tag, a piece of the hash."""

import unicodedata
from collections.abc import Sequence

from blobforge.domain.errors import InvalidValue, NotFound
from blobforge.domain.ids import SourceHash
from blobforge.domain.manifest import Entries, ManifestEntry

_LEAST_DIGITS = 4
_TELLING_DIGITS = 6
"""Fewer digits may be a word, and match the hash of some document by chance."""
_NAMED = 5

Found = tuple[SourceHash, ManifestEntry]


def search(entries: Entries, query: str) -> list[Found]:
    """Documents in whose paths and tags every word of the query is, in any order and case; or whose hash begins so.

    Those whose first path comes first in the order of letters come first. Raises InvalidValue.
    """
    words = _plain(query).split()
    if not words:
        raise InvalidValue("there is nothing to search for: write one or more words of a path, or a tag")
    found = [(source_hash, entry) for source_hash, entry in entries.items() if _has(source_hash, entry, words)]
    return sorted(found, key=lambda item: (_plain(telling_path(item[1])), item[0]))


def by_hash(entries: Entries, prefix: str) -> Found:
    """The one document whose hash begins so. Raises InvalidValue, NotFound."""
    wanted = prefix.strip().lower()
    if not is_hash_prefix(wanted):
        raise InvalidValue(f"{prefix!r} is no hash: write a SHA-256, or at least its first {_LEAST_DIGITS} digits")
    found = [source_hash for source_hash in entries if source_hash.startswith(wanted)]
    if not found:
        raise NotFound(f"no document in the manifest has a hash that begins with {wanted}")
    if len(found) > 1:
        raise InvalidValue(f"{wanted} begins {len(found)} hashes: {_some(found)}; write more digits")
    return found[0], entries[found[0]]


def by_path(entries: Entries, path: str) -> list[Found]:
    """The contents that were seen under this path, or under the one path that ends with it; the newest first.

    There are several where a file was changed between two scans. Raises InvalidValue, NotFound.
    """
    wanted = _composed(path).removeprefix("./").rstrip("/")
    if not wanted:
        raise InvalidValue("an empty path names no document")
    paths = {known for entry in entries.values() for known in map(_composed, entry.paths)}
    if wanted not in paths:
        wanted = _only_end(paths, wanted)
    found = [(source_hash, entry) for source_hash, entry in entries.items() if wanted in map(_composed, entry.paths)]
    return sorted(found, key=lambda item: item[1].ingested_at, reverse=True)


def telling_path(entry: ManifestEntry, query: str = "") -> str:
    """Of several, the first that has the most words of the query in it; empty where no path is known."""
    words = _plain(query).split()
    return max(entry.paths, key=lambda path: sum(word in _plain(path) for word in words), default="")


def _only_end(paths: set[str], wanted: str) -> str:
    ends = sorted(path for path in paths if path.endswith("/" + wanted.lstrip("/")))
    if not ends:
        raise NotFound(
            f"no document in the manifest has the path {wanted!r}; 'blobforge search' finds one by some of its words"
        )
    if len(ends) > 1:
        raise InvalidValue(f"{len(ends)} paths end with {wanted!r}: {_some(ends)}; write more of it")
    return ends[0]


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:_NAMED]) + (", …" if len(texts) > _NAMED else "")


def _has(source_hash: SourceHash, entry: ManifestEntry, words: list[str]) -> bool:
    text = _plain("\n".join((*entry.paths, *entry.tags)))
    return all(word in text or (len(word) >= _TELLING_DIGITS and source_hash.startswith(word)) for word in words)


def is_hash_prefix(text: str) -> bool:
    return _LEAST_DIGITS <= len(text) <= 64 and set(text) <= set("0123456789abcdef")


def _plain(text: str) -> str:
    """Without what people do not type alike: capitals, and letters that are written in two ways."""
    return _composed(_composed(text).casefold())


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)
