"""When the one document is written, and what happens when several do it at once or one dies in the middle."""

from collections.abc import Callable

import pytest
from tests.unit.manifests.conftest import OpenAnother
from tests.unit.manifests.memory_shards import MemoryShards

from blobforge.domain.errors import StoreUnavailable
from blobforge.manifests import codec
from blobforge.manifests.manifest import COMPACT_AT, SMALL, TRIES, ShardedManifest
from blobforge.ports.shards import MANIFEST, PENDING
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import FakeClock
from blobforge.testing.manifest_contract import seen

LARGE = 2_000
"""So many entries make a manifest that is not small any more."""


def write(manifest: ShardedManifest, *names: str) -> None:
    manifest.record([seen(name) for name in names])
    manifest.flush()


def pending(shards: MemoryShards) -> list[str]:
    return [name for name in shards.shards if name.startswith(PENDING)]


def folded(shards: MemoryShards) -> set[str]:
    """What who reads the one document alone knows."""
    return set(codec.decode(shards.shards[MANIFEST].body, address=MANIFEST).entries)


@pytest.fixture
def large(shards: MemoryShards, open_manifest: OpenAnother) -> MemoryShards:
    """A manifest of many documents, all in the one document."""
    manifest = open_manifest()
    manifest.record([seen(f"old {number}") for number in range(LARGE)])
    manifest.finish()
    assert len(shards.shards[MANIFEST].body) > SMALL
    assert pending(shards) == []
    shards.puts.clear()
    return shards


def once(what: str, name_begins: str, act: Callable[[], object]) -> Callable[[str, str], None]:
    """Acts before the first such step, and before no other."""
    left = [act]

    def step_in(step: str, name: str) -> None:
        if left and step == what and name.startswith(name_begins):
            left.pop()()

    return step_in


# When


def test_a_small_manifest_is_always_one_document(shards: MemoryShards, open_manifest: OpenAnother) -> None:
    """R0-10."""
    for name in ("a", "b", "c"):
        write(open_manifest(), name)

    assert folded(shards) == {hash_of("a"), hash_of("b"), hash_of("c")}
    assert pending(shards) == []


def test_a_large_manifest_is_not_written_for_every_flush(large: MemoryShards, open_manifest: OpenAnother) -> None:
    """R0-25."""
    write(open_manifest(), "new")

    assert large.writes_of(MANIFEST) == 0
    assert hash_of("new") not in folded(large)
    assert hash_of("new") in open_manifest().entries()


