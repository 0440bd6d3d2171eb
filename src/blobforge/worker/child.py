"""The parent's side of a child: starts it, exchanges requests and replies, and enforces its limits."""

import json
import os
import select
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, cast

from blobforge.domain.errors import (
    BlobForgeError,
    ChildError,
    ChildMisbehaved,
    ChildStalled,
    ChildTimedOut,
    OutputLimit,
)
from blobforge.ports.processor import Progress
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.worker.environment import child_environment
from blobforge.worker.exit_diagnosis import diagnose_exit
from blobforge.worker.group_watch import CHECK_EVERY_SECONDS, GroupWatch
from blobforge.worker.limits import MEGABYTE, ChildLimits, peak_memory, peak_of
from blobforge.worker.messages import Reply, Request, decode_from_child, encode_request, is_answer_to
from blobforge.worker.sandbox.policy import SandboxPolicy
from blobforge.worker.scratch import ScratchFolder
from blobforge.worker.unknown_children import reap_all_unknown

TAIL = 8 * 1024
"""How much of the end of a child's standard error is kept."""

MOST_PRINTED = 64 * MEGABYTE
LONGEST_ANSWER = 16 * MEGABYTE
"""Read into the parent as a whole, where it takes several times as much: a plan of 100,000 slices has 2 MB."""

_CHUNK = 64 * 1024
_EXIT_GRACE_SECONDS = 1.0
_REAP_EVERY_SECONDS = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildSpec:
    """`factory` is "module:name" of a processor without arguments. Of the environment a child gets the names that it
    needs, and those of `passed_on`."""

    factory: str
    limits: ChildLimits
    environment: Mapping[str, str]
    passed_on: tuple[str, ...] = ()
    sandbox: SandboxPolicy | None = None


