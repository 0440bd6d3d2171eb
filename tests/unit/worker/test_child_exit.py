"""Waiting for the end of a process, and what is learned of its memory."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from blobforge.worker.child import wait_for_exit
from blobforge.worker.limits import MEGABYTE

Process = subprocess.Popen[bytes]


@pytest.fixture
def sleeper() -> Iterator[Process]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def test_the_end_is_told_with_the_most_memory_that_was_held() -> None:
    code = "held = b'x' * 300_000_000; raise SystemExit(7)"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        peak = wait_for_exit(process, 60)

    assert process.returncode == 7
    assert peak >= 280 * MEGABYTE


def test_a_signal_is_told_as_the_process_itself_would(sleeper: Process) -> None:
    sleeper.kill()

    assert wait_for_exit(sleeper, 60) > 0
    assert sleeper.poll() == -9


def test_a_process_that_was_waited_for_tells_nothing_of_its_memory(sleeper: Process) -> None:
    sleeper.kill()
    sleeper.wait()

    assert wait_for_exit(sleeper, 60) == 0


def test_a_process_that_somebody_else_waited_for_is_over_too(sleeper: Process) -> None:
    sleeper.kill()
    os.waitpid(sleeper.pid, 0)

    assert wait_for_exit(sleeper, 60) == 0
    assert sleeper.returncode is not None


def test_a_process_that_does_not_end_is_not_waited_for_longer(sleeper: Process) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        wait_for_exit(sleeper, 0.01)

    assert sleeper.poll() is None
