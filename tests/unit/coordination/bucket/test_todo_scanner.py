"""The todo scanner: when it lists, and which candidates it has."""

from datetime import timedelta

import pytest

from blobforge.coordination.bucket.change_token import bump_change_tokens, read_change_tokens
from blobforge.coordination.bucket.names import MAIN
from blobforge.coordination.bucket.todo_scanner import FULL_LISTING_EVERY, SMALL_TIER, Candidate, TodoScanner
from blobforge.domain.priority import Priority
from blobforge.objectstore.client import ObjectStore
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.testing.builders import hash_of
from blobforge.testing.simulated_bucket import SimulatedBucket

MANY = 1_200
"""More than one page of a listing."""


@pytest.fixture
def bucket() -> SimulatedBucket:
    return SimulatedBucket()


@pytest.fixture
def objects(bucket: SimulatedBucket) -> ObjectStore:
    return bucket.objects()


class Rolls:
    """A constant random number."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __call__(self) -> float:
        return self.value


def pending(objects: ObjectStore, *names: str, priority: Priority = Priority.NORMAL) -> None:
    for name in names:
        objects.put(MAIN.waiting(priority, hash_of(name)), name.encode())
    bump_change_tokens(objects, MAIN, [priority], nonce=SYSTEM_RUNTIME.nonce)


def many(objects: ObjectStore, count: int, *, priority: Priority = Priority.NORMAL) -> None:
    pending(objects, *(f"document {number}" for number in range(count)), priority=priority)


def refreshed(objects: ObjectStore, *, roll: float = 0.5) -> TodoScanner:
    scanner = TodoScanner(objects, MAIN, roll=Rolls(roll))
    scanner.refresh(read_change_tokens(objects, MAIN))
    return scanner


def hashes(candidates: list[Candidate]) -> set[str]:
    return {candidate.source_hash for candidate in candidates}


def listings(objects: ObjectStore) -> int:
    return objects.requests["list_objects_v2"]


def test_an_empty_tier_has_no_candidates(objects: ObjectStore) -> None:
    assert refreshed(objects).candidates() == []


def test_what_is_listed_is_used_up_before_it_lists_again(objects: ObjectStore, bucket: SimulatedBucket) -> None:
    many(objects, 30)
    scanner = refreshed(objects)

    for _ in range(30):
        scanner.on_claimed(scanner.candidates()[0], until=bucket.time + FULL_LISTING_EVERY)

    assert listings(objects) == 1


def test_only_the_most_urgent_tier_has_candidates(objects: ObjectStore) -> None:
    pending(objects, "later", priority=Priority.LOW)
    pending(objects, "soon", priority=Priority.HIGH)

    assert hashes(refreshed(objects).candidates()) == {hash_of("soon")}


def test_the_next_tier_comes_when_all_of_the_first_are_held(objects: ObjectStore) -> None:
    pending(objects, "later", priority=Priority.LOW)
    pending(objects, "soon", priority=Priority.HIGH)
    scanner = refreshed(objects)

    scanner.on_conflict(scanner.candidates()[0], until=objects.now() + FULL_LISTING_EVERY)

    assert hashes(scanner.candidates()) == {hash_of("later")}


def test_a_tier_behind_a_page_of_a_more_urgent_one_is_found(objects: ObjectStore) -> None:
    many(objects, MANY, priority=Priority.HIGH)
    pending(objects, "later", priority=Priority.LOW)
    scanner = refreshed(objects)

    taken = 0
    while (candidates := scanner.candidates())[0].priority == Priority.HIGH:
        scanner.on_claimed(candidates[0], until=objects.now() + FULL_LISTING_EVERY)
        taken += 1

    assert taken == MANY
    assert hashes(candidates) == {hash_of("later")}


def test_a_scan_wraps_around_the_whole_tier_from_any_start(objects: ObjectStore) -> None:
    many(objects, MANY)

    for roll in (0.0, 0.4, 0.99):
        scanner, seen = refreshed(objects, roll=roll), set()
        while candidates := scanner.candidates():
            seen.add(candidates[0].source_hash)
            scanner.on_claimed(candidates[0], until=objects.now() + FULL_LISTING_EVERY)
        assert len(seen) == MANY


def test_two_workers_start_at_different_positions(objects: ObjectStore) -> None:
    """R0-43, R2-4."""
    many(objects, MANY)

    firsts = {refreshed(objects, roll=roll).candidates()[0].source_hash for roll in (0.1, 0.3, 0.5, 0.7)}

    assert len(firsts) == 4


def test_a_tier_of_one_page_is_scanned_from_different_positions(objects: ObjectStore) -> None:
    many(objects, 3 * SMALL_TIER)

    firsts = {refreshed(objects, roll=roll).candidates()[0].source_hash for roll in (0.1, 0.3, 0.5, 0.7)}

    assert len(firsts) == 4


def test_few_jobs_are_few_whatever_tier_they_are_in(objects: ObjectStore) -> None:
    many(objects, 3 * SMALL_TIER)
    pending(objects, "urgent", priority=Priority.CRITICAL)
    scanner = refreshed(objects)

    scanner.candidates()
    assert scanner.is_small_tier

    scanner.on_claimed(scanner.candidates()[0], until=objects.now() + FULL_LISTING_EVERY)
    assert not scanner.is_small_tier


def test_after_a_conflict_the_scan_starts_at_another_position(objects: ObjectStore) -> None:
    many(objects, 3 * SMALL_TIER)
    rolls = Rolls(0.2)
    scanner = TodoScanner(objects, MAIN, roll=rolls)
    scanner.refresh(read_change_tokens(objects, MAIN))
    gone, neighbour = scanner.candidates()[:2]
    objects.delete(gone.name)
    rolls.value = 0.8

    scanner.on_gone(gone)

    assert scanner.candidates()[0].source_hash != neighbour.source_hash
    assert gone.source_hash not in hashes(scanner.candidates())


def test_a_job_that_another_worker_holds_is_not_candidates_again(objects: ObjectStore) -> None:
    pending(objects, "a", "b")
    scanner = refreshed(objects)
    held = next(one for one in scanner.candidates() if one.source_hash == hash_of("a"))

    scanner.on_conflict(held, until=objects.now() + timedelta(hours=1))
    pending(objects, "urgent", priority=Priority.CRITICAL)
    scanner.refresh(read_change_tokens(objects, MAIN))
    scanner.on_claimed(scanner.candidates()[0], until=objects.now() + FULL_LISTING_EVERY)

    assert hashes(scanner.candidates()) == {hash_of("b")}


def test_a_job_is_candidates_again_when_its_holder_let_go_of_it(objects: ObjectStore) -> None:
    pending(objects, "a")
    scanner = refreshed(objects)
    scanner.on_conflict(scanner.candidates()[0], until=objects.now() + timedelta(hours=1))
    assert scanner.candidates() == []

    objects.put(MAIN.waiting(Priority.NORMAL, hash_of("a")), b"written anew")
    bump_change_tokens(objects, MAIN, [Priority.NORMAL], nonce=SYSTEM_RUNTIME.nonce)
    scanner.refresh(read_change_tokens(objects, MAIN))

    assert hashes(scanner.candidates()) == {hash_of("a")}


def test_a_job_is_candidates_again_when_its_holders_lease_is_over(
    objects: ObjectStore, bucket: SimulatedBucket
) -> None:
    pending(objects, "a")
    scanner = refreshed(objects)
    scanner.on_conflict(scanner.candidates()[0], until=objects.now() + timedelta(minutes=1))

    bucket.advance(2 * FULL_LISTING_EVERY)
    scanner.refresh(read_change_tokens(objects, MAIN))

    assert hashes(scanner.candidates()) == {hash_of("a")}


def test_a_job_whose_change_token_was_lost_is_found_by_the_full_listing(
    objects: ObjectStore, bucket: SimulatedBucket
) -> None:
    scanner = refreshed(objects)
    assert scanner.candidates() == []
    objects.put(MAIN.waiting(Priority.NORMAL, hash_of("a")), b"without a hint")

    scanner.refresh(read_change_tokens(objects, MAIN))
    assert scanner.candidates() == []
    bucket.advance(2 * FULL_LISTING_EVERY)
    scanner.refresh(read_change_tokens(objects, MAIN))

    assert hashes(scanner.candidates()) == {hash_of("a")}


def test_a_clock_that_is_set_back_does_not_stop_full_listings(objects: ObjectStore, bucket: SimulatedBucket) -> None:
    scanner = refreshed(objects)
    scanner.candidates()
    objects.put(MAIN.waiting(Priority.NORMAL, hash_of("a")), b"without a hint")

    bucket.advance(-timedelta(days=1))
    scanner.refresh(read_change_tokens(objects, MAIN))

    assert hashes(scanner.candidates()) == {hash_of("a")}


def test_changes_of_less_urgent_tiers_cost_no_listing(objects: ObjectStore) -> None:
    pending(objects, "a", "b", priority=Priority.HIGH)
    scanner = refreshed(objects)
    scanner.candidates()
    pending(objects, "later", priority=Priority.LOW)
    before = listings(objects)

    scanner.refresh(read_change_tokens(objects, MAIN))
    scanner.candidates()

    assert listings(objects) == before


def test_a_scan_resumes_where_it_was_suspended(objects: ObjectStore) -> None:
    many(objects, MANY)
    rolls = Rolls(0.3)
    scanner = TodoScanner(objects, MAIN, roll=rolls)
    scanner.refresh(read_change_tokens(objects, MAIN))
    first, second = scanner.candidates()[:2]
    scanner.on_claimed(first, until=objects.now() + FULL_LISTING_EVERY)
    pending(objects, "urgent", priority=Priority.CRITICAL)
    rolls.value = 0.9

    scanner.refresh(read_change_tokens(objects, MAIN))
    urgent = scanner.candidates()
    scanner.on_claimed(urgent[0], until=objects.now() + FULL_LISTING_EVERY)

    assert hashes(urgent) == {hash_of("urgent")}
    assert scanner.candidates()[0] == second


def test_after_a_conflict_in_a_small_tier_jobs_without_a_record_come_first(objects: ObjectStore) -> None:
    pending(objects, *"abcd")
    for name in "abc":
        objects.put(MAIN.record(hash_of(name), 1), b"held")
    scanner = refreshed(objects)
    held = next(one for one in scanner.candidates() if one.source_hash == hash_of("a"))

    scanner.on_conflict(held, until=objects.now() + FULL_LISTING_EVERY)

    assert hashes(scanner.candidates()) == {hash_of("d")}


def test_a_job_with_a_record_is_a_candidate_when_no_other_is_left(objects: ObjectStore) -> None:
    """It may wait for another try."""
    pending(objects, *"ab")
    for name in "ab":
        objects.put(MAIN.record(hash_of(name), 1), b"held")
    scanner = refreshed(objects)

    scanner.on_conflict(
        next(one for one in scanner.candidates() if one.source_hash == hash_of("a")),
        until=objects.now() + FULL_LISTING_EVERY,
    )

    (left,) = scanner.candidates()
    assert (left.source_hash, left.generation) == (hash_of("b"), 1)


def test_a_job_that_was_freed_here_comes_after_more_urgent_ones(objects: ObjectStore) -> None:
    pending(objects, "soon", priority=Priority.HIGH)
    scanner = refreshed(objects)

    scanner.add(Candidate(MAIN, Priority.LOW, hash_of("later"), "", objects.now()))

    assert hashes(scanner.candidates()) == {hash_of("soon")}


def test_a_job_that_was_made_free_here_needs_no_listing(objects: ObjectStore) -> None:
    scanner = refreshed(objects)
    assert scanner.candidates() == []
    before = listings(objects)

    scanner.add(Candidate(MAIN, Priority.LOW, hash_of("a"), "", objects.now()))

    assert hashes(scanner.candidates()) == {hash_of("a")}
    assert listings(objects) == before


def test_what_is_no_marker_is_passed_over(objects: ObjectStore) -> None:
    objects.put(f"{MAIN.todo}notes.txt", b"")
    pending(objects, "a")

    assert hashes(refreshed(objects).candidates()) == {hash_of("a")}