class Child:
    """One process, in a process group of its own. One thread asks; any thread may kill."""

    def __init__(self, spec: ChildSpec, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        self._runtime = runtime
        self._limits = spec.limits
        self._scratch = _scratch_for(spec)
        self._started = self._runtime.monotonic()
        self._asked = 0
        self._peak_memory = 0
        self._spent = False
        self._stderr_tail = b""
        self._stderr_size = 0
        self._outgoing = memoryview(b"")
        self._incoming = bytearray()
        self._searched = 0
        self._killed_for: ChildError | None = None
        self._gone = False
        self._lock = threading.Lock()
        self._process, self._lifeline = _start(spec, self._scratch)
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._stderr = cast("IO[bytes]", self._process.stderr)
        # A child that does not read, or has nothing more to write, must not block its parent.
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stderr.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ, self._read_stdout)
        self._selector.register(self._stderr, selectors.EVENT_READ, self._read_stderr)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def needs_replacing(self) -> bool:
        """Whether the next request should go to a new child: it has served long enough, died while it was idle, or
        has written something that nobody asked for."""
        limits = self._limits
        return (
            self._spent
            or self._asked >= limits.max_jobs
            or self._peak_memory >= limits.recycle_mb * MEGABYTE
            or self._runtime.monotonic() - self._started >= limits.max_age_seconds
            or self._process.poll() is not None
            or self._has_unrequested_output()
        )

    def ask(self, request: Request, *, seconds: float, on_progress: Callable[[Progress], None]) -> Reply:
        """One request and its reply, within so many seconds. Raises ChildError, DiskFull, OutputUnwritable; the child
        is gone then."""
        request = request._replace(id=self._runtime.nonce(8))
        if self._scratch is None:
            return self._exchange(request, seconds, on_progress)
        moved = self._scratch.move_in(request)
        try:
            reply = self._exchange(moved, seconds, on_progress)
        except BaseException:
            # Its files may show where it died, but why it died is the error to raise.
            with suppress(BlobForgeError):
                self._scratch.move_out(request)
            raise
        self._scratch.move_out(request)
        return self._scratch.outside(reply, request)

    def _exchange(self, request: Request, seconds: float, on_progress: Callable[[Progress], None]) -> Reply:
        self._asked += 1
        self._clear_stderr()
        try:
            self._begin_to_send(encode_request(request))
            reply = self._await_reply(request, seconds, on_progress)
        except BaseException:
            # Also for a fault of `on_progress`: the child is at work, and nobody would read its reply.
            self.kill()
            self._end()
            raise
        self._peak_memory = reply.peak_memory
        self._spent = getattr(reply.answer, "spent", False)
        return reply

    def kill(self, reason: ChildError | None = None) -> None:
        """Ends the child and all that it started. The reason is what `ask` raises, if it is waiting."""
        with self._lock:
            if self._gone:
                return  # its process id may have been reused by now
            if reason is not None and self._killed_for is None:
                self._killed_for = reason
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Lets an idle child exit by itself, and kills it when it does not. Closing one that is gone is no error."""
        with suppress(OSError):
            self._stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_GRACE_SECONDS)
        self.kill()
        self._end()
        if self._scratch is not None:
            self._scratch.remove()

    def _has_unrequested_output(self) -> bool:
        waiting = select.poll()
        waiting.register(self._stdout, select.POLLIN)
        return bool(self._incoming or waiting.poll(0))

    def _begin_to_send(self, line: bytes) -> None:
        self._outgoing = memoryview(line)
        self._selector.register(self._stdin, selectors.EVENT_WRITE, self._send)

    def _send(self) -> None:
        try:
            sent = os.write(self._stdin.fileno(), self._outgoing[:_CHUNK])
        except BlockingIOError:
            return
        except OSError as error:
            raise self._exit_error() from error
        self._outgoing = self._outgoing[sent:]
        if not self._outgoing:
            self._selector.unregister(self._stdin)

    def _await_reply(self, request: Request, seconds: float, on_progress: Callable[[Progress], None]) -> Reply:
        deadline = self._runtime.monotonic() + seconds
        stalled = self._runtime.monotonic() + self._limits.stall_seconds
        scratch = None if self._scratch is None else self._scratch.path
        watch = GroupWatch(self.pid, self._limits, request.task, scratch=scratch, runtime=self._runtime)
        while True:
            watch.check()
            now = self._runtime.monotonic()
            if now >= deadline:
                raise ChildTimedOut(f"the child did not finish in {seconds:g} s")
            if now >= stalled:
                raise ChildStalled(f"the child showed no progress for {self._limits.stall_seconds:g} s")
            self._handle_io(min(deadline, stalled, now + CHECK_EVERY_SECONDS) - now)
            while (line := self._next_line()) is not None:
                message = _parse(line, request)
                if isinstance(message, Reply):
                    return message
                stalled = self._runtime.monotonic() + self._limits.stall_seconds
                on_progress(message)

    def _handle_io(self, seconds: float) -> None:
        ready = self._selector.select(seconds)
        for key, _ in ready:
            key.data()
        # A fork of the child may hold the pipe open after the child has ended.
        if not ready and self._process.poll() is not None and not self._selector.select(0):
            raise self._exit_error()

    def _read_stdout(self) -> None:
        chunk = os.read(self._stdout.fileno(), _CHUNK)
        if not chunk:
            raise self._exit_error()
        self._incoming += chunk
        if len(self._incoming) > LONGEST_ANSWER:
            raise OutputLimit(f"the child's answer is longer than {LONGEST_ANSWER // MEGABYTE} MB")

    def _read_stderr(self) -> None:
        chunk = os.read(self._stderr.fileno(), _CHUNK)
        if not chunk:
            self._selector.unregister(self._stderr)
        self._stderr_size += len(chunk)
        self._stderr_tail = (self._stderr_tail + chunk)[-TAIL:]
        if self._stderr_size > MOST_PRINTED:
            raise OutputLimit(f"the child printed more than {MOST_PRINTED // MEGABYTE} MB of messages")

    def _next_line(self) -> bytes | None:
        end = self._incoming.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._incoming)
            return None
        line = bytes(self._incoming[:end])
        del self._incoming[: end + 1]
        self._searched = 0
        return line

    def _exit_error(self) -> ChildError:
        try:
            peak = wait_for_exit(self._process, _EXIT_GRACE_SECONDS, runtime=self._runtime)
        except subprocess.TimeoutExpired:
            return self._killed_for or ChildMisbehaved("the child closed its pipe and stayed alive")
        self._drain_stderr()
        share = self._share_of_memory(peak)
        with self._lock:
            return self._killed_for or diagnose_exit(self._process.returncode, self._stderr_tail, memory_share=share)

    def _share_of_memory(self, peak: int) -> float:
        """The share of its memory limit that the last request made it use; 0 where the peak may be an earlier one."""
        # On Linux a process begins with the peak of the one that started it.
        is_new = peak > max(self._peak_memory, peak_memory())
        return peak / (self._limits.memory_mb * MEGABYTE) if is_new else 0.0

    def _clear_stderr(self) -> None:
        """What was printed after the last reply says nothing about the next document."""
        self._drain_stderr()
        self._stderr_tail = b""
        self._stderr_size = 0

    def _drain_stderr(self) -> None:
        # No more than a pipe holds: a process that left the group may write for ever.
        with suppress(OSError):
            for _ in range(MEGABYTE // _CHUNK):
                chunk = os.read(self._stderr.fileno(), _CHUNK)
                if not chunk:
                    return
                self._stderr_tail = (self._stderr_tail + chunk)[-TAIL:]

    def _end(self) -> None:
        self._process.wait()
        with self._lock:
            if self._gone:
                return
            self._gone = True
        reap_all_unknown(self.pid, _EXIT_GRACE_SECONDS, runtime=self._runtime)
        self._selector.close()
        os.close(self._lifeline)
        for pipe in (self._stdin, self._stdout, self._stderr):
            with suppress(OSError):
                pipe.close()


def wait_for_exit(process: "subprocess.Popen[bytes]", seconds: float, *, runtime: Runtime = SYSTEM_RUNTIME) -> int:
    """Waits until the process has ended, and returns its peak memory in bytes; 0 where it was reaped before.

    Raises subprocess.TimeoutExpired.
    """
    deadline = runtime.monotonic() + seconds
    while process.returncode is None:
        try:
            # Popen.wait() would discard the resource usage.
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        except ChildProcessError:
            process.wait(seconds)
            break
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return peak_of(usage)
        if runtime.monotonic() >= deadline:
            raise subprocess.TimeoutExpired(process.args, seconds)
        runtime.sleep(_REAP_EVERY_SECONDS)
    return 0


def _start(spec: ChildSpec, scratch: ScratchFolder | None) -> "tuple[subprocess.Popen[bytes], int]":
    """The process, and our end of a pipe that is closed when this process ends, however that happens."""
    theirs, ours = os.pipe()
    # A child that reopened it for writing would keep it open, and so suppress the signal that its closing sends.
    with suppress(OSError):
        os.fchmod(theirs, 0o400)
    # -P: a module in the current folder must not shadow one of ours.
    command = [sys.executable, "-P", "-m", "blobforge.worker.child_main", spec.factory]
    try:
        process = subprocess.Popen(
            [*command, json.dumps(asdict(spec.limits)), _policy_of(spec, scratch), str(theirs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            pass_fds=(theirs,),
            env=child_environment(spec.environment, also=spec.passed_on),
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return process, ours


def _scratch_for(spec: ChildSpec) -> ScratchFolder | None:
    """A child without a sandbox for files works in the workspace itself."""
    if spec.sandbox is None or not spec.sandbox.confines_files:
        return None
    return ScratchFolder(Path(spec.sandbox.scratch))


def _policy_of(spec: ChildSpec, scratch: ScratchFolder | None) -> str:
    if spec.sandbox is None or scratch is None:
        return json.dumps(None if spec.sandbox is None else asdict(spec.sandbox))
    return json.dumps(asdict(replace(spec.sandbox, scratch=str(scratch.path))))


def _parse(line: bytes, request: Request) -> Progress | Reply:
    try:
        message = decode_from_child(line, asked=request.id)
    except ValueError as error:
        raise ChildMisbehaved(f"the child gave an answer that makes no sense: {line[:80]!r}") from error
    if isinstance(message, Reply) and not is_answer_to(request, message.answer):
        raise ChildMisbehaved(f"the child was asked to {request.operation} and answered something else")
    return message
