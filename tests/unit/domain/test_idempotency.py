"""When a key of a request is over, and when another may go on with what it began."""

from datetime import timedelta

import pytest

from blobforge.domain.idempotency import (
    ABANDONED_AFTER,
    KEPT_FOR,
    KeptRequest,
    RequestKey,
    is_over,
    may_be_taken,
    too_many_keys,
)
from blobforge.testing.clock import START

MOMENT = timedelta(seconds=1)
OURS = KeptRequest("digest", began_at=START, taken_at=START)


@pytest.mark.parametrize(("after", "over"), [(KEPT_FOR - MOMENT, False), (KEPT_FOR, True)])
def test_a_key_is_kept_for_a_day(after: timedelta, over: bool) -> None:
    assert is_over(OURS, now=START + after) is over


@pytest.mark.parametrize(
    ("kept", "digest", "after", "may"),
    [
        (OURS, "digest", ABANDONED_AFTER, True),
        (OURS, "digest", ABANDONED_AFTER - MOMENT, False),
        (OURS, "another", ABANDONED_AFTER, False),
        (OURS._replace(answer="{}"), "digest", ABANDONED_AFTER, False),
    ],
)
def test_only_the_same_request_goes_on_with_what_nobody_ended(
    kept: KeptRequest, digest: str, after: timedelta, may: bool
) -> None:
    assert may_be_taken(kept, digest, now=START + after) is may


def test_who_has_too_many_keys_is_told_what_to_do() -> None:
    assert str(too_many_keys(RequestKey("token 3", "a"))) == (
        "token 3 has 10,000 idempotency keys of the last day: send requests without one, or wait"
    )
