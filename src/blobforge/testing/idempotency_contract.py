"""The contract of every IdempotencyKeys, races included.

A subclass gives one fixture: `open_keys`, a function that opens another handle on the same keys at each call.
"""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from blobforge.domain import idempotency
from blobforge.domain.errors import TooManyRequests
from blobforge.domain.idempotency import ABANDONED_AFTER, KEPT_FOR, Begun, KeptRequest, RequestKey
from blobforge.ports.idempotency import IdempotencyKeys
from blobforge.testing.clock import START
from blobforge.testing.races import at_once

OpenKeys = Callable[[], IdempotencyKeys]

KEY = RequestKey("token:1", "8e03978e-40d5")
ONE, OTHER = "1" * 64, "2" * 64
MOMENT = timedelta(microseconds=1)


class IdempotencyContract:
    @pytest.fixture
    def keys(self, open_keys: OpenKeys) -> IdempotencyKeys:
        return open_keys()

    def test_a_new_key_is_for_who_shows_it_first(self, open_keys: OpenKeys) -> None:
        first, second = open_keys(), open_keys()

        begun = first.begin(KEY, ONE, now=START)
        again = second.begin(KEY, ONE, now=START + ABANDONED_AFTER - MOMENT)

        assert begun == Begun(KeptRequest(ONE, START, START), is_ours=True)
        assert again == begun._replace(is_ours=False)

    def test_an_answer_is_kept_and_the_first_one_stays(self, keys: IdempotencyKeys) -> None:
        keys.begin(KEY, ONE, now=START)
        keys.finish(KEY, '{"job_id":7}')
        keys.finish(KEY, '{"job_id":8}')
        keys.give_up(KEY)

        found = keys.begin(KEY, ONE, now=START + timedelta(hours=23))

        assert found == Begun(KeptRequest(ONE, START, START, '{"job_id":7}'), is_ours=False)

    def test_another_request_under_the_key_is_told_of_the_first(self, keys: IdempotencyKeys) -> None:
        keys.begin(KEY, ONE, now=START)

        under_way = keys.begin(KEY, OTHER, now=START + timedelta(hours=1))
        keys.finish(KEY, "{}")
        answered = keys.begin(KEY, OTHER, now=START + timedelta(hours=1))

        assert (under_way.kept.digest, under_way.is_ours) == (ONE, False)
        assert (answered.kept.digest, answered.is_ours) == (ONE, False)

    def test_the_same_key_of_another_asker_is_another(self, keys: IdempotencyKeys) -> None:
        keys.begin(KEY, ONE, now=START)

        assert keys.begin(KEY._replace(asker="token:2"), OTHER, now=START).is_ours
        assert keys.begin(KEY._replace(key="another"), OTHER, now=START).is_ours

    def test_what_was_given_up_may_be_sent_again_at_once(self, keys: IdempotencyKeys) -> None:
        keys.begin(KEY, ONE, now=START)

        keys.give_up(KEY)
        keys.give_up(KEY)

        assert keys.begin(KEY, OTHER, now=START) == Begun(KeptRequest(OTHER, START, START), is_ours=True)

    def test_what_was_left_without_an_answer_is_taken_over_and_keeps_its_beginning(self, keys: IdempotencyKeys) -> None:
        keys.begin(KEY, ONE, now=START)
        later = START + ABANDONED_AFTER

        taken = keys.begin(KEY, ONE, now=later)
        third = keys.begin(KEY, ONE, now=later + ABANDONED_AFTER - MOMENT)

        assert taken == Begun(KeptRequest(ONE, START, later), is_ours=True)
        assert third == taken._replace(is_ours=False)

    def test_a_key_is_as_good_as_new_after_a_day(self, keys: IdempotencyKeys) -> None:
        keys.begin(KEY, ONE, now=START)
        keys.finish(KEY, "{}")
        later = START + KEPT_FOR

        assert not keys.begin(KEY, ONE, now=later - MOMENT).is_ours
        assert keys.begin(KEY, OTHER, now=later) == Begun(KeptRequest(OTHER, later, later), is_ours=True)

    def test_keys_that_are_over_are_forgotten(self, keys: IdempotencyKeys) -> None:
        for hours, name in enumerate("abc"):
            keys.begin(RequestKey("token:1", name), ONE, now=START + timedelta(hours=hours))
        keys.finish(RequestKey("token:1", "b"), "{}")

        assert keys.forget(now=START + KEPT_FOR + timedelta(hours=1)) == 2
        assert keys.forget(now=START + KEPT_FOR + timedelta(hours=1)) == 0
        assert not keys.begin(RequestKey("token:1", "c"), ONE, now=START + timedelta(hours=2)).is_ours

    def test_an_asker_has_so_many_keys_and_no_more(
        self, keys: IdempotencyKeys, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for module in {type(keys).__module__, idempotency.__name__}:
            monkeypatch.setattr(f"{module}.MOST_KEYS", 2)
        for name in "ab":
            keys.begin(RequestKey("token:1", name), ONE, now=START)

        with pytest.raises(TooManyRequests, match="token:1 has 2 idempotency keys"):
            keys.begin(RequestKey("token:1", "c"), ONE, now=START)

        assert not keys.begin(RequestKey("token:1", "a"), ONE, now=START).is_ours
        assert keys.begin(RequestKey("token:2", "c"), ONE, now=START).is_ours
        assert keys.forget(now=START + KEPT_FOR) == 3

    @pytest.mark.parametrize("_round", range(3))
    @pytest.mark.parametrize("is_left", [False, True], ids=["new", "left without an answer"])
    def test_of_two_at_once_one_has_it(self, open_keys: OpenKeys, *, is_left: bool, _round: int) -> None:
        first, second = open_keys(), open_keys()
        both_are_ready = threading.Barrier(2)
        if is_left:
            first.begin(KEY, ONE, now=START)
        now = START + ABANDONED_AFTER

        def begin(keys: IdempotencyKeys) -> Begun:
            both_are_ready.wait(timeout=10)
            return keys.begin(KEY, ONE, now=now)

        begun = at_once(lambda: begin(first), lambda: begin(second))

        assert sorted(one.is_ours for one in begun) == [False, True]
        assert {one.kept.taken_at for one in begun} == {now}
