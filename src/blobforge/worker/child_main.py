"""The child process: reads requests, runs a processor, replies. What crashes or hangs does so here.

Started as `python -m blobforge.worker.child_main FACTORY LIMITS SANDBOX LIFELINE`: where the processor comes from, what
it may use, what it may do at all, and the file descriptor of a pipe that is closed when the parent ends.
"""

import errno
import fcntl
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from blobforge.domain.errors import (
    BlobForgeError,
    DiskFull,
    EngineUnavailable,
    MemoryLimit,
    OutputLimit,
    ProcessingError,
    SourceMissing,
)
from blobforge.domain.job import Failure
from blobforge.ports.processor import Processor, Progress, Task
from blobforge.worker.exit_diagnosis import EXIT_OUT_OF_MEMORY, MEMORY_SETTING, is_import_without_memory
from blobforge.worker.limits import (
    MEGABYTE,
    ChildLimits,
    allow_cpu_seconds,
    apply_limits,
    peak_memory,
    used_cpu_seconds,
)
from blobforge.worker.messages import (
    Answer,
    Operation,
    Planned,
    Produced,
    Refused,
    Reply,
    Request,
    SliceDone,
    decode_request,
    encode_progress,
    encode_reply,
)

WATCH_EVERY_SECONDS = 0.5
REPORT_EVERY_SECONDS = 0.1
DISCREET_FRAMES = 12


def main() -> None:
    factory, limits_text, sandbox_text, lifeline_text = sys.argv[1:]
    limits = ChildLimits(**json.loads(limits_text))
    lifeline = _out_of_the_way(int(lifeline_text), least=limits.open_files)
    _die_with_parent(lifeline)
    requests, answers = _claim_pipes()
    apply_limits(limits)
    is_confined = _confine(sandbox_text, lifeline)
    # Ctrl-C reaches the whole foreground group; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(lifeline, os.getppid(), limits), name="watch", daemon=True).start()
    processor = _load(factory)
    describe: ErrorFormatter = _describe_discreetly if processor.info.discreet else _describe
    if processor.info.discreet:
        _discard_output()
    for line in requests:
        allow_cpu_seconds(limits.cpu_seconds)
        request = decode_request(line)
        if is_confined:
            _keep_temporary_files_in(request.task.workspace)
        answers.write(_reply_to(processor, request, _reporter(answers, request.id), describe))
        answers.flush()


def _claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Keeps the pipes for requests and answers alone, away from what a library or a program of its own does with its
    standard streams: it reads nothing, and what it prints goes to standard error."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _confine(sandbox: str, lifeline: int) -> bool:
    """Enters the sandbox before foreign code is loaded. True where it confines files."""
    said = json.loads(sandbox)
    if said is None:
        return False
    from blobforge.worker.sandbox.entry import enter
    from blobforge.worker.sandbox.policy import SandboxPolicy

    policy = SandboxPolicy(**said)
    enter(policy, lifeline=lifeline)
    return policy.confines_files


def _keep_temporary_files_in(workspace: Path) -> None:
    os.environ["TMPDIR"] = tempfile.tempdir = str(workspace)


def _load(factory: str) -> Processor:
    module, _, name = factory.partition(":")
    return cast("Processor", getattr(importlib.import_module(module), name)())


LONGEST_DETAILS = 4000
CUT = "…\n"


class ErrorText(NamedTuple):
    """An error as one line, and with details."""

    line: str
    details: str


ErrorFormatter = Callable[[BaseException], ErrorText]


def _describe(error: BaseException) -> ErrorText:
    return ErrorText(f"{type(error).__name__}: {error}", _end_of("".join(traceback.format_exception(error))))


def _end_of(details: str) -> str:
    """Whole lines, where that leaves any."""
    if len(details) <= LONGEST_DETAILS:
        return details
    end = details[-(LONGEST_DETAILS - len(CUT)) :]
    whole = end.partition("\n")[2]
    return CUT + (whole or end)


