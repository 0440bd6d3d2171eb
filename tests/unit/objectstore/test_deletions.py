"""Deletions give notice, and those who store look for notices."""

import json
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256

import pytest

from blobforge.domain.errors import StoreUnavailable
from blobforge.objectstore.deletions import (
    COUNTS_FOR,
    GIVEN_AGAIN_SECONDS,
    LAPSES_AFTER,
    NOTICES,
    PATIENCE_SECONDS,
    Deletion,
    SeenObject,
    taken_away,
    version_of,
)
from blobforge.ports.blob_store import ClearingLapsed
from blobforge.testing.runtime import FakeRuntime
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request

NAME = "sources/a.pdf"


@pytest.fixture
def bucket() -> SimulatedBucket:
    bucket = SimulatedBucket()
    bucket.objects().put(NAME, b"bytes")
    bucket.advance(timedelta(days=8))
    return bucket


def seen_in(bucket: SimulatedBucket, name: str = NAME) -> SeenObject:
    (facts,) = bucket.objects().all(name)
    return SeenObject(name, version_of(facts))


def noticed(bucket: SimulatedBucket) -> list[list[str]]:
    return [
        json.loads(held.body)["names"] for name, held in bucket.contents.objects.items() if name.startswith(NOTICES)
    ]


class OnDeletion:
    """A wire on which something else happens to a blob's deletion."""

    def __init__(self, bucket: SimulatedBucket, answer: Callable[[S3Request], S3Reply]) -> None:
        self.now = bucket.now
        self._bucket = bucket
        self._answer = answer

    def send(self, request: S3Request) -> S3Reply:
        is_it = request.operation == "delete_object" and not request.key.startswith(NOTICES)
        return self._answer(request) if is_it else self._bucket.send(request)


def test_the_same_bytes_stored_anew_since_they_were_seen_stay(bucket: SimulatedBucket) -> None:
    seen = seen_in(bucket)
    bucket.objects().put(NAME, b"bytes")

    with Deletion(bucket.objects(), [NAME]) as deletion:
        assert deletion.delete(seen) is False

    assert bucket.objects().head(NAME) is not None


def test_what_was_renewed_since_it_was_seen_stays(bucket: SimulatedBucket) -> None:
    seen = seen_in(bucket)
    bucket.objects().renew(NAME, metadata={"original-name": "a.pdf"})

    with Deletion(bucket.objects(), [NAME]) as deletion:
        assert deletion.delete(seen) is False

    there = bucket.objects().head(NAME)
    assert there is not None
    assert there.metadata == {"original-name": "a.pdf"}


def test_a_version_is_the_same_where_a_store_tells_fractions_of_a_second_in_listings_alone(
    bucket: SimulatedBucket,
) -> None:
    (facts,) = bucket.objects().all(NAME)

    assert version_of(facts._replace(modified=facts.modified + timedelta(milliseconds=7))) == version_of(facts)
    assert version_of(facts._replace(modified=facts.modified + timedelta(seconds=1))) != version_of(facts)


def test_a_notice_names_what_may_go_and_is_taken_back_at_the_end(bucket: SimulatedBucket) -> None:
    with Deletion(bucket.objects(), [NAME, "sources/b.pdf"]) as deletion:
        assert noticed(bucket) == [[NAME, "sources/b.pdf"]]
        assert deletion.delete(seen_in(bucket)) is True

    assert noticed(bucket) == []
    assert bucket.objects().head(NAME) is None


def test_who_stores_waits_for_the_end_of_a_deletion_and_learns_what_it_took(bucket: SimulatedBucket) -> None:
    runtime, objects = FakeRuntime(), bucket.objects()
    deletion = Deletion(bucket.objects(), [NAME, "sources/b.pdf"], runtime=runtime)
    deletion.__enter__()
    for name in ("sources/b.pdf", "sources/c.pdf"):
        objects.put(name, b"stored")

    def end() -> None:
        deletion.delete(seen_in(bucket))
        deletion.__exit__(None, None, None)

    runtime.call_later(3, end)

    taken = taken_away(objects, [NAME, "sources/b.pdf", "sources/c.pdf"], runtime=runtime)

    assert taken == {NAME}
    assert 3 <= runtime.monotonic() < 5


