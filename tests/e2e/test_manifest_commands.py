"""search, lookup and manifest, on a library in a folder and on one in a bucket."""

import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3
import pytest
from tests.e2e.program import Blobforge
from tests.e2e.terminal import Terminal
from tests.pdfs import text_pdf
from tests.seaweed import Seaweed

from blobforge import wiring
from blobforge.config.load import load
from blobforge.domain.manifest import Sighting
from blobforge.ports.blob_store import source_key
from blobforge.testing.builders import hash_of, new_job
from blobforge.testing.clock import START

PHB, DMG = hash_of("handbook"), hash_of("guide")
BOOKS = [
    Sighting(PHB, "DnD/Player's Handbook.pdf", 52_428_800, ("DnD", "5e"), "rpg-library", START),
    Sighting(PHB, "backup/PHB.pdf", 52_428_800, ("DnD",), "rpg-library", START),
    Sighting(DMG, "DnD/Dungeon Master's Guide.pdf", 41_000_000, ("DnD", "5e", "GM"), "rpg-library", START),
    Sighting(hash_of("menu"), "Speisekarten/Café Straße.pdf", 900, (), "kitchen", START),
]


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest) -> dict[str, str]:
    """The variables that name the store."""
    if request.param == "folder":
        return {}
    seaweed: Seaweed = request.getfixturevalue("seaweed")
    return {"BLOBFORGE_STORE": f"s3://{seaweed.bucket}/{uuid.uuid4().hex}", **seaweed.variables}


@pytest.fixture
def library(blobforge: Blobforge, store: dict[str, str]) -> Callable[..., dict[str, Any]]:
    """What commands say to programs, on a library of three documents."""
    with patch.dict(os.environ, blobforge.environ(**store), clear=True):
        manifest = wiring.open_manifest(load({}).settings)
        manifest.record(BOOKS)
        manifest.finish()

    def told(*args: str, code: int = 0) -> dict[str, Any]:
        done = blobforge.call(*args, "--json", **store)
        assert done.exit_code == code, done.output
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    return told


def hashes(answer: dict[str, Any]) -> list[str]:
    return [document["source_hash"] for document in answer["documents"]]


def test_documents_are_found_by_name_and_by_tag(library: Callable[..., dict[str, Any]]) -> None:
    """R0-27, R0-74."""
    by_name = library("search", "handbook")
    by_tag = library("search", "5e", "dnd")
    nothing = library("search", "shadowrun")

    assert by_name == {
        "found": 1,
        "documents": [
            {
                "source_hash": PHB,
                "paths": ["DnD/Player's Handbook.pdf", "backup/PHB.pdf"],
                "size": 52_428_800,
                "tags": ["DnD", "5e"],
                "ingested_at": START.isoformat(),
                "source": "rpg-library",
                "state": None,
            }
        ],
    }
    assert hashes(by_tag) == [DMG, PHB]
    assert nothing == {"found": 0, "documents": []}


def test_a_document_is_looked_up_by_its_hash_and_by_its_path(library: Callable[..., dict[str, Any]]) -> None:
    """R0-75, R0-76."""
    assert hashes(library("lookup", "--hash", PHB[:8])) == [PHB]
    assert hashes(library("lookup", "--path", "DnD/Player's Handbook.pdf")) == [PHB]
    assert hashes(library("lookup", "--path", "PHB.pdf")) == [PHB]
    assert library("lookup", "--path", "nowhere.pdf", code=1)["error"]["code"] == "not_found"


def test_the_manifest_tells_what_the_library_holds(library: Callable[..., dict[str, Any]]) -> None:
    """R0-77."""
    assert library("manifest") == {
        "documents": 3,
        "size": 52_428_800 + 41_000_000 + 900,
        "paths": 4,
        "tags": {"DnD": 2, "5e": 2, "GM": 1},
        "sources": {"rpg-library": 2, "kitchen": 1},
        "updated_at": library("manifest")["updated_at"],
    }


def test_a_manifest_is_made_anew_from_the_store_and_the_queue(
    blobforge: Blobforge, docs: Path, store: dict[str, str]
) -> None:
    text_pdf(docs / "one.pdf", "One")
    with patch.dict(os.environ, blobforge.environ(**store), clear=True):
        settings = load({}).settings
        wiring.open_blobs(settings).put(source_key(PHB), docs / "one.pdf")
        opened = wiring.open_coordinator(settings)
        opened.coordinator.submit([new_job("handbook", source_path="DnD/one.pdf", tags='["rules"]')])
        opened.close()

    done = json.loads(blobforge.call("manifest", "rebuild", "--json", **store).stdout)
    (document,) = json.loads(blobforge.call("search", "rules", "--json", **store).stdout)["documents"]

    assert done == {"documents": 1, "added": 1, "not_in_store": 0, "set_aside": []}
    assert (document["source_hash"], document["paths"]) == (PHB, ["DnD/one.pdf"])
    assert (document["size"], document["state"]) == ((docs / "one.pdf").stat().st_size, "pending")


def test_the_manifest_is_the_documented_file_or_object(
    blobforge: Blobforge, seaweed: Seaweed, library: Callable[..., dict[str, Any]], store: dict[str, str]
) -> None:
    """R0-10, R0-21, R0-22."""
    if store:
        prefix = store["BLOBFORGE_STORE"].rpartition("/")[2]
        client: boto3.client = seaweed.client()
        body = client.get_object(Bucket=seaweed.bucket, Key=f"{prefix}/registry/manifest.json")["Body"].read()
    else:
        body = (blobforge.home / "blobs" / "registry" / "manifest.json").read_bytes()
    document = json.loads(body)

    assert (document["version"], document["updated_at"][-1]) == (1, "Z")
    assert document["entries"][PHB] == {
        "paths": ["DnD/Player's Handbook.pdf", "backup/PHB.pdf"],
        "size": 52_428_800,
        "tags": ["DnD", "5e"],
        "ingested_at": "2026-01-01T12:00:00Z",
        "source": "rpg-library",
    }


@pytest.mark.parametrize("store", [{}], ids=["folder"])
def test_a_damaged_manifest_is_kept_and_made_anew_only_on_demand(
    blobforge: Blobforge, library: Callable[..., dict[str, Any]]
) -> None:
    path = blobforge.home / "blobs" / "registry" / "manifest.json"
    damaged = path.read_bytes()[:-30]
    path.write_bytes(damaged)

    refused = library("search", "handbook", code=1)["error"]
    unasked = library("manifest", "rebuild", code=1)["error"]
    done = library("manifest", "rebuild", "--force")

    assert refused["code"] == unasked["code"] == "manifest_damaged"
    assert str(path) in refused["message"]
    assert (done["documents"], done["added"]) == (2, 0)
    assert [Path(name).read_bytes() for name in done["set_aside"]] == [damaged]
    assert hashes(library("search", "handbook")) == [PHB]


@pytest.mark.parametrize("store", [{}], ids=["folder"])
def test_people_read_it_on_a_narrow_screen(blobforge: Blobforge, library: Callable[..., dict[str, Any]]) -> None:
    terminal = Terminal(blobforge, "search", "dnd", env={}, columns=80)

    assert terminal.wait_for_end() == 0
    assert all(len(line) <= 80 for line in terminal.lines)
    assert terminal.lines[0].split() == ["HASH", "STATE", "SIZE", "TAGS", "PATH"]
    assert terminal.lines[1].split()[:4] == [DMG[:12], "-", "41.0", "MB"]
