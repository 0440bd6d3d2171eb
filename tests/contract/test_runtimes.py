"""Every runtime under the one contract."""

from datetime import timedelta
from functools import partial

import pytest

from blobforge.ports.clock import Clock
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SystemRuntime
from blobforge.testing.clock import START
from blobforge.testing.clock_contract import ClockContract
from blobforge.testing.runtime import FakeRuntime
from blobforge.testing.runtime_contract import RuntimeContract


class TestSystemRuntime(RuntimeContract):
    @pytest.fixture
    def runtime(self) -> Runtime:
        return SystemRuntime()


class TestFakeRuntime(RuntimeContract):
    @pytest.fixture
    def runtime(self) -> Runtime:
        return FakeRuntime()

    def test_a_day_takes_no_time_and_every_thread_has_its_turn(self) -> None:
        runtime, met = FakeRuntime(), list[float]()
        for hours in (20, 4, 9):
            runtime.call_later(hours * 3600, lambda: met.append(runtime.monotonic()))

        runtime.sleep(86_400)

        assert met == [14_400.0, 32_400.0, 72_000.0]
        assert runtime.monotonic() == 86_400.0

    def test_the_clock_moves_with_it(self) -> None:
        runtime = FakeRuntime()

        runtime.sleep(90)

        assert runtime.now() == START + timedelta(seconds=90)

    def test_threads_that_wait_for_each_other_for_ever_are_a_failure(self) -> None:
        runtime = FakeRuntime()
        never = runtime.event()
        runtime.thread(never.wait, name="waits").start()

        with pytest.raises(AssertionError, match="every thread waits for another one"):
            never.wait()

    def test_a_seed_gives_one_order_of_the_threads_again_and_again(self) -> None:
        def order(seed: int) -> list[int]:
            runtime, met = FakeRuntime(seed=seed), list[int]()
            for number in range(6):
                runtime.call_later(1, partial(met.append, number))
            runtime.sleep(2)
            return met

        assert order(7) == order(7)
        assert len({tuple(order(seed)) for seed in range(10)}) > 1


class TestTheClockOfAFakeRuntime(ClockContract):
    @pytest.fixture
    def clock(self) -> Clock:
        return FakeRuntime()
