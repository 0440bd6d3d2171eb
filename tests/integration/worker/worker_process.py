"""Real worker processes on a queue of their own, as people start them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.program import signals_as_usual

from blobforge import wiring
from blobforge.config.load import load
from blobforge.config.settings import Settings
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonValue
from blobforge.domain.priority import Priority
from blobforge.ingest.scan import scan
from blobforge.ports.coordinator import Coordinator

PROGRAM = Path(sys.executable).with_name("blobforge")
LONG = 60.0


class WorkerProcess:
    """`blobforge worker`, and what it logs."""

    def __init__(
        self, args: Sequence[str], environment: dict[str, str], *, before: Sequence[str] = (), job_type: str = "echo"
    ) -> None:
        with signals_as_usual():
            self._process = subprocess.Popen(
                [*before, str(PROGRAM), "worker", "--type", job_type, "--json", *args],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
        self.log: list[dict[str, Any]] = []

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_for(self, event: str) -> dict[str, Any]:
        """The next line of the log that says so."""
        return self.wait_for_any({event})

    def wait_for_any(self, events: Collection[str]) -> dict[str, Any]:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            entry: dict[str, Any] = json.loads(line) if line.startswith("{") else {"event": line}
            self.log.append(entry)
            if entry["event"] in events:
                return entry
        raise AssertionError(f"the worker ended before it said {' or '.join(events)}: {self.log}")

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=LONG)

    def result(self, *, exit_code: int = 0) -> dict[str, Any]:
        """Waits for its end and gives the account that it prints."""
        out, err = self._process.communicate(timeout=LONG)
        assert self._process.returncode == exit_code, out + err
        account: dict[str, Any] = json.loads(out)
        return account

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def children(self) -> list[int]:
        """Its child processes, once it has one."""
        found: list[int] = []
        while not found:
            tasks = Path(f"/proc/{self.pid}/task").iterdir()
            found = [int(child) for task in tasks for child in (task / "children").read_text().split()]
        return found

    def end(self) -> None:
        assert self._process.stdout is not None
        if not self._process.stdout.closed:
            self.kill()


class Home:
    """A folder with a queue in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._workers: list[WorkerProcess] = []

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BLOBFORGE_")}
        return {**kept, "BLOBFORGE_HOME": str(self.folder), "BLOBFORGE_RETRY_FIRST_SECONDS": "0.1", **more}

    def settings(self) -> Settings:
        return load(environ=self.environment(), folder=self.folder).settings

    def submit(self, name: str, *, priority: Priority = Priority.NORMAL, **options: JsonValue) -> JobId:
        path = self.folder.parent / f"{name}.pdf"
        path.write_text(name)
        settings = self.settings()
        order = wiring.order_for(settings, "echo", options)
        ingest = wiring.open_submit(settings, job_type="echo", order=order, priority=priority, tags="[]")
        try:
            (document,) = ingest.service.submit(scan([path]))
        finally:
            ingest.close()
        assert document.job_id is not None, document
        return document.job_id

    def worker(self, *args: str, before: Sequence[str] = (), **more: str) -> WorkerProcess:
        worker = WorkerProcess(args, self.environment(**more), before=before)
        self._workers.append(worker)
        return worker

    @contextmanager
    def queue(self) -> Iterator[Coordinator]:
        opened = wiring.open_coordinator(self.settings())
        try:
            yield opened.coordinator
        finally:
            opened.close()

    def job(self, job_id: JobId) -> Job:
        with self.queue() as queue:
            return queue.get(job_id)

    def left_by_workers(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "workers").iterdir())

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
