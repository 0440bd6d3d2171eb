"""A server as a process of its own, with accounts, and workers on other machines: homes of their own and no keys."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.program import PROGRAM, Blobforge, signals_as_usual, until
from tests.faulty_s3 import FaultyProxy
from tests.integration.worker.worker_process import Home, WorkerProcess
from tests.serving import serving

from blobforge.domain.events import History
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.server.results_in import published_key

PATIENCE_SECONDS = 60


class WorkerSecret(NamedTuple):
    name: str
    text: str

    @property
    def variables(self) -> dict[str, str]:
        return {"BLOBFORGE_WORKER_ID": self.name, "BLOBFORGE_WORKER_SECRET": self.text}


class Service:
    """`home` is the server's machine: its queue and its store are there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = Home(folder / "server")
        self.port = _free_port()
        self.own_url = f"http://127.0.0.1:{self.port}"
        self.url = self.own_url
        """Where clients reach it: a proxy's, where one is between."""
        self._local = Blobforge(folder, self.home.folder)
        self._process: subprocess.Popen[str] | None = None
        self._workers: list[WorkerProcess] = []

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self, **more: str) -> None:
        """Also after it was killed: at the same address."""
        environment = self.home.environment(BLOBFORGE_PUBLIC_URL=self.url, **more)
        with signals_as_usual(), (self.folder / "server.log").open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [str(PROGRAM), "server", "--port", str(self.port)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=environment,
                text=True,
            )
        self.wait_until_it_answers()

    def wait_until_it_answers(self) -> None:
        until(self._answers)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)

    def stop(self) -> int:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(PATIENCE_SECONDS)

    def published(self, job: Job) -> Path:
        return self.home.folder / "blobs" / published_key(job)

    def unpublished(self) -> list[Path]:
        """What was uploaded and has not come to its place."""
        return [
            path
            for path in (self.home.folder / "blobs" / "outputs").rglob("*")
            if ".attempts" in str(path) and path.is_file()
        ]

    def error_logs(self) -> list[Path]:
        return list((self.home.folder / "blobs" / "registry" / "logs").rglob("*.json"))

    def history(self, job: JobId) -> History:
        with self.home.queue() as queue:
            return queue.history(job)

    def log(self) -> str:
        return (self.folder / "server.log").read_text(encoding="utf-8")

    def worker_account(self, name: str, *args: str) -> WorkerSecret:
        return WorkerSecret(name, str(self.local("workers", "create", name, *args, "--json")["secret"]))

    def token(self, role: str, *args: str) -> str:
        return str(self.local("token", "create", "--role", role, *args, "--json")["token"])

    def local(self, *args: str) -> Any:
        """A command on the server's machine, and the JSON that it prints."""
        done = self._local.call(*args)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    def worker(
        self, secret: WorkerSecret, *args: str, home: str = "worker", job_type: str = "echo", **more: str
    ) -> WorkerProcess:
        """On another machine: what it knows of the server are three variables."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BLOBFORGE_")}
        environment |= {
            "BLOBFORGE_HOME": str(self.folder / home),
            "BLOBFORGE_SERVER_URL": self.url,
            **secret.variables,
            **more,
        }
        worker = WorkerProcess(args, environment, job_type=job_type)
        self._workers.append(worker)
        return worker

    @contextmanager
    def behind_a_proxy(self) -> Iterator[FaultyProxy]:
        """Everything that clients send passes it, files too. Before the server starts."""
        with serving(FaultyProxy(self.own_url)) as proxy:
            self.url = proxy.url
            yield proxy

    def person(self, token: str, folder: Path) -> Blobforge:
        """Somebody at another machine, who has a token and nothing else."""
        return _Person(folder, self.url, token)

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self.home.close()
        self._local.close()
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log()
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1):
                return True
        except OSError:
            return False


class _Person(Blobforge):
    def __init__(self, folder: Path, url: str, token: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(folder, folder / "home")
        self._access = {"BLOBFORGE_SERVER_URL": url, "BLOBFORGE_TOKEN": token}

    def environ(self, **extra: str) -> dict[str, str]:
        return super().environ(**{**self._access, **extra})


def _free_port() -> int:
    """One that stays free while a server that was killed is away: nobody else on this machine asks for it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
