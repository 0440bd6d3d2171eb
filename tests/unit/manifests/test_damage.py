"""A manifest that cannot be understood: never overwritten, no reason to lose what is new, rebuilt on demand."""

import pytest
from tests.unit.manifests.conftest import OpenAnother
from tests.unit.manifests.memory_shards import MemoryShards

from blobforge.domain.errors import ManifestDamaged
from blobforge.ports.shards import MANIFEST, PENDING
from blobforge.testing.builders import hash_of
from blobforge.testing.manifest_contract import seen

NOT_OURS = b'{"version": 7, "entries": "in another file"}'


@pytest.fixture
def cut(shards: MemoryShards, open_manifest: OpenAnother) -> MemoryShards:
    """A manifest of two documents, of which the end was lost."""
    manifest = open_manifest()
    manifest.record([seen("a"), seen("b")])
    manifest.flush()
    shards.shards[MANIFEST] = shards.shards[MANIFEST]._replace(body=shards.shards[MANIFEST].body[:-30])
    return shards


@pytest.mark.parametrize("count", [1, 300])
def test_it_is_not_overwritten_and_what_is_new_is_kept(
    shards: MemoryShards, open_manifest: OpenAnother, count: int
) -> None:
    shards.put(MANIFEST, NOT_OURS, seen=None)
    manifest = open_manifest()
    manifest.record([seen(f"new {number}") for number in range(count)])

    with pytest.raises(ManifestDamaged, match=f"memory://{MANIFEST}"):
        manifest.flush()

    assert shards.shards[MANIFEST].body == NOT_OURS
    shards.delete([MANIFEST])
    assert len(open_manifest().entries()) == count


def test_a_damaged_manifest_is_never_taken_for_an_empty_one(shards: MemoryShards, open_manifest: OpenAnother) -> None:
    shards.put(MANIFEST, NOT_OURS, seen=None)

    with pytest.raises(ManifestDamaged, match="version is 7"):
        open_manifest().entries()
    with pytest.raises(ManifestDamaged):
        open_manifest().rebuild({})


def test_set_aside_it_is_kept_and_what_can_be_read_of_it_stays(cut: MemoryShards, open_manifest: OpenAnother) -> None:
    before = cut.shards[MANIFEST].body

    (kept,) = open_manifest().set_aside()

    assert kept.startswith(f"memory://{MANIFEST}.damaged-20260101T120000Z-")
    assert cut.shards[kept.removeprefix("memory://")].body == before
    assert set(open_manifest().entries()) == {hash_of("a")}
    assert open_manifest().set_aside() == []


def test_a_damaged_file_that_is_pending_is_set_aside_as_well(shards: MemoryShards, open_manifest: OpenAnother) -> None:
    manifest = open_manifest()
    manifest.record([seen("a")])
    manifest.flush()
    damaged = f"{PENDING}0-20260101T120000000000Z-0123456789abcdef.json"
    shards.put(damaged, b"{", seen=None)

    (kept,) = open_manifest().set_aside()

    assert kept.startswith(f"memory://{damaged}.damaged-")
    assert set(open_manifest().entries()) == {hash_of("a")}


def test_files_of_others_beside_what_is_pending_are_left_alone(
    shards: MemoryShards, open_manifest: OpenAnother
) -> None:
    shards.put(f"{PENDING}README.txt", b"what is this folder?", seen=None)

    manifest = open_manifest()
    manifest.record([seen("a")])
    manifest.flush()

    assert set(shards.shards) == {f"{PENDING}README.txt", MANIFEST}


def test_where_another_process_has_repaired_it_meanwhile_theirs_stays(
    cut: MemoryShards, open_manifest: OpenAnother
) -> None:
    other = open_manifest()

    def mend(step: str, name: str) -> None:
        if (step, name) == ("put", MANIFEST):
            cut.step_in = lambda _step, _name: None
            other.set_aside()
            other.record([seen("theirs")])
            other.flush()

    cut.step_in = mend
    open_manifest().set_aside()

    assert set(open_manifest().entries()) == {hash_of("a"), hash_of("theirs")}
