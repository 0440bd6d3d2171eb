"""A queue in a bucket with workers of several machines, each a home of its own: only the bucket is common to them."""

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any, NamedTuple

from tests.e2e.program import signals_as_usual, until
from tests.faulty_s3 import FaultyS3
from tests.integration.worker.worker_process import LONG, PROGRAM, Home
from tests.seaweed import Seaweed, variables_for

from blobforge import wiring
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import JsonValue
from blobforge.domain.priority import Priority
from blobforge.ingest.scan import scan
from blobforge.ports.blob_store import S3Access
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter

LIVELY = {
    "BLOBFORGE_LEASE_SECONDS": "4",
    "BLOBFORGE_HEARTBEAT_SECONDS": "1",
    "BLOBFORGE_RETRY_FIRST_SECONDS": "0.2",
    "BLOBFORGE_LOG_FORMAT": "json",
}
"""What takes minutes in production takes seconds here: the pace of a queue follows its lease."""
UNDYING = {"BLOBFORGE_MAX_ATTEMPTS": "50"}
"""For jobs whose workers are killed again and again."""


def reached_by(access: S3Access, bucket: str, prefix: str) -> dict[str, str]:
    return {"BLOBFORGE_S3_BUCKET": bucket, "BLOBFORGE_S3_PREFIX": prefix, **variables_for(access)}


class Machine(Home):
    """A home whose queue is the bucket."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        super().__init__(folder)
        self._variables = dict(variables)

    def environment(self, **more: str) -> dict[str, str]:
        return super().environment(**{**self._variables, **more})


class Worked(NamedTuple):
    account: dict[str, int]
    log: list[dict[str, Any]]

    def lines(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.log if line["event"] == event]


class BucketQueue:
    """All machines reach the bucket through the proxy; what tests look at, they ask the server itself."""

    def __init__(self, folder: Path, seaweed: Seaweed, proxy: FaultyS3) -> None:
        self.prefix = f"{token_hex(6)}/"
        self.proxy = proxy
        self._folder = folder
        self._seaweed = seaweed
        self._client = seaweed.client()
        self._machines: list[Machine] = []
        self._started: list[subprocess.Popen[str]] = []
        self._opened = ExitStack()
        self.desk = self.machine()
        """Where jobs are submitted and looked at."""

    def variables(self, **more: str) -> dict[str, str]:
        return {**LIVELY, **reached_by(self.proxy.access, self._seaweed.bucket, self.prefix), **more}

    def machine(self, **more: str) -> Machine:
        folder = self._folder / f"machine-{len(self._machines)}" / "home"
        folder.mkdir(parents=True)
        machine = Machine(folder, self.variables(**more))
        self._machines.append(machine)
        return machine

    def submit(self, *contents: bytes, **options: JsonValue) -> set[JobId]:
        """Documents of this machine's own, which nobody has afterwards but the bucket."""
        folder = self._folder / f"documents-{token_hex(2)}"
        folder.mkdir()
        for number, content in enumerate(contents):
            (folder / f"{number}.pdf").write_bytes(content)
        settings = self.desk.settings()
        order = wiring.order_for(settings, "echo", options)
        opened = wiring.open_submit(settings, job_type="echo", order=order, priority=Priority.NORMAL, tags="[]")
        try:
            documents = list(opened.service.submit(scan([folder])))
        finally:
            opened.close()
        rmtree(folder)
        return {document.job_id for document in documents if document.job_id is not None}

    def start(self, *args: str, **more: str) -> "subprocess.Popen[str]":
        """A command of its own, on a machine of its own."""
        with signals_as_usual():
            process = subprocess.Popen(
                [str(PROGRAM), *args],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=self.machine(**more).environment(),
            )
        self._started.append(process)
        return process

    def work(self, **more: str) -> Worked:
        """A worker on a machine of its own until nothing is left to do, and what it logged."""
        out, err = self.start("worker", "--type", "echo", "--slots", "2", "--drain", "--json", **more).communicate(
            timeout=LONG
        )
        assert out, err
        return Worked(told_by(out), [told_by(line) for line in err.splitlines() if line.startswith("{")])

    def told(self, *args: str) -> dict[str, Any]:
        """What a command tells programs."""
        out, err = self.start(*args, "--json").communicate(timeout=LONG)
        assert out, err
        return told_by(out)

    def states(self) -> Counter[State]:
        return Counter({state: count for (_, state), count in self.jobs.counts().items()})

    def completed(self) -> set[JobId]:
        return {job.id for job in self.jobs.page(JobFilter(state=State.COMPLETED), limit=1_000)}

    def unfinished(self) -> list[Job]:
        return [job for job in self.jobs.page(JobFilter(), limit=1_000) if job.state is not State.COMPLETED]

    def job(self, job_id: JobId) -> Job:
        return self.jobs.get(job_id)

    @cached_property
    def jobs(self) -> Coordinator:
        """Kept open: to make a client of the SDK takes longer than to ask with it."""
        opened = wiring.open_coordinator(self.desk.settings())
        self._opened.callback(opened.close)
        return opened.coordinator

    # The objects themselves

    def names(self, room: str) -> list[str]:
        """What lies in a room such as `queue/` of any lane."""
        listed = self._client.list_objects_v2(Bucket=self._seaweed.bucket, Prefix=self.prefix).get("Contents", [])
        found = [entry["Key"].removeprefix(self.prefix) for entry in listed]
        return [name for name in found if name.startswith(room) or f"/{room}" in name]

    def left_in_queue(self) -> list[str]:
        """Markers and cells; the hint stays."""
        return [name for name in self.names("queue/") if not name.endswith("/hint")]

    def put(self, name: str, body: bytes) -> None:
        self._client.put_object(Bucket=self._seaweed.bucket, Key=self.prefix + name, Body=body)

    def get(self, name: str) -> bytes:
        body: bytes = self._client.get_object(Bucket=self._seaweed.bucket, Key=self.prefix + name)["Body"].read()
        return body

    def delete(self, name: str) -> None:
        self._client.delete_object(Bucket=self._seaweed.bucket, Key=self.prefix + name)

    def metadata(self, name: str) -> dict[str, Any]:
        facts = self._client.head_object(Bucket=self._seaweed.bucket, Key=self.prefix + name)["Metadata"]
        return dict(facts)

    def publications(self) -> Counter[str]:
        """How often each result was written, as far as somebody lived to hear the answer."""
        return Counter(
            seen.path.rpartition("/")[2]
            for seen in self.proxy.seen
            if seen.method == "PUT" and seen.status == 200 and self.prefix in seen.path and "/store/out/" in seen.path
        )

    def generations(self) -> Counter[str]:
        return Counter(self.metadata(name)["generation"] for name in self.names("store/out/"))

    def is_in_order(self) -> bool:
        """No marker and no cell is left, and the janitor finds nothing to say."""
        return self.left_in_queue() == [] and not any(self.told("janitor").values())

    def comes_into_order(self) -> bool:
        """As the janitor sees to it: a worker that has nothing left to do may end before a dead one's lease does."""
        until(lambda: self.told("janitor")["mended"] == [] and self.left_in_queue() == [])
        return self.is_in_order()

    def close(self) -> None:
        for machine in self._machines:
            machine.close()
        for process in self._started:
            process.kill()
            process.communicate()
        self._opened.close()
        self._client.close()


def told_by(line: str) -> dict[str, Any]:
    """One line of a log."""
    said: dict[str, Any] = json.loads(line)
    return said


def documents(count: int) -> list[bytes]:
    return [f"document {number} of {count}".encode() for number in range(count)]
