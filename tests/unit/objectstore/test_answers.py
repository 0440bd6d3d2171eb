"""What the answers of a store mean."""

from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError
from urllib3.exceptions import ProtocolError

from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.objectstore.answers import Absent, LostRace, Meaning, Retries, interpretation_of

SOON = Retries(seconds=10, sleep=lambda _seconds: None)


def answer(status: int, code: str = "") -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "PutObject")


def after(*errors: Exception) -> Callable[[], str]:
    """A request that meets these, one after the other, and then succeeds."""
    waiting = list(errors)

    def request() -> str:
        if waiting:
            raise waiting.pop(0)
        return "done"

    return request


@pytest.mark.parametrize(
    ("status", "code", "meaning"),
    [
        (404, "NoSuchKey", Meaning.ABSENT),
        (404, "404", Meaning.ABSENT),
        (404, "NoSuchBucket", Meaning.REFUSED),
        (412, "PreconditionFailed", Meaning.LOST),
        (409, "ConditionalRequestConflict", Meaning.LOST),
        (409, "OperationAborted", Meaning.LOST),
        (500, "InternalError", Meaning.LATER),
        (503, "SlowDown", Meaning.LATER),
        (429, "TooManyRequests", Meaning.LATER),
        (400, "RequestTimeout", Meaning.LATER),
        (501, "NotImplemented", Meaning.REFUSED),
        (403, "AccessDenied", Meaning.REFUSED),
        (403, "403", Meaning.REFUSED),
        (400, "InvalidRequest", Meaning.REFUSED),
        (410, "Gone", Meaning.REFUSED),
    ],
)
def test_only_a_404_means_absent_and_only_412_and_409_mean_lost(status: int, code: str, meaning: Meaning) -> None:
    assert interpretation_of(answer(status, code), is_conditional=True).meaning is meaning


@pytest.mark.parametrize("status", [409, 412])
def test_a_409_without_a_condition_is_retried(status: int) -> None:
    assert SOON.run("bucket", after(answer(status)), is_conditional=False) == "done"


@pytest.mark.parametrize("trouble", [ReadTimeoutError(endpoint_url="x"), answer(500), answer(503, "SlowDown")])
def test_a_race_is_unclear_after_a_try_that_may_have_happened(trouble: Exception) -> None:
    with pytest.raises(LostRace) as lost:
        SOON.run("bucket", after(trouble, answer(412)))
    with pytest.raises(Absent) as absent:
        SOON.run("bucket", after(trouble, answer(404)))

    assert lost.value.is_unclear
    assert absent.value.is_unclear


@pytest.mark.parametrize("trouble", [ConnectTimeoutError(endpoint_url="x"), EndpointConnectionError(endpoint_url="x")])
def test_a_race_is_clear_when_nothing_was_sent_before(trouble: Exception) -> None:
    with pytest.raises(LostRace) as lost:
        SOON.run("bucket", after(trouble, answer(412)))

    assert not lost.value.is_unclear


def test_an_error_that_does_not_pass_is_reported_with_the_place() -> None:
    never = Retries(seconds=0)

    with pytest.raises(StoreUnavailable, match=r"^s3://b/ does not answer: 503 SlowDown"):
        never.run("s3://b/", after(answer(503, "SlowDown")))
    with pytest.raises(InvalidSettings, match=r"^s3://b/: the store refuses: AccessDenied"):
        never.run("s3://b/", after(answer(403, "AccessDenied")))
    with pytest.raises(InvalidSettings, match=r"set this machine's clock"):
        never.run("s3://b/", after(answer(403, "RequestTimeTooSkewed")))


def test_a_store_that_is_busy_at_first_has_answered_and_is_given_its_time() -> None:
    now = iter(range(100))
    retries = Retries(seconds=20, clock=lambda: float(next(now)), sleep=lambda _: None, roll=lambda: 0.0)
    busy = after(*[answer(503, "SlowDown")] * 9)

    assert retries.run("bucket", busy, has_answered=lambda: True) == "done"
    with pytest.raises(StoreUnavailable):
        retries.run("bucket", after(*[EndpointConnectionError(endpoint_url="x")] * 9), has_answered=lambda: False)


def test_a_first_answer_that_says_busy_ends_the_short_wait_of_that_very_request() -> None:
    now = iter(range(100))
    retries = Retries(seconds=20, clock=lambda: float(next(now)), sleep=lambda _: None, roll=lambda: 0.0)
    told: list[Exception] = []
    busy = after(*[answer(503, "SlowDown")] * 9)

    def request() -> str:
        try:
            return busy()
        except ClientError as error:
            told.append(error)
            raise

    assert retries.run("bucket", request, has_answered=lambda: bool(told)) == "done"


def test_a_refusal_that_breaks_off_in_its_middle_is_asked_for_again() -> None:
    assert SOON.run("bucket", after(ProtocolError("Connection broken"))) == "done"
