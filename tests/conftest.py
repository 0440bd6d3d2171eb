"""What holds for all tests: real parts that are marked as needed, and nothing of the developer's own settings."""

import logging
import os
import signal
from collections.abc import Iterator

import pytest
from tests import postgres
from tests.faulty_s3 import FaultyS3
from tests.faulty_s3 import running as running_faulty_s3
from tests.parts import needs
from tests.seaweed import Seaweed
from tests.seaweed import running as running_seaweed


def pytest_configure() -> None:
    """Started in the background by a script, we ignore Ctrl-C, and so would every program that a test interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_log_level() -> Iterator[None]:
    """A command that runs in this process sets the level for good."""
    log = logging.getLogger("blobforge")
    before = log.level
    yield
    log.setLevel(before)


@pytest.fixture(autouse=True)
def _needed_parts(request: pytest.FixtureRequest) -> None:
    """`@pytest.mark.needs("tesseract")` leaves a test out, or fails it when every part is required."""
    for marker in request.node.iter_markers("needs"):
        needs(*marker.args)


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of the developer's shell must not decide a test."""
    for name in [name for name in os.environ if name.startswith("BLOBFORGE_") and "_TEST_" not in name]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Databases]:
    """One for all tests that leave it running; each makes a database of its own.

    BLOBFORGE_TEST_POSTGRES names one that is running already, for who runs the tests again and again.
    """
    running_already = os.environ.get("BLOBFORGE_TEST_POSTGRES")
    if running_already:
        yield postgres.Databases(running_already)
        return
    with postgres.running() as server:
        yield server


@pytest.fixture(scope="session")
def seaweed() -> Iterator[Seaweed]:
    """An S3 server for all tests; each makes a bucket of its own."""
    with running_seaweed() as server:
        yield server


@pytest.fixture(scope="session")
def faulty_s3(seaweed: Seaweed) -> Iterator[FaultyS3]:
    """The way to that server through a proxy whose faults a test switches on and off."""
    with running_faulty_s3(seaweed) as proxy:
        yield proxy
