"""The child process: reads requests, runs a processor, answers. Everything that may go wrong goes wrong here.

Started as `python -m blobforge.worker.child_main FACTORY LIMITS`: where the processor comes from, and what it may use.
"""

import ctypes
import errno
import hashlib
import importlib
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from blobforge.domain.errors import BlobForgeError, DiskFull, MemoryLimit, OutputLimit, ProcessingError
from blobforge.domain.job import Failure
from blobforge.ports.processor import Gap, Processor, Product, Progress
from blobforge.worker.limits import MEGABYTE, ChildLimits, allow_cpu_seconds, apply_limits, peak_memory
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

EXIT_OUT_OF_MEMORY = 77
"""The child's own watch ended it, because it held more than it may."""

WATCH_EVERY_SECONDS = 0.5
REPORT_EVERY_SECONDS = 0.1

_PR_SET_PDEATHSIG = 1


def main() -> None:
    factory, limits_text = sys.argv[1:]
    limits = ChildLimits(**json.loads(limits_text))
    parent = os.getppid()
    _die_with_parent()
    answers = _claim_stdout()
    apply_limits(limits)
    # What a terminal sends to the whole foreground group is the parent's to answer.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent, limits), name="watch", daemon=True).start()
    processor = _load(factory)
    for line in sys.stdin.buffer:
        allow_cpu_seconds(limits.cpu_seconds)
        answer = _answer(processor, decode_request(line), _reporter(answers))
        answers.write(encode_reply(Reply(answer, peak_memory())))
        answers.flush()


def _claim_stdout() -> BinaryIO:
    """Keeps the pipe for answers alone: whatever a library prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _load(factory: str) -> Processor:
    module, _, name = factory.partition(":")
    return cast("Processor", getattr(importlib.import_module(module), name)())


def _answer(processor: Processor, request: Request, report: Callable[[Progress], None]) -> Answer:
    try:
        return _do(processor, request, report)
    except BlobForgeError as error:
        return _refused(error, spent=False)
    except MemoryError as error:
        return _refused(MemoryLimit("the child ran out of the memory that it may use"), cause=error)
    except OSError as error:
        return _refused(_of_os(error), cause=error)
    except Exception as error:  # noqa: BLE001 - a processor may raise anything; the parent gets it as an answer
        return _refused(ProcessingError(f"{type(error).__name__}: {error}"), cause=error)


def _do(processor: Processor, request: Request, report: Callable[[Progress], None]) -> Answer:
    task = request.task
    if request.operation in (Operation.CONVERT, Operation.PLAN):
        plan = processor.plan(task)
        if request.operation is Operation.PLAN or len(plan.slices) > 1:
            return Planned(plan)
        for part in plan.slices:
            processor.run(task, plan, part, report)
        return _produced(processor.join(task, plan, [], report))
    assert request.plan is not None, "run and join come with the plan"
    if request.operation is Operation.RUN:
        assert request.part is not None, "a run comes with its slice"
        processor.run(task, request.plan, request.part, report)
        return SliceDone(request.part)
    gaps: list[Gap] = list(request.gaps)
    return _produced(processor.join(task, request.plan, gaps, report))


def _produced(product: Product) -> Produced:
    with product.archive.open("rb") as archive:
        checksum = hashlib.file_digest(archive, "sha256").hexdigest()
        return Produced(product, archive.tell(), checksum)


def _refused(error: BlobForgeError, *, cause: BaseException | None = None, spent: bool = True) -> Refused:
    details = "".join(traceback.format_exception(cause)) if cause is not None else ""
    return Refused(Failure(error.code, str(error), error.retryable), details[-4000:], spent)


def _of_os(error: OSError) -> BlobForgeError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"no space left to work in: {error}")
    if error.errno == errno.EFBIG:
        return OutputLimit("a file grew beyond the size that a child may write")
    if error.errno == errno.ENOMEM:
        return MemoryLimit("the system refused more memory")
    return ProcessingError(f"{type(error).__name__}: {error}")


def _reporter(answers: BinaryIO) -> Callable[[Progress], None]:
    last = 0.0

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if progress.current >= progress.total or now - last >= REPORT_EVERY_SECONDS:
            last = now
            answers.write(encode_progress(progress))
            answers.flush()

    return report


def _die_with_parent() -> None:
    """A worker that is killed takes its children with it, also while they are deep in native code."""
    if sys.platform == "linux":
        libc: Any = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch(parent: int, limits: ChildLimits) -> None:
    """For systems without a death signal or an address-space limit, and for what the child itself has started."""
    while True:
        time.sleep(WATCH_EVERY_SECONDS)
        if os.getppid() != parent:
            os.killpg(0, signal.SIGKILL)
        if _resident_memory() > limits.memory_mb * MEGABYTE:
            os._exit(EXIT_OUT_OF_MEMORY)


def _resident_memory() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return peak_memory()
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
