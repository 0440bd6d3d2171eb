"""Whose turn it is at the slots."""

import itertools
import threading

from blobforge.worker.fair_queue import QUANTUM, QUANTUM_SECONDS, FairQueue


def filled(**documents: int) -> FairQueue[str]:
    """Each with so many slices; their ranks are in the order of their names."""
    line: FairQueue[str] = FairQueue()
    for rank, (name, slices) in enumerate(documents.items()):
        for number in range(slices):
            line.put(f"{name}{number}", rank=rank)
    return line


def taken(line: FairQueue[str], count: int) -> list[str]:
    """As by one slot, which ends each before it takes the next."""
    items = []
    for _ in range(count):
        turn = line.take()
        assert turn is not None
        items.append(turn.item)
        line.give_back(turn)
    return items


def held(line: FairQueue[str], count: int) -> list[str]:
    """As by many slots, none of which has ended yet."""
    turns = [line.take() for _ in range(count)]
    return [turn.item for turn in turns if turn is not None]


def test_small_documents_are_served_in_the_order_of_their_claims() -> None:
    assert taken(filled(a=1, b=1, c=1), 3) == ["a0", "b0", "c0"]


def test_an_ordinary_document_is_ended_before_the_next_begins() -> None:
    assert taken(filled(a=3, b=2), 5) == ["a0", "a1", "a2", "b0", "b1"]


def test_a_document_alone_has_all_slots() -> None:
    assert held(filled(a=5), 4) == ["a0", "a1", "a2", "a3"]


def test_a_long_document_leaves_a_slot_to_each_of_the_others() -> None:
    assert held(filled(a=1000, b=3, c=1), 4) == ["a0", "b0", "c0", "a1"]


def test_a_very_long_document_gives_way_even_where_there_is_one_slot() -> None:
    line = filled(a=20_000, b=2)

    first = taken(line, QUANTUM + 3)

    assert first == [*(f"a{number}" for number in range(QUANTUM)), "b0", "b1", f"a{QUANTUM}"]


def test_what_comes_later_goes_before_one_that_has_had_many_turns() -> None:
    line = filled(a=20_000)
    taken(line, 10 * QUANTUM)
    line.put("b0", rank=1)

    assert taken(line, 2) == ["b0", f"a{10 * QUANTUM}"]


def test_a_document_of_slow_pages_gives_way_by_the_time_that_it_took() -> None:
    now = [1000.0]
    line: FairQueue[str] = FairQueue(monotonic=lambda: now[0])
    for number in range(3):
        line.put(f"a{number}", rank=0)
    slow = line.take()
    assert slow is not None
    line.put("b0", rank=1)

    now[0] += QUANTUM_SECONDS
    line.give_back(slow)

    assert taken(line, 3) == ["b0", "a1", "a2"]


def test_long_documents_give_way_to_each_other_ever_more_rarely() -> None:
    line = filled(a=20_000, b=20_000)

    names = "".join(item[0] for item in taken(line, 32 * QUANTUM))

    turns = [(name, len(list(run)) // QUANTUM) for name, run in itertools.groupby(names)]
    assert turns == [("a", 1), ("b", 1), ("a", 3), ("b", 3), ("a", 12), ("b", 12)]


def test_it_tells_how_often_each_document_gave_way_that_is_not_over() -> None:
    line = filled(a=20_000, b=1)
    told = []
    for turns in (QUANTUM - 1, 1, 3 * QUANTUM, 1):
        taken(line, turns)
        told.append(line.tiers())

    assert told == [[0, 0], [1, 0], [1], [2]]


def test_nothing_is_kept_of_a_document_that_is_over() -> None:
    line = filled(a=QUANTUM)
    taken(line, QUANTUM)
    line.put("again", rank=0)
    line.put("b0", rank=1)

    assert taken(line, 2) == ["again", "b0"]


def test_who_waits_is_woken_by_what_comes_and_by_the_end() -> None:
    line: FairQueue[str] = FairQueue()
    heard: list[str | None] = []

    def listen() -> None:
        while (turn := line.take()) is not None:
            heard.append(turn.item)
            line.give_back(turn)

    listener = threading.Thread(target=listen)
    listener.start()
    line.put("a", rank=0)
    while not heard:
        listener.join(0.001)
    line.close()
    listener.join(60)

    assert (heard, listener.is_alive()) == (["a"], False)


def test_what_still_waits_at_the_end_is_dropped() -> None:
    line = filled(a=2)
    line.close()

    assert line.take() is None
