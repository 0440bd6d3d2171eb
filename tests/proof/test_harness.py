"""Schedules that are drawn from a seed find planted races too, and can be played again."""

from tests.proof.counters import (
    COUNTER,
    counts_and_forgets,
    counts_with_a_condition,
    counts_without_a_condition,
    giving_up,
)
from tests.proof.harness import Harness, Role
from tests.proof.stepper import ActorContext, Script

from blobforge.testing.clock import START
from blobforge.testing.simulated_bucket import SimulatedBucket

SEEDS = range(40)


def test_five_who_count_with_a_condition_are_all_counted() -> None:
    assert [seed for seed in SEEDS if _miscounts(counts_with_a_condition, seed, faults=5)] == []


def test_a_lost_update_is_found() -> None:
    assert [seed for seed in SEEDS if _miscounts(counts_without_a_condition, seed, faults=0)] != []


def test_counting_twice_after_a_lost_reply_is_found() -> None:
    assert [seed for seed in SEEDS if _miscounts(counts_and_forgets, seed, faults=5)] != []


def test_a_schedule_is_ran_again_from_its_seed() -> None:
    once, again = (_ran(counts_with_a_condition, 7, faults=5) for _ in range(2))

    assert once.log == again.log
    assert len(once.log) > 10


def test_who_sleeps_does_so_in_virtual_time() -> None:
    woken = []

    def sleeps(context: ActorContext) -> None:
        context.sleep(3600)
        context.objects.get(COUNTER)
        woken.append(context.objects.now())

    _ran(sleeps, 1, faults=0)

    assert len(woken) == 5
    assert all((moment - START).total_seconds() >= 3600 for moment in woken)


def _miscounts(script: Script, seed: int, *, faults: int) -> bool:
    harness = _ran(script, seed, faults=faults)
    names = harness.bucket.contents.objects[COUNTER].body.decode().split()
    counted = sum(note.what == "counted" for actor in harness.actors for note in actor.notes)
    doubtful = len(harness.actors) - counted
    return not counted <= len(names) <= counted + doubtful


def _ran(script: Script, seed: int, *, faults: int) -> Harness:
    bucket = SimulatedBucket()
    bucket.objects().put(COUNTER, b"")
    roles = [Role(name, giving_up(script), begins_within=1) for name in "ABCDE"]
    harness = Harness(bucket, roles, seed=seed, faults=faults, watched=lambda _: False)
    harness.run()
    return harness
