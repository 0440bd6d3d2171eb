"""The parent's side of a child: starts it, asks it, watches the clock, and knows what its end means."""

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import IO, cast

from blobforge.domain.errors import (
    ChildError,
    ChildExited,
    ChildKilled,
    ChildMisbehaved,
    ChildStalled,
    ChildTimedOut,
    CpuLimit,
    MemoryLimit,
    OutputLimit,
)
from blobforge.ports.processor import Progress
from blobforge.worker.child_main import EXIT_OUT_OF_MEMORY
from blobforge.worker.limits import MEGABYTE, ChildLimits, child_environment
from blobforge.worker.messages import Reply, Request, decode_from_child, encode_request

TAIL = 8 * 1024
"""How much of a child's last words is kept."""

MOST_PRINTED = 64 * MEGABYTE
LONGEST_ANSWER = 64 * MEGABYTE
_CHUNK = 64 * 1024
_PARTING_SECONDS = 1.0
_OUT_OF_MEMORY_WORDS = (b"memory allocation of", b"bad_alloc", b"MemoryError", b"out of memory", b"Cannot allocate")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildSpec:
    """`factory` is "module:name" of a processor without arguments."""

    factory: str
    limits: ChildLimits
    environment: Mapping[str, str]


class Child:
    """One process, in a group of its own. One thread asks; any thread may kill."""

    def __init__(self, spec: ChildSpec) -> None:
        self._limits = spec.limits
        self._started = time.monotonic()
        self._asked = 0
        self._peak_memory = 0
        self._spent = False
        self._tail = b""
        self._printed = 0
        self._buffer = bytearray()
        self._killed_for: ChildError | None = None
        self._lock = threading.Lock()
        limits = json.dumps(asdict(spec.limits))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "blobforge.worker.child_main", spec.factory, limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            env=child_environment(spec.environment),
        )
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._stderr = cast("IO[bytes]", self._process.stderr)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ, self._hear)
        self._selector.register(self._stderr, selectors.EVENT_READ, self._overhear)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def worn_out(self) -> bool:
        """Whether the next request should go to a new child."""
        limits = self._limits
        return (
            self._spent
            or self._asked >= limits.max_jobs
            or self._peak_memory >= limits.recycle_mb * MEGABYTE
            or time.monotonic() - self._started >= limits.max_age_seconds
        )

    def ask(self, request: Request, *, seconds: float, on_progress: Callable[[Progress], None]) -> Reply:
        """One request and its reply, within so many seconds. Raises ChildError; the child is gone then."""
        self._asked += 1
        try:
            self._send(encode_request(request))
            reply = self._await_reply(seconds, on_progress)
        except ChildError:
            self.kill()
            self._end()
            raise
        self._peak_memory = reply.peak_memory
        self._spent = getattr(reply.answer, "spent", False)
        return reply

    def kill(self, reason: ChildError | None = None) -> None:
        """Ends the child and all that it started. The reason is what `ask` raises, if it is waiting."""
        with self._lock:
            if reason is not None and self._killed_for is None:
                self._killed_for = reason
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Lets an idle child go in peace, and kills it when it does not."""
        with suppress(OSError):
            self._stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PARTING_SECONDS)
        self.kill()
        self._end()

    def _send(self, line: bytes) -> None:
        try:
            self._stdin.write(line)
        except OSError as error:
            raise self._cause_of_death() from error

    def _await_reply(self, seconds: float, on_progress: Callable[[Progress], None]) -> Reply:
        deadline = time.monotonic() + seconds
        stalled = time.monotonic() + self._limits.stall_seconds
        while True:
            now = time.monotonic()
            if now >= deadline:
                raise ChildTimedOut(f"the child did not finish in {seconds:g} s")
            if now >= stalled:
                raise ChildStalled(f"the child showed no progress for {self._limits.stall_seconds:g} s")
            for key, _ in self._selector.select(min(deadline, stalled) - now):
                key.data()
            while (line := self._next_line()) is not None:
                heard = _parse(line)
                if isinstance(heard, Reply):
                    return heard
                stalled = time.monotonic() + self._limits.stall_seconds
                on_progress(heard)

    def _hear(self) -> None:
        chunk = os.read(self._stdout.fileno(), _CHUNK)
        if not chunk:
            raise self._cause_of_death()
        self._buffer += chunk
        if len(self._buffer) > LONGEST_ANSWER:
            raise OutputLimit(f"the child's answer is longer than {LONGEST_ANSWER // MEGABYTE} MB")

    def _overhear(self) -> None:
        chunk = os.read(self._stderr.fileno(), _CHUNK)
        if not chunk:
            self._selector.unregister(self._stderr)
        self._printed += len(chunk)
        self._tail = (self._tail + chunk)[-TAIL:]
        if self._printed > MOST_PRINTED:
            raise OutputLimit(f"the child printed more than {MOST_PRINTED // MEGABYTE} MB of messages")

    def _next_line(self) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end < 0:
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _cause_of_death(self) -> ChildError:
        try:
            code = self._process.wait(_PARTING_SECONDS)
        except subprocess.TimeoutExpired:
            return ChildMisbehaved("the child closed its pipe and stayed alive")
        self._drain_last_words()
        with self._lock:
            return self._killed_for or _cause(code, self._tail)

    def _drain_last_words(self) -> None:
        os.set_blocking(self._stderr.fileno(), False)
        with suppress(OSError):
            while chunk := os.read(self._stderr.fileno(), _CHUNK):
                self._tail = (self._tail + chunk)[-TAIL:]

    def _end(self) -> None:
        self._process.wait()
        self._selector.close()
        for pipe in (self._stdin, self._stdout, self._stderr):
            with suppress(OSError):
                pipe.close()


def _parse(line: bytes) -> Progress | Reply:
    try:
        return decode_from_child(line)
    except (ValueError, KeyError, TypeError) as error:
        raise ChildMisbehaved(f"the child gave an answer that makes no sense: {line[:80]!r}") from error


def _cause(code: int, tail: bytes) -> ChildError:
    words = _last_words(tail)
    if code == EXIT_OUT_OF_MEMORY or any(word in tail for word in _OUT_OF_MEMORY_WORDS):
        return MemoryLimit(f"the child needed more memory than it may use{words}")
    if code == -signal.SIGXCPU:
        return CpuLimit("the child used more processor time than it may")
    if code == -signal.SIGXFSZ:
        return OutputLimit("a file grew beyond the size that a child may write")
    if code < 0:
        hint = "; the system may have run out of memory" if code == -signal.SIGKILL else ""
        return ChildKilled(f"the child was ended by {_signal_name(-code)}{hint}{words}")
    return ChildExited(f"the child ended by itself with exit code {code}{words}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_words(tail: bytes) -> str:
    lines = tail.decode("utf-8", "replace").strip().splitlines()
    return f" (its last words: {lines[-1][:200]})" if lines else ""
