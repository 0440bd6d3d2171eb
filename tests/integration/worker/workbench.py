"""What the worker's tests work with: children and tasks, and a queue with its store, all of them real."""

import os
import select
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from blobforge.ports.processor import Progress, Task
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.testing.builders import hash_of
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.limits import ChildLimits
from blobforge.worker.messages import Operation, Produced, Refused, Reply, Request
from blobforge.worker.sandbox.policy import SandboxPolicy
from blobforge.worker.sandbox.support import sandbox_support

ECHO = "blobforge.processors.echo.plugin:EchoProcessor"
ROOT = Path(__file__).parents[3]
PATH = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
LONG = 60.0
"""Long enough for a busy machine; no test waits so long when the code is right."""

Start = Callable[..., Child]


def factory_of(processor: Callable[[], EchoProcessor]) -> str:
    if processor is EchoProcessor:
        return ECHO
    return f"{processor.__module__}:{processor.__name__}"


def spec_of(
    processor: Callable[[], EchoProcessor] = EchoProcessor, *, environment: dict[str, str] | None = None, **limits: Any
) -> ChildSpec:
    return ChildSpec(
        factory=factory_of(processor),
        limits=ChildLimits(**limits),
        environment={**os.environ, "PYTHONPATH": PATH, **(environment or {})},
    )


def confined(spec: ChildSpec, scratch: Path) -> ChildSpec:
    """The same child, shut in."""
    support = sandbox_support()
    policy = SandboxPolicy(landlock=support.landlock, seccomp=support.seccomp, scratch=str(scratch))
    return replace(spec, sandbox=policy)


def staged(task: Task) -> Task:
    """With its source in its workspace, where a child that is shut in looks for it."""
    return replace(task, source=task.source.rename(task.workspace / "source"))


def forget_peak_memory() -> None:
    """From now on the peak of this process is what it holds at this moment."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def a_task(folder: Path, content: bytes = b"hello", *, secrets: dict[str, str] | None = None, **options: Any) -> Task:
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    source = folder / "source"
    source.write_bytes(content)
    return Task(
        source=source,
        source_name="source.pdf",
        source_hash=hash_of("source"),
        workspace=workspace,
        options=options,
        secrets=secrets or {},
    )


def ask(
    child: Child, task: Task, *, seconds: float = LONG, on_progress: Callable[[Progress], None] = lambda _: None
) -> Reply:
    return child.ask(Request(Operation.CONVERT, task), seconds=seconds, on_progress=on_progress)


def produced(reply: Reply) -> Produced:
    assert isinstance(reply.answer, Produced), reply
    return reply.answer


def refused(reply: Reply) -> Refused:
    assert isinstance(reply.answer, Refused), reply
    return reply.answer


def open_files() -> list[str]:
    """What this process holds open, the look itself left out."""
    return sorted(name for name in os.listdir("/dev/fd") if Path("/dev/fd", name).exists())  # noqa: PTH208


class Numbers:
    """What children tell by `strange_processors.tell`."""

    def __init__(self) -> None:
        self.told: dict[str, int] = {}

    def __call__(self, progress: Progress) -> None:
        self.told[progress.stage] = progress.current


def has_ended(pid: int, *, within: float = LONG) -> bool:
    """Whether a process ends in time, also one that is not our own child."""
    if not hasattr(os, "pidfd_open"):
        return _ends_by_looking(pid, within)
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], within)[0])
    finally:
        os.close(process)


def _ends_by_looking(pid: int, within: float) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False