def test_who_stores_something_else_does_not_wait(bucket: SimulatedBucket) -> None:
    runtime, objects = FakeRuntime(), bucket.objects()
    bucket.objects().put("sources/c.pdf", b"stored")
    with Deletion(bucket.objects(), [NAME]):
        assert taken_away(objects, ["sources/c.pdf"], runtime=runtime) == set()

    assert runtime.monotonic() == 0
    assert objects.requests == {"list_objects_v2": 1, "get_object": 1, "head_object": 1}


def test_what_a_deletion_took_that_has_ended_is_told(bucket: SimulatedBucket) -> None:
    with Deletion(bucket.objects(), [NAME]) as deletion:
        deletion.delete(seen_in(bucket))

    assert taken_away(bucket.objects(), [NAME], runtime=FakeRuntime()) == {NAME}


@pytest.mark.parametrize(
    ("stored", "count", "most"),
    [
        pytest.param(100, 100, 1, id="small"),
        pytest.param(2_500, 100, 3, id="of some pages"),
        pytest.param(4_000, 30, 31, id="large"),
    ],
)
def test_many_objects_are_looked_at_in_no_more_requests_than_they_are_and_in_a_small_store_in_few(
    stored: int, count: int, most: int
) -> None:
    bucket = SimulatedBucket()
    names = [f"sources/{sha256(f'{number}'.encode()).hexdigest()}.pdf" for number in range(stored)]
    for name in names:
        bucket.objects().put(name, b"%PDF")
    wanted, objects = names[:count], bucket.objects()
    bucket.objects().delete(wanted[7])

    assert taken_away(objects, wanted, runtime=FakeRuntime()) == {wanted[7]}
    looks_for_notices, looks_for_what_is_gone = 1, 1
    assert objects.requests.total() <= looks_for_notices + most + looks_for_what_is_gone


def test_an_object_that_a_store_lists_in_another_order_is_there(bucket: SimulatedBucket) -> None:
    """It is not taken for gone because a page has not shown it."""
    names = [f"sources/{number:02}.pdf" for number in range(30)]
    for name in names:
        bucket.objects().put(name, b"")

    class Elsewhere:
        now = staticmethod(bucket.now)

        @staticmethod
        def send(request: S3Request) -> S3Reply:
            reply = bucket.send(request)
            return reply._replace(listed=reply.listed[:20])

    assert taken_away(connected(Elsewhere()), names, runtime=FakeRuntime()) == set()


def test_the_notice_of_a_process_that_was_killed_is_waited_for_no_longer_than_a_late_delete_can_come(
    bucket: SimulatedBucket,
) -> None:
    runtime, objects = FakeRuntime(), bucket.objects()
    Deletion(bucket.objects(), [NAME]).__enter__()

    with pytest.raises(StoreUnavailable, match=r"sources/a\.pdf may be deleted any moment by a 'blobforge gc'"):
        taken_away(objects, [NAME], runtime=runtime)
    assert runtime.monotonic() > PATIENCE_SECONDS

    bucket.advance(COUNTS_FOR + timedelta(seconds=1))
    assert taken_away(objects, [NAME], runtime=FakeRuntime()) == set()
    assert len(noticed(bucket)) == 1
    with Deletion(bucket.objects(), []):
        assert noticed(bucket) == [[]], "the next one clears it away"


def test_a_delete_that_may_be_on_its_way_yet_stays_noticed(bucket: SimulatedBucket) -> None:
    """Its first try has got no answer, and the store may still carry it out."""
    answers = [S3Reply(503, "SlowDown"), S3Reply(204)]
    objects = connected(OnDeletion(bucket, lambda _request: answers.pop(0)))

    with Deletion(objects, [NAME, "sources/b.pdf"]) as deletion:
        deletion.delete(seen_in(bucket))

    assert noticed(bucket) == [[NAME]]


def test_a_delete_that_fails_stays_noticed_and_is_told(bucket: SimulatedBucket) -> None:
    objects = connected(OnDeletion(bucket, lambda _request: S3Reply(503, "SlowDown")))

    with pytest.raises(StoreUnavailable), Deletion(objects, [NAME, "sources/b.pdf"]) as deletion:
        deletion.delete(seen_in(bucket))

    assert noticed(bucket) == [[NAME]]


