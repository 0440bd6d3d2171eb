"""The explorer finds planted races in a counter, and none in one that is right."""

from collections.abc import Callable

from tests.proof.counters import (
    COUNTER,
    counts_and_forgets,
    counts_with_a_condition,
    counts_without_a_condition,
    giving_up,
)
from tests.proof.explorer import Ending, Explored, Explorer
from tests.proof.replay import Actor
from tests.proof.stepper import ActorContext

from blobforge.testing.simulated_bucket import SimulatedBucket


def test_a_lost_update_is_found_without_any_fault() -> None:
    found = _explored(counts_without_a_condition, faults=0)

    assert [violation.complaint for violation in found.violations] == ["2 counted, and the counter is at 1"]


def test_a_compare_and_set_has_no_race() -> None:
    found = _explored(counts_with_a_condition, faults=0)

    assert found.violations == ()
    assert found.endings > 0


def test_a_compare_and_set_survives_each_single_fault() -> None:
    assert _explored(counts_with_a_condition, faults=1).violations == ()


def test_counting_twice_after_a_lost_reply_is_found() -> None:
    assert _explored(counts_and_forgets, faults=0).violations == ()

    found = _explored(counts_and_forgets, faults=1)

    assert found.violations[0].complaint == "2 counted, and the counter is at 3"
    assert "is cut" in " ".join(found.violations[0].schedule)


def test_the_same_exploration_has_the_same_size() -> None:
    once, again = (_explored(counts_with_a_condition, faults=1) for _ in range(2))

    assert once == again
    assert once.states > 100


def test_the_exception_of_an_actor_is_reported() -> None:
    def breaks_down(context: ActorContext) -> None:
        raise KeyError(context.name)

    found = _explored(breaks_down, faults=0)

    assert found.violations[0].complaint == "A breaks down: KeyError: 'A'"


def _explored(script: Callable[[ActorContext], None], *, faults: int) -> Explored:
    bucket = SimulatedBucket()
    bucket.objects().put(COUNTER, b"")
    actors = [Actor(name, giving_up(script)) for name in "AB"]
    return Explorer(actors, bucket.contents, _judged, faults=faults).explore()


def _judged(ending: Ending) -> list[str]:
    """Those who say that they counted have counted; one who is gone or gave up may have."""
    reached = len(ending.world.contents.objects[COUNTER].body.split())
    counted = sum(note.what == "counted" for actor in ending.actors for note in actor.notes)
    doubtful = sum(all(note.what != "counted" for note in actor.notes) for actor in ending.actors)
    if counted <= reached <= counted + doubtful:
        return []
    return [f"{counted} counted, and the counter is at {reached}"]
