"""A parent that is killed takes its children with it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.workbench import LONG, PATH, ROOT, has_ended

from blobforge.processors.echo.plugin import EchoProcessor

PARENT = """
import sys
from pathlib import Path
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.workbench import a_task, ask, spec_of
from blobforge.worker.child import Child

def listen(progress):
    print(progress.stage, progress.current, flush=True)

child = Child(spec_of(getattr(strange, sys.argv[1])))
ask(child, a_task(Path(sys.argv[2])), on_progress=listen)
"""

IN_TIME = 2.0


@pytest.mark.parametrize("processor", [strange.Grandparent, strange.DeafGrandparent])
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child in a native call ends when it comes back")
def test_a_child_and_all_that_it_started_end_with_a_parent_that_is_killed(
    tmp_path: Path, processor: Callable[[], EchoProcessor]
) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, processor.__name__, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    told = {}
    assert parent.stdout is not None
    for line in parent.stdout:
        what, number = line.split()
        told[what] = int(number)
        if "child" in told:
            break

    parent.kill()

    assert has_ended(told["child"], within=IN_TIME)
    assert has_ended(told["grandchild"], within=IN_TIME)
    parent.stdout.close()
    parent.wait(LONG)


CONFINED = """
import sys
from pathlib import Path
from tests.integration.worker import hostile_processors as hostile
from tests.integration.worker.workbench import a_task, ask, confined, spec_of, staged
from blobforge.worker.child import Child

def listen(progress):
    print(progress.stage, progress.current, flush=True)

folder = Path(sys.argv[1])
child = Child(confined(spec_of(hostile.Survivor), folder / "children"))
ask(child, staged(a_task(folder, sys.argv[2].encode())), on_progress=listen)
"""


@pytest.mark.parametrize("undo", ["switch off", "close", "copy", "pass on"])
@pytest.mark.needs("sandbox")
def test_a_child_that_was_taken_over_cannot_outlive_its_parent(tmp_path: Path, undo: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", CONFINED, str(tmp_path), undo], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    what, number = parent.stdout.readline().split()
    assert what == "child"

    parent.kill()

    assert has_ended(int(number), within=IN_TIME)
    parent.stdout.close()
    parent.wait(LONG)


WITHOUT_KERNEL_HELP = """
import fcntl
_fcntl = fcntl.fcntl

def without_signals(descriptor, command, *args):
    if command == fcntl.F_SETSIG:
        raise OSError(22, "Invalid argument")
    return _fcntl(descriptor, command, *args)

fcntl.fcntl = without_signals
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the other way is taken by itself elsewhere")
def test_where_the_kernel_does_not_help_the_childs_watch_sees_to_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_KERNEL_HELP)
    script = PARENT.replace("spec_of(", f"spec_of(environment={{'PYTHONPATH': '{tmp_path}:{PATH}'}}, processor=")
    parent = subprocess.Popen(
        [sys.executable, "-c", script, "Grandparent", str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    told = {what: int(number) for what, number in (parent.stdout.readline().split() for _ in range(2))}

    parent.kill()

    assert has_ended(told["child"], within=IN_TIME)
    assert has_ended(told["grandchild"], within=IN_TIME)
    parent.stdout.close()
    parent.wait(LONG)