def _describe_discreetly(error: BaseException) -> ErrorText:
    """Its type and where it was raised: the message may quote the document."""
    places = [
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    line = f"{type(error).__name__} at {' > '.join(places[-DISCREET_FRAMES:])}"
    return ErrorText(line, line)


def _discard_output() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    os.close(nothing)


def _reply_to(
    processor: Processor, request: Request, report: Callable[[Progress], None], describe: ErrorFormatter = _describe
) -> bytes:
    if any(request.task.secrets.values()):
        # The message of a library on a wrong password may quote it.
        describe = _describe_discreetly
    began = used_cpu_seconds()

    def reply(answer: Answer) -> bytes:
        return encode_reply(Reply(answer, peak_memory(), used_cpu_seconds() - began), to=request.id)

    try:
        return reply(_do(processor, request, report))
    except BlobForgeError as error:
        if isinstance(error, EngineUnavailable) and is_import_without_memory(error):
            return reply(_refused(_too_little_to_load(), describe(error)))
        return reply(_refused(error, describe(error), spent=False))
    except MemoryError as error:
        return reply(
            _refused(MemoryLimit(f"the child ran out of the memory that {MEMORY_SETTING} allows"), describe(error))
        )
    except OSError as error:
        text = describe(error)
        return reply(_refused(_of_os(error, text, request.task), text))
    except Exception as error:  # noqa: BLE001 - a processor may raise anything; the parent gets it as an answer
        text = describe(error)
        is_starved = isinstance(error, ImportError) and is_import_without_memory(error)
        return reply(_refused(_too_little_to_load() if is_starved else ProcessingError(text.line), text))


def _too_little_to_load() -> MemoryLimit:
    return MemoryLimit(f"{MEMORY_SETTING} is too little to load the libraries that convert documents")


def _do(processor: Processor, request: Request, report: Callable[[Progress], None]) -> Answer:
    task = request.task
    if request.operation in (Operation.CONVERT, Operation.PLAN):
        plan = processor.plan(task)
        if request.operation is Operation.PLAN or len(plan.slices) > 1:
            return Planned(plan)
        task = replace(task, at_once=True)
        for part in plan.slices:
            processor.run(task, plan, part, report)
        return Produced(processor.join(task, plan, [], report))
    assert request.plan is not None, "run and join come with the plan"
    if request.operation is Operation.RUN:
        assert request.part is not None, "a run comes with its slice"
        processor.run(task, request.plan, request.part, report)
        return SliceDone(request.part)
    return Produced(processor.join(task, request.plan, request.gaps, report))


def _refused(error: BlobForgeError, text: ErrorText, *, spent: bool = True) -> Refused:
    return Refused(Failure(error.code, str(error), error.retryable), text.details, spent)


def _of_os(error: OSError, text: ErrorText, task: Task) -> BlobForgeError:
    if isinstance(error, FileNotFoundError) and str(error.filename) == str(task.source):
        return SourceMissing(f"{task.source_name} is not there any more: it was moved or deleted")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"no space left to work in: {text.line}")
    if error.errno == errno.EFBIG:
        return OutputLimit("a file grew beyond the size that a child may write")
    if error.errno == errno.ENOMEM:
        return MemoryLimit(f"the system refused more memory than {MEMORY_SETTING} allows")
    return ProcessingError(text.line)


def _reporter(answers: BinaryIO, request_id: str) -> Callable[[Progress], None]:
    last = 0.0

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if progress.current >= progress.total or now - last >= REPORT_EVERY_SECONDS:
            last = now
            answers.write(encode_progress(progress, to=request_id))
            answers.flush()

    return report


def _out_of_the_way(descriptor: int, *, least: int) -> int:
    """The same file under a number that the limit of open files leaves to nobody; programs that are started have it
    too."""
    try:
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD, least)
    except OSError:
        return descriptor
    os.close(descriptor)
    return moved


def _die_with_parent(lifeline: int) -> None:
    """A worker that is killed takes its children with it and all that they started, also out of native code."""
    if sys.platform == "linux":
        # The kernel itself ends the whole group when the other end of the pipe is closed; nothing of ours has to run.
        # Where that is not to be had, the watch sees to it.
        with suppress(OSError):
            fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
            fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _watch(lifeline: int, parent: int, limits: ChildLimits) -> None:
    """For systems where the kernel does not see to the parent's end or to the limit of memory."""
    end_of_parent = select.poll()
    end_of_parent.register(lifeline)
    while not end_of_parent.poll(WATCH_EVERY_SECONDS * 1000) and os.getppid() == parent:
        if _resident_memory() > limits.memory_mb * MEGABYTE:
            os._exit(EXIT_OUT_OF_MEMORY)
    os.killpg(0, signal.SIGKILL)


def _resident_memory() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return peak_memory()
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