def test_a_quarter_is_enough_to_fold(large: MemoryShards, open_manifest: OpenAnother) -> None:
    manifest = open_manifest()
    manifest.record([seen(f"new {number}") for number in range(LARGE // 4 + 50)])
    manifest.flush()

    assert large.writes_of(MANIFEST) == 1
    assert pending(large) == []
    assert len(folded(large)) == LARGE + LARGE // 4 + 50


def test_the_end_of_a_run_that_added_much_is_in_the_one_document(
    large: MemoryShards, open_manifest: OpenAnother
) -> None:
    manifest = open_manifest()
    write(manifest, *(f"new {number}" for number in range(60)))

    manifest.finish()

    assert hash_of("new 59") in folded(large)
    assert pending(large) == []


def test_a_thousand_small_runs_do_not_write_it_a_thousand_times(
    large: MemoryShards, open_manifest: OpenAnother, clock: FakeClock
) -> None:
    for number in range(100):
        manifest = open_manifest()
        write(manifest, f"new {number}")
        manifest.finish()
        clock.advance(seconds=5)

    assert large.writes_of(MANIFEST) <= 2
    assert len(open_manifest().entries()) == LARGE + 100


def test_a_small_run_after_a_quiet_time_is_in_the_one_document(
    large: MemoryShards, open_manifest: OpenAnother, clock: FakeClock
) -> None:
    clock.advance(hours=1)
    manifest = open_manifest()
    write(manifest, "new")

    manifest.finish()

    assert hash_of("new") in folded(large)


def test_a_run_that_adds_nothing_writes_nothing(
    large: MemoryShards, open_manifest: OpenAnother, clock: FakeClock
) -> None:
    clock.advance(days=9)
    manifest = open_manifest()
    manifest.record([seen(f"old {number}") for number in range(LARGE)])

    manifest.finish()

    assert large.puts == []


def test_what_says_nothing_new_is_folded_without_a_write(shards: MemoryShards, open_manifest: OpenAnother) -> None:
    write(open_manifest(), "a")
    shards.puts.clear()

    write(open_manifest(), "a")

    assert shards.writes_of(MANIFEST) == 0
    assert pending(shards) == []


def test_readers_never_meet_many_files(large: MemoryShards, open_manifest: OpenAnother) -> None:
    most = 0
    for number in range(COMPACT_AT * COMPACT_AT // 2):
        write(open_manifest(), f"new {number}")
        most = max(most, len(pending(large)))

    assert most <= 2 * COMPACT_AT
    assert len(open_manifest().entries()) == LARGE + COMPACT_AT * COMPACT_AT // 2


def test_paths_stay_in_the_order_in_which_they_came(
    large: MemoryShards, open_manifest: OpenAnother, clock: FakeClock
) -> None:
    for number in range(COMPACT_AT + 3):
        clock.advance(seconds=1)
        manifest = open_manifest()
        manifest.record([seen("shared", f"{number}.pdf", later=number)])
        manifest.flush()

    expected = tuple(f"{number}.pdf" for number in range(COMPACT_AT + 3))
    assert open_manifest().entries()[hash_of("shared")].paths == expected


def test_fifty_times_more_flushes_do_not_cost_fifty_times_the_bytes(
    shards: MemoryShards, open_manifest: OpenAnother
) -> None:
    manifest = open_manifest()
    for start in range(0, 6_000, 50):
        write(manifest, *(f"book {number}" for number in range(start, start + 50)))
    manifest.finish()

    assert shards.written <= 10 * len(shards.shards[MANIFEST].body)


# Several at once


def test_a_fold_that_loses_the_race_reads_and_writes_again(
    shards: MemoryShards, open_manifest: OpenAnother, waits: list[float]
) -> None:
    """R0-24."""
    write(open_manifest(), "first")
    shards.step_in = once("put", MANIFEST, lambda: write(open_manifest(), "other"))

    write(open_manifest(), "ours")

    assert folded(shards) == {hash_of("first"), hash_of("other"), hash_of("ours")}
    assert pending(shards) == []
    assert waits == [0.025]


def test_two_that_make_the_first_manifest_at_once_lose_nothing(
    shards: MemoryShards, open_manifest: OpenAnother
) -> None:
    shards.step_in = once("put", MANIFEST, lambda: write(open_manifest(), "other"))

    write(open_manifest(), "ours")

    assert folded(shards) == {hash_of("other"), hash_of("ours")}


def test_a_writer_that_always_loses_backs_off_and_gives_up(
    shards: MemoryShards, open_manifest: OpenAnother, waits: list[float]
) -> None:
    """R0-24."""
    write(open_manifest(), "first")

    def always_first(step: str, name: str) -> None:
        if (step, name) == ("put", MANIFEST):
            shards.shards[MANIFEST] = shards.shards[MANIFEST]._replace(version=f"theirs {len(waits)}")

    shards.step_in = always_first
    with pytest.raises(StoreUnavailable, match="written by others"):
        write(open_manifest(), "ours")
    shards.step_in = lambda _step, _name: None

    assert len(waits) == TRIES - 1
    assert waits[:4] == [0.025, 0.05, 0.1, 0.2]
    assert max(waits) == 2.5
    assert set(open_manifest().entries()) == {hash_of("first"), hash_of("ours")}


@pytest.mark.parametrize(("what", "name"), [("facts", ""), ("get", PENDING), ("get", MANIFEST)], ids=str)
def test_a_reader_misses_nothing_that_is_folded_while_it_reads(
    large: MemoryShards, open_manifest: OpenAnother, what: str, name: str
) -> None:
    write(open_manifest(), "new")
    folding = open_manifest()
    large.step_in = once(what, name, lambda: folding.rebuild({}))

    assert hash_of("new") in open_manifest().entries()


def test_a_reader_of_what_never_rests_says_so_in_the_end(large: MemoryShards, open_manifest: OpenAnother) -> None:
    write(open_manifest(), "new")

    def vanishing(step: str, name: str) -> None:
        if step == "get" and name.startswith(PENDING):
            body = large.shards.pop(name).body
            large.step_in = lambda _step, _name: None
            large.put(f"{name[:-10]}{len(large.puts):05}.json", body, seen=None)
            large.step_in = vanishing

    large.step_in = vanishing
    with pytest.raises(StoreUnavailable, match="changed by others"):
        open_manifest().entries()


def test_two_that_gather_at_once_lose_nothing(large: MemoryShards, open_manifest: OpenAnother) -> None:
    for number in range(COMPACT_AT - 1):
        write(open_manifest(), f"new {number}")
    large.step_in = once("put", f"{PENDING}1-", lambda: write(open_manifest(), "other"))

    write(open_manifest(), "last")

    names = {f"new {number}" for number in range(COMPACT_AT - 1)} | {"other", "last"}
    assert {hash_of(name) for name in names} <= set(open_manifest().entries())


def test_a_compaction_leaves_shards_to_another_that_is_quicker(large: MemoryShards, open_manifest: OpenAnother) -> None:
    for number in range(COMPACT_AT - 1):
        write(open_manifest(), f"new {number}")
    folding = open_manifest()
    large.step_in = once("get", PENDING, lambda: folding.rebuild({}))

    write(open_manifest(), "last")

    assert {hash_of("new 0"), hash_of("last")} <= set(open_manifest().entries())
    assert pending(large) == []


# Dying in the middle


@pytest.mark.parametrize(
    ("what", "name"), [("facts", ""), ("get", PENDING), ("put", MANIFEST), ("delete", PENDING)], ids=str
)
def test_a_crash_between_the_steps_of_a_fold_loses_nothing(
    shards: MemoryShards, open_manifest: OpenAnother, what: str, name: str
) -> None:
    write(open_manifest(), "first")
    shards.step_in = once(what, name, _die)

    with pytest.raises(KeyboardInterrupt):
        write(open_manifest(), "ours")

    assert set(open_manifest().entries()) == {hash_of("first"), hash_of("ours")}
    write(open_manifest(), "later")
    assert folded(shards) == {hash_of("first"), hash_of("ours"), hash_of("later")}
    assert pending(shards) == []


@pytest.mark.parametrize("what", ["put", "delete"])
def test_a_crash_during_a_compaction_loses_nothing(large: MemoryShards, open_manifest: OpenAnother, what: str) -> None:
    for number in range(COMPACT_AT - 1):
        write(open_manifest(), f"new {number}")
    large.step_in = once(what, f"{PENDING}1-" if what == "put" else PENDING, _die)

    with pytest.raises(KeyboardInterrupt):
        write(open_manifest(), "last")

    assert len(open_manifest().entries()) == LARGE + COMPACT_AT


def test_who_is_interrupted_before_a_write_flushes_it_on_the_way_out(
    shards: MemoryShards, open_manifest: OpenAnother
) -> None:
    manifest = open_manifest()
    shards.step_in = once("put", PENDING, _die)

    with pytest.raises(KeyboardInterrupt):
        write(manifest, "ours")
    manifest.flush()

    assert folded(shards) == {hash_of("ours")}


def test_a_name_that_is_taken_is_no_place_to_write(shards: MemoryShards, open_manifest: OpenAnother) -> None:
    def take(step: str, name: str) -> None:
        if step == "put":
            shards.step_in = lambda _step, _name: None
            shards.put(name, b"", seen=None)

    shards.step_in = take
    manifest = open_manifest()
    with pytest.raises(StoreUnavailable, match="there already"):
        write(manifest, "ours")
    shards.shards.clear()
    manifest.flush()

    assert folded(shards) == {hash_of("ours")}


def _die() -> None:
    raise KeyboardInterrupt
