"""Which process a worker is, and whether that one has ended."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from blobforge.domain.worker_report import ProcessIdentity
from blobforge.worker.process_identity import has_ended, this_process

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux shows its processes as files")

TELL = "from blobforge.worker.process_identity import this_process as t; m = t(); print(m.system, m.pid, m.started)"


def test_this_process_has_not_ended() -> None:
    assert has_ended(this_process()) is False


def test_a_process_has_ended_as_soon_as_it_is_killed_even_before_anybody_has_waited_for_it() -> None:
    """R0-41."""
    command = [sys.executable, "-u", "-c", f"{TELL}; input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        system, pid, started = process.stdout.readline().split()
        mark = ProcessIdentity(system=system, pid=int(pid), started=int(started))
        before = has_ended(mark)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        zombie = has_ended(mark)
        process.wait()

    assert (before, zombie, has_ended(mark)) == (False, True, True)


def test_another_process_of_the_same_number_is_not_taken_for_it() -> None:
    own = this_process()

    assert has_ended(replace(own, started=own.started - 1)) is True


@pytest.mark.parametrize("system", ["", "another"])
def test_of_a_process_of_another_system_nobody_can_tell(system: str) -> None:
    assert has_ended(replace(this_process(), system=system)) is None
