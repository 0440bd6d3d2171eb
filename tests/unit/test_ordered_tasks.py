"""Several things at once, told in their order."""

import threading
from concurrent.futures import Future
from functools import partial

import pytest

from blobforge.thread_pool import OrderedTasks

PATIENCE_SECONDS = 10


class Gates:
    """Things that end when a test says so."""

    def __init__(self) -> None:
        self._open = [threading.Event() for _ in range(4)]

    def thing(self, number: int) -> int:
        assert self._open[number].wait(PATIENCE_SECONDS)
        return number

    def open(self, *numbers: int) -> None:
        for number in numbers:
            self._open[number].set()


class Watch:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def begun(work: OrderedTasks[int], gates: Gates, count: int) -> list["Future[int]"]:
    return [work.begin(partial(gates.thing, number)) for number in range(count)]


def test_as_many_as_there_is_room_for_are_under_way() -> None:
    together = threading.Barrier(3)

    with OrderedTasks[int](size=3, limit=100, seconds=5) as work:
        for _ in range(3):
            assert work.has_room()
            work.begin(lambda: together.wait(PATIENCE_SECONDS))
        while not work.is_idle():
            work.wait()

        assert sorted(work.take()) == [0, 1, 2]


def test_there_is_no_room_for_more() -> None:
    gates = Gates()
    with OrderedTasks[int](size=2, limit=100, seconds=5) as work:
        begun(work, gates, 2)
        is_full = not work.has_room()
        gates.open(1)
        work.wait()

        assert (is_full, work.has_room()) == (True, True)
        gates.open(0)


def test_with_room_for_one_there_are_no_threads() -> None:
    with OrderedTasks[str](size=1, limit=100, seconds=5) as work:
        work.begin(lambda: threading.current_thread().name)

        assert work.has_room()
        assert work.take() == [threading.current_thread().name]


def test_what_ended_early_waits_for_what_was_begun_before_it() -> None:
    gates = Gates()
    with OrderedTasks[int](size=4, limit=1, seconds=5, clock=Watch()) as work:
        first, second = begun(work, gates, 2)
        gates.open(1)
        second.result(PATIENCE_SECONDS)
        work.wait()
        assert not work.is_due()
        gates.open(0)
        first.result(PATIENCE_SECONDS)
        work.wait()

        assert work.is_due()
        assert work.take() == [0, 1]


def test_but_it_does_not_wait_for_long() -> None:
    gates, watch = Gates(), Watch()
    with OrderedTasks[int](size=4, limit=100, seconds=5, clock=watch) as work:
        _, second = begun(work, gates, 2)
        gates.open(1)
        second.result(PATIENCE_SECONDS)
        work.wait()
        assert not work.is_due()
        watch.now += 5

        assert work.is_due()
        assert work.take() == [1]
        gates.open(0)


def test_whoever_waits_is_woken_when_something_is_due() -> None:
    gates = Gates()
    with OrderedTasks[int](size=4, limit=100, seconds=0.01) as work:
        work.add(7)
        begun(work, gates, 1)
        work.wait()

        assert work.is_due()
        assert work.take() == [7]
        gates.open(0)


def test_what_is_left_behind_a_slow_one_has_waited_already() -> None:
    gates, watch = Gates(), Watch()
    with OrderedTasks[int](size=4, limit=1, seconds=5, clock=watch) as work:
        work.add(7)
        begun(work, gates, 1)
        work.add(8)
        assert work.take() == [7]
        assert not work.is_due()
        watch.now += 5

        assert work.is_due()
        assert work.take() == [8]
        gates.open(0)


def test_what_goes_wrong_is_raised_after_the_others_have_ended() -> None:
    gates = Gates()
    others: list[Future[int]] = []

    def fail() -> int:
        threading.Timer(0.05, gates.open, [0, 1]).start()
        raise OSError

    with pytest.raises(OSError), OrderedTasks[int](size=4, limit=100, seconds=5) as work:  # noqa: PT012
        others += begun(work, gates, 2)
        work.begin(fail)
        work.wait()

    assert [other.done() for other in others] == [True, True]


def test_whoever_interrupts_does_not_wait() -> None:
    gates = Gates()
    others: list[Future[int]] = []

    with pytest.raises(KeyboardInterrupt), OrderedTasks[int](size=4, limit=100, seconds=5) as work:  # noqa: PT012
        others += begun(work, gates, 1)
        raise KeyboardInterrupt

    assert not others[0].done()
    gates.open(0)
