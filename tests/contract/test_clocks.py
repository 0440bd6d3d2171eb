"""Every clock under the one contract."""

from datetime import UTC, datetime, timedelta

import pytest

from blobforge.clock import SystemClock
from blobforge.ports.clock import Clock
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.clock_contract import ClockContract


class TestSystemClock(ClockContract):
    @pytest.fixture
    def clock(self) -> Clock:
        return SystemClock()

    def test_it_has_the_time_of_the_machine(self, clock: Clock) -> None:
        before = datetime.now(UTC)

        assert before <= clock.now() <= datetime.now(UTC)


class TestFakeClock(ClockContract):
    @pytest.fixture
    def clock(self) -> Clock:
        return FakeClock()

    def test_it_stands_still_until_it_is_moved(self) -> None:
        clock = FakeClock()

        assert clock.now() == clock.now() == START
        assert clock.advance(minutes=2, seconds=5) == clock.now() == START + timedelta(seconds=125)

    def test_it_can_be_set_back_like_a_real_one(self) -> None:
        clock = FakeClock()
        clock.advance(seconds=-10)

        assert clock.now() == START - timedelta(seconds=10)
