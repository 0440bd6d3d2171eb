"""What programs ask of a server, step by step."""

from datetime import UTC, datetime, timedelta

import httpx2

from blobforge.client.conversation import Conversation, Credentials
from blobforge.client.dealings import ANNOUNCED_FOR, submitted
from blobforge.client.steps import Ask, Work
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import NewJob
from blobforge.wire import paths
from blobforge.wire.api import ServerVersion
from blobforge.wire.queue import NewJobs

SERVER_TIME = datetime(2015, 10, 21, 7, 28, tzinfo=UTC)
WANTED = NewJob(project="default", type="pdf", source_hash=SourceHash("a" * 64), source_path="report.pdf")


def deadline_of(step: object) -> datetime:
    assert isinstance(step, Ask)
    assert isinstance(step.message, NewJobs)
    until = step.message.jobs[0].source_expected_by
    assert until is not None
    return until


def answered_by(server: Conversation) -> None:
    server.require_success(httpx2.Response(200, headers={"Date": "Wed, 21 Oct 2015 07:28:00 GMT"}))


def test_how_long_a_source_is_waited_for_is_said_by_the_clock_of_a_server_that_was_not_asked_yet() -> None:
    """The clock of a machine that runs days behind would announce a source that never came."""
    server = Conversation("http://forge", Credentials())
    steps = submitted(server, b"%PDF", WANTED)
    assert isinstance(next(steps), Work)

    asked = steps.send((SourceHash("a" * 64), 4))
    assert isinstance(asked, Ask)
    assert asked.path == paths.VERSION
    answered_by(server)
    announced = steps.send(ServerVersion(version="1", protocol=1))

    assert abs(deadline_of(announced) - (SERVER_TIME + ANNOUNCED_FOR)) < timedelta(minutes=1)


def test_a_server_that_was_asked_before_is_not_asked_for_its_time() -> None:
    server = Conversation("http://forge", Credentials())
    answered_by(server)
    steps = submitted(server, b"%PDF", WANTED)
    next(steps)

    announced = steps.send((SourceHash("a" * 64), 4))

    assert abs(deadline_of(announced) - (SERVER_TIME + ANNOUNCED_FOR)) < timedelta(minutes=1)
