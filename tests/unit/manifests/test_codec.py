"""The manifest as JSON: its documented form, what others add to it, and what is no manifest at all."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from blobforge.domain.errors import ManifestDamaged
from blobforge.domain.manifest import ManifestContents, ManifestEntry
from blobforge.manifests.codec import decode, encode, salvage
from blobforge.testing.builders import hash_of

A, B = hash_of("a"), hash_of("b")
DOCUMENTED = {
    "version": 1,
    "updated_at": "2026-02-03T10:30:00Z",
    "entries": {
        A: {
            "paths": ["DnD/Players Handbook.pdf", "backup/PHB.pdf"],
            "size": 52428800,
            "tags": ["DnD", "5e"],
            "ingested_at": "2026-02-01T08:00:00Z",
            "source": "rpg-library",
        }
    },
}
ENTRY = ManifestEntry(
    paths=("DnD/Players Handbook.pdf", "backup/PHB.pdf"),
    size=52428800,
    tags=("DnD", "5e"),
    ingested_at=datetime(2026, 2, 1, 8, tzinfo=UTC),
    source="rpg-library",
)


def read(document: object) -> ManifestContents:
    return decode(json.dumps(document).encode(), address="s3://library/registry/manifest.json")


def with_entry(**facts: Any) -> dict[str, Any]:
    return {**DOCUMENTED, "entries": {A: {**DOCUMENTED["entries"][A], **facts}}}  # type: ignore[index]


def test_the_documented_form_is_read_and_written() -> None:
    """R0-21, R0-22."""
    contents = read(DOCUMENTED)

    assert contents == ManifestContents({A: ENTRY}, datetime(2026, 2, 3, 10, 30, tzinfo=UTC))
    assert json.loads(encode(contents)) == DOCUMENTED


def test_an_entry_is_a_line() -> None:
    lines = encode(ManifestContents({A: ENTRY, B: ENTRY}, ENTRY.ingested_at)).decode().splitlines()

    assert [line[:66] for line in lines[1:-1]] == [f'"{A}"', f'"{B}"']


def test_an_empty_manifest_is_whole() -> None:
    assert decode(encode(ManifestContents()), address="") == ManifestContents()


def test_what_another_writer_added_survives() -> None:
    theirs = {**with_entry(rating=5, notes={"by": ["ann"]}), "generator": "another program"}

    assert json.loads(encode(read(theirs))) == theirs


def test_a_writer_may_leave_out_tags_and_source() -> None:
    """As those did who wrote version 1 first."""
    bare = {"version": 1, "entries": {A: {"paths": ["a.pdf"], "size": 1, "ingested_at": "2026-02-01T08:00:00"}}}

    assert read(bare) == ManifestContents({A: ENTRY._replace(paths=("a.pdf",), size=1, tags=(), source="")})


def test_times_of_elsewhere_are_the_same_moment() -> None:
    contents = read(with_entry(ingested_at="2026-02-01T10:00:00.25+02:00"))

    assert contents.entries[A].ingested_at == datetime(2026, 2, 1, 8, 0, 0, 250_000, tzinfo=UTC)
    assert json.loads(encode(contents))["entries"][A]["ingested_at"] == "2026-02-01T08:00:00.250000Z"


def test_a_path_that_is_no_valid_text_is_kept() -> None:
    contents = ManifestContents({A: ENTRY._replace(paths=("caf\udce9.pdf",))})

    assert decode(encode(contents), address="") == contents


STRANGE = {
    "it is no JSON object": [1, 2],
    "its version is 2": {**DOCUMENTED, "version": 2},
    "its version is None": {"entries": {}},
    "it has no entries": {"version": 1},
    "updated_at is no time": {**DOCUMENTED, "updated_at": "yesterday"},
    "'abc' is not a SHA-256": {"version": 1, "entries": {"abc": {}}},
    f"the entry {A} is no object": {"version": 1, "entries": {A: "a.pdf"}},
    "has the size '1'": with_entry(size="1"),
    "has the size True": with_entry(size=True),
    "has the size -1": with_entry(size=-1),
    "has the source 7": with_entry(source=7),
    f"the paths of the entry {A} are no list": with_entry(paths="a.pdf"),
    f"the tags of the entry {A} are no list": with_entry(tags=[1]),
    f"the ingested_at of {A} is no time: None": with_entry(ingested_at=None),
}


@pytest.mark.parametrize(("reason", "document"), STRANGE.items(), ids=STRANGE)
def test_what_is_no_manifest_is_named_with_the_reason_and_what_to_do(reason: str, document: object) -> None:
    with pytest.raises(ManifestDamaged) as refusal:
        read(document)

    message = str(refusal.value)
    assert message.startswith("s3://library/registry/manifest.json is no manifest of version 1: ")
    assert reason in message
    assert "blobforge manifest rebuild --force" in message


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000], ids=["empty", "cut", "bytes", "deep"])
def test_what_is_no_json_is_no_manifest(body: bytes) -> None:
    with pytest.raises(ManifestDamaged, match="it is no JSON"):
        decode(body, address="manifest.json")


def test_what_was_cut_off_gives_its_whole_entries() -> None:
    body = encode(ManifestContents({A: ENTRY, B: ENTRY}, ENTRY.ingested_at))

    assert salvage(body[:-40]) == {A: ENTRY}
    assert salvage(body) == {A: ENTRY, B: ENTRY}
    assert salvage(b"\xff\0 nothing at all") == {}


def test_a_malformed_entry_does_not_hide_the_good_ones() -> None:
    body = json.dumps({"version": 9, "entries": {A: {"size": "?"}, B: DOCUMENTED["entries"][A]}}).encode()  # type: ignore[index]

    assert salvage(body) == {B: ENTRY}