def test_an_old_notice_is_given_again_before_anything_is_deleted(bucket: SimulatedBucket) -> None:
    """Else it would be over before what was sent under it."""
    runtime, seen = FakeRuntime(), seen_in(bucket)
    given = list[timedelta]()

    def deleted(request: S3Request) -> S3Reply:
        (notice,) = (held for name, held in bucket.contents.objects.items() if name.startswith(NOTICES))
        given.append(bucket.now() - notice.modified)
        return bucket.send(request)

    with Deletion(connected(OnDeletion(bucket, deleted)), [NAME], runtime=runtime) as deletion:
        runtime.advance(GIVEN_AGAIN_SECONDS + 1)
        bucket.advance(timedelta(seconds=GIVEN_AGAIN_SECONDS + 1))
        assert deletion.delete(seen) is True

    assert given == [timedelta()]


ASLEEP = timedelta(hours=2)
"""By the clock of the store; the monotonic one of a machine that is suspended stands still."""


def test_a_delete_is_not_sent_again_by_a_machine_that_was_asleep(bucket: SimulatedBucket) -> None:
    """Nobody heeds its notice any more, and what is stored by now has not been looked at."""
    sent: list[S3Request] = []

    def answer(request: S3Request) -> S3Reply:
        sent.append(request)
        bucket.advance(ASLEEP)
        return S3Reply(503, "SlowDown")

    objects = connected(OnDeletion(bucket, answer))
    with pytest.raises(ClearingLapsed), Deletion(objects, [NAME]) as deletion:
        deletion.delete(seen_in(bucket))

    assert len(sent) == 1
    assert noticed(bucket) == [[NAME]], "it may be on its way yet"


def test_a_delete_is_not_sent_by_a_machine_that_was_asleep_since_it_looked(bucket: SimulatedBucket) -> None:
    class AsleepBehindTheLook(OnDeletion):
        def send(self, request: S3Request) -> S3Reply:
            reply = super().send(request)
            if request.operation == "head_object":
                bucket.advance(ASLEEP)
            return reply

    objects = connected(AsleepBehindTheLook(bucket, bucket.send))
    with pytest.raises(ClearingLapsed), Deletion(objects, [NAME]) as deletion:
        deletion.delete(seen_in(bucket))

    assert bucket.objects().head(NAME) is not None
    assert noticed(bucket) == [], "nothing is on its way"


@pytest.mark.parametrize("clock", ["of the store", "monotonic"])
def test_nothing_is_deleted_under_a_notice_that_nobody_heeds_any_more_though_it_is_given_again(
    bucket: SimulatedBucket, clock: str
) -> None:
    """Whoever came to need something meanwhile has not seen it: the jobs are to be asked again."""
    runtime, seen = FakeRuntime(), seen_in(bucket)
    asleep = {"of the store": lambda: bucket.advance(ASLEEP), "monotonic": lambda: runtime.advance(7200)}
    deletion = Deletion(bucket.objects(), [NAME], runtime=runtime)
    deletion.__enter__()
    asleep[clock]()

    with pytest.raises(ClearingLapsed):
        deletion.delete(seen)

    assert bucket.objects().head(NAME) is not None


def test_the_last_delete_under_a_notice_is_refused_by_the_store_before_the_notice_is_over() -> None:
    """Also where the machine is as far ahead as a signature may be."""
    signature = timedelta(minutes=15)

    assert LAPSES_AFTER + 2 * signature < COUNTS_FOR


def test_a_store_without_conditions_for_deletions_is_asked_without(bucket: SimulatedBucket) -> None:
    def answer(request: S3Request) -> S3Reply:
        return S3Reply(501, "NotImplemented") if request.is_conditional else bucket.send(request)

    with Deletion(connected(OnDeletion(bucket, answer)), [NAME]) as deletion:
        assert deletion.delete(seen_in(bucket)) is True

    assert bucket.objects().head(NAME) is None


def test_other_bytes_that_come_behind_the_last_look_stay_where_the_store_knows_the_condition(
    bucket: SimulatedBucket,
) -> None:
    """Also of a program that looks for no notices."""

    def answer(request: S3Request) -> S3Reply:
        bucket.objects().put(NAME, b"other bytes")
        return bucket.send(request)

    with Deletion(connected(OnDeletion(bucket, answer)), [NAME]) as deletion:
        assert deletion.delete(seen_in(bucket)) is False

    assert bucket.objects().head(NAME) is not None
