"""How long a failed job waits."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blobforge.domain.retry import RetryPolicy

PLAIN = RetryPolicy(first=timedelta(seconds=10), factor=3, longest=timedelta(minutes=15), jitter=0)


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 10), (1, 10), (2, 30), (3, 90), (4, 270), (5, 810), (6, 900)])
def test_each_back_off_is_longer_up_to_the_longest(attempts: int, seconds: int) -> None:
    assert PLAIN.delay(attempts, roll=0.9) == timedelta(seconds=seconds)


@pytest.mark.parametrize("factor", [3, 3.0, 1e300])
@pytest.mark.parametrize("attempts", [500, 100_000])
def test_an_exponent_too_large_is_the_longest_back_off(factor: float, attempts: int) -> None:
    policy = RetryPolicy(factor=factor, jitter=0)

    assert policy.delay(attempts, roll=0) == policy.longest


@given(attempts=st.integers(0, 1_000), roll=st.floats(0, 1, exclude_max=True), jitter=st.floats(0, 1))
def test_a_back_off_varies_by_the_jitter_at_most(attempts: int, roll: float, jitter: float) -> None:
    plain = PLAIN.delay(attempts, roll=0.5)
    policy = RetryPolicy(first=PLAIN.first, factor=PLAIN.factor, longest=PLAIN.longest, jitter=jitter)

    moved = policy.delay(attempts, roll=roll)

    assert plain * (1 - jitter) <= moved <= plain * (1 + jitter)


def test_jobs_that_failed_together_return_apart() -> None:
    policy = RetryPolicy()

    waits = {policy.delay(1, roll=roll / 10) for roll in range(10)}

    assert len(waits) == 10
    assert min(waits) == timedelta(seconds=7.5)
    assert max(waits) < timedelta(seconds=12.5)
