"""A server with jobs in it, and requests that cost their sender next to nothing."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from benchmarks.queue import add_jobs
from blobforge.accounts.service import AccountService
from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue
from blobforge.domain.account import Role
from blobforge.domain.audit import Actor, ActorKind
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import new_job

WORKER = "bench"
ME = Actor(ActorKind.SERVER, "bench")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    url: str
    token: str
    secret: str
    pid: int
    home: Path

    @property
    def memory_mb(self) -> float:
        return _status(self.pid, "VmRSS") / 1e3

    @property
    def peak_mb(self) -> float:
        return _status(self.pid, "VmHWM") / 1e3

    @property
    def cpu_seconds(self) -> float:
        """Of user and system, as Linux counts them."""
        facts = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def address(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        assert parts.port is not None
        return parts.hostname, parts.port


@contextmanager
def running(*, jobs: int = 0, brought: Sequence[str] = (), synchronous: str = "NORMAL") -> Iterator[Server]:
    """With access control, as a server for a team has it; all is removed afterwards. The documents of the names that
    were `brought` need not come again for jobs of theirs."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        token, secret = _prepared(home, jobs, brought)
        command = [sys.executable, "-m", "benchmarks.server.serve", str(home), synchronous]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url, "the server did not start"
            try:
                yield Server(url=url, token=token, secret=secret, pid=process.pid, home=home)
            finally:
                process.terminate()
                process.wait(30)


def _prepared(home: Path, jobs: int, brought: Sequence[str]) -> tuple[str, str]:
    opened = open_queue(f"sqlite:///{home}/queue.db", QueueOptions(durable=False))
    assert opened.accounts is not None
    with closing(CoordinationService(opened.store, clock=SystemClock())) as queue:
        add_jobs(queue, jobs)
        queue.submit([new_job(name, type="brought") for name in brought])
        accounts = AccountService(opened.accounts, clock=SystemClock())
        user = accounts.local_user("bench")
        token = accounts.create_token(actor=ME, owner=user.id, role=Role.OPERATOR)
        worker = accounts.create_worker(WORKER, actor=ME)
    return token.secret.text, worker.secret.text


def _status(pid: int, name: str) -> float:
    """Kilobytes."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return float(next(line for line in lines if line.startswith(name)).split()[1])


class Line:
    """One connection that is kept, by hand: a real client would take longer than the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: str) -> None:
        self._reader, self._writer, self._headers = reader, writer, headers

    async def ask(self, method: str, path: str, message: Any = None) -> Any:
        body = b"" if message is None else json.dumps(message).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: bench\r\n{self._headers}Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answered = await self._reader.readuntil(b"\r\n\r\n")
        status = int(answered[9:12])
        length = 0
        for header in answered.lower().split(b"\r\n"):
            if header.startswith(b"content-length:"):
                length = int(header[15:])
        text = await self._reader.readexactly(length) if length else b""
        assert status < 300, f"{method} {path}: {status} {text[:200]!r}"
        return json.loads(text) if text else None

    def close(self) -> None:
        self._writer.close()


async def line_of_worker(server: Server) -> Line:
    return await _line(server, f"X-Worker-ID: {WORKER}\r\nX-Worker-Secret: {server.secret}\r\n")


async def line_of_person(server: Server) -> Line:
    return await _line(server, f"Authorization: Bearer {server.token}\r\n")


async def _line(server: Server, headers: str) -> Line:
    reader, writer = await asyncio.open_connection(*server.address)
    return Line(reader, writer, headers)


def process_of(number: int) -> str:
    return f"{WORKER}.{number + 1}.{number:08x}"
