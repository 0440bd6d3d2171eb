"""Which item the slots take next."""

import itertools
import threading

from blobforge.testing.runtime import FakeRuntime
from blobforge.worker.fair_queue import QUANTUM, QUANTUM_SECONDS, FairQueue


def filled(**documents: int) -> FairQueue[str]:
    """Each with so many slices; their ranks are in the order of their names."""
    queue: FairQueue[str] = FairQueue()
    for rank, (name, slices) in enumerate(documents.items()):
        for number in range(slices):
            queue.put(f"{name}{number}", rank=rank)
    return queue


def taken(queue: FairQueue[str], count: int) -> list[str]:
    """As by one slot, which ends each before it takes the next."""
    items = []
    for _ in range(count):
        taken_item = queue.take()
        assert taken_item is not None
        items.append(taken_item.item)
        queue.give_back(taken_item)
    return items


def held(queue: FairQueue[str], count: int) -> list[str]:
    """As by many slots, none of which has ended yet."""
    items = [queue.take() for _ in range(count)]
    return [taken_item.item for taken_item in items if taken_item is not None]


def test_small_documents_are_served_in_the_order_of_their_claims() -> None:
    assert taken(filled(a=1, b=1, c=1), 3) == ["a0", "b0", "c0"]


def test_an_ordinary_document_is_ended_before_the_next_begins() -> None:
    assert taken(filled(a=3, b=2), 5) == ["a0", "a1", "a2", "b0", "b1"]


def test_a_document_alone_has_all_slots() -> None:
    assert held(filled(a=5), 4) == ["a0", "a1", "a2", "a3"]


def test_a_long_document_leaves_a_slot_to_each_of_the_others() -> None:
    assert held(filled(a=1000, b=3, c=1), 4) == ["a0", "b0", "c0", "a1"]


def test_a_very_long_document_gives_way_even_where_there_is_one_slot() -> None:
    queue = filled(a=20_000, b=2)

    first = taken(queue, QUANTUM + 3)

    assert first == [*(f"a{number}" for number in range(QUANTUM)), "b0", "b1", f"a{QUANTUM}"]


def test_what_comes_later_goes_before_one_that_has_had_many_turns() -> None:
    queue = filled(a=20_000)
    taken(queue, 10 * QUANTUM)
    queue.put("b0", rank=1)

    assert taken(queue, 2) == ["b0", f"a{10 * QUANTUM}"]


def test_a_document_of_slow_pages_gives_way_by_the_time_that_it_took() -> None:
    runtime = FakeRuntime()
    queue: FairQueue[str] = FairQueue(runtime=runtime)
    for number in range(3):
        queue.put(f"a{number}", rank=0)
    slow = queue.take()
    assert slow is not None
    queue.put("b0", rank=1)

    runtime.advance(QUANTUM_SECONDS)
    queue.give_back(slow)

    assert taken(queue, 3) == ["b0", "a1", "a2"]


def test_long_documents_give_way_to_each_other_ever_more_rarely() -> None:
    queue = filled(a=20_000, b=20_000)

    names = "".join(item[0] for item in taken(queue, 32 * QUANTUM))

    items = [(name, len(list(run)) // QUANTUM) for name, run in itertools.groupby(names)]
    assert items == [("a", 1), ("b", 1), ("a", 3), ("b", 3), ("a", 12), ("b", 12)]


def test_it_tells_how_often_each_document_gave_way_that_is_not_over() -> None:
    queue = filled(a=20_000, b=1)
    told = []
    for items in (QUANTUM - 1, 1, 3 * QUANTUM, 1):
        taken(queue, items)
        told.append(queue.levels())

    assert told == [[0, 0], [1, 0], [1], [2]]


def test_nothing_is_kept_of_a_document_that_is_over() -> None:
    queue = filled(a=QUANTUM)
    taken(queue, QUANTUM)
    queue.put("again", rank=0)
    queue.put("b0", rank=1)

    assert taken(queue, 2) == ["again", "b0"]


def test_who_waits_is_woken_by_what_comes_and_by_the_end() -> None:
    queue: FairQueue[str] = FairQueue()
    heard: list[str | None] = []

    def listen() -> None:
        while (taken_item := queue.take()) is not None:
            heard.append(taken_item.item)
            queue.give_back(taken_item)

    listener = threading.Thread(target=listen)
    listener.start()
    queue.put("a", rank=0)
    while not heard:
        listener.join(0.001)
    queue.close()
    listener.join(60)

    assert (heard, listener.is_alive()) == (["a"], False)


def test_what_still_waits_at_the_end_is_dropped() -> None:
    queue = filled(a=2)
    queue.close()

    assert queue.take() is None
