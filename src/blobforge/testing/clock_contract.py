"""The contract of every Clock.

A subclass gives one fixture: `clock`.
"""

from datetime import UTC, timedelta

from blobforge.ports.clock import Clock


class ClockContract:
    def test_the_time_is_in_utc_and_says_so(self, clock: Clock) -> None:
        now = clock.now()

        assert now.tzinfo is UTC
        assert now.utcoffset() == timedelta(0)

    def test_time_does_not_run_backwards(self, clock: Clock) -> None:
        looks = [clock.now() for _ in range(1_000)]

        assert looks == sorted(looks)

    def test_a_moment_survives_being_written_down(self, clock: Clock) -> None:
        now = clock.now()

        assert type(now).fromisoformat(now.isoformat(timespec="microseconds")) == now
