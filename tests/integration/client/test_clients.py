"""`Client` and `AsyncClient` on a server: one description of what they ask, and two ways to send it."""

import asyncio
import hashlib
import io
import json
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.http_server import served
from tests.server_parts import files_in, parts_over
from tests.server_scene import scene_in

from blobforge import AsyncClient, Client, read_result
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.account import Role
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.errors import (
    EmptySource,
    InvalidSettings,
    InvalidValue,
    JobCancelled,
    NotAPdf,
    NotFound,
    NotReady,
    SourceMissing,
    StoreUnavailable,
)
from blobforge.domain.job import Failure, Job
from blobforge.domain.json_value import canonical_json
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import RunningJob, WorkerReport, report_json
from blobforge.ports.blob_store import result_key, source_key
from blobforge.ports.job_store import Queue
from blobforge.ports.processor import Progress
from blobforge.server.app import create_app
from blobforge.testing.builders import ALICE
from blobforge.testing.clock import FakeClock

PDF = b"%PDF a document"
RECIPE = "0123456789abcdef"


class BothWays:
    """Calls a method of either client, and gives what it gives."""

    def __init__(self, url: str, *, is_async: bool) -> None:
        self._url = url
        self._is_async = is_async

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **said: Any) -> Any:
            if not self._is_async:
                with Client(self._url) as client:
                    found = getattr(client, name)(*args, **said)
                    return list(found) if name == "jobs" else found
            return asyncio.run(self._call(name, args, said))

        return call

    async def _call(self, name: str, args: tuple[Any, ...], said: dict[str, Any]) -> Any:
        async with AsyncClient(self._url) as client:
            if name == "jobs":
                return [job async for job in client.jobs(**said)]
            return await getattr(client, name)(*args, **said)


class Site:
    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.clock = FakeClock()
        self.folder = folder
        self.queue = CoordinationService(MemoryJobStore(), clock=self.clock)
        self.files = files_in(folder, self.clock, self.queue)
        parts = parts_over(self.queue, self.clock, self.files)
        self.url = stack.enter_context(served(create_app(parts, ticks=False)))
        # What the server signs leads to itself.
        object.__setattr__(self.files.own_urls, "_public_url", self.url)

    def claimed(self) -> Job:
        (job,) = self.queue.claim(Queue("default", ("pdf",)), worker_id=ALICE)
        return job

    def complete(self) -> Job:
        """As a worker does it."""
        job = self.claimed()
        key = result_key(job.source_hash, RECIPE)  # type: ignore[arg-type]
        path = self.folder / "result.zip"
        path.write_bytes(result_bytes(job.source_hash))
        self.files.blobs.adopt(key, path)
        (outcome,) = self.queue.end([Completed(job, canonical_json({"key": key, "recipe": RECIPE, "pages": 1}))])
        assert isinstance(outcome, Job)
        return outcome


def result_bytes(source_hash: str) -> bytes:
    """One page with a title."""
    content = io.BytesIO()
    pages = [{"page": 1, "outcome": "text"}]
    info = {"source": {"name": "report.pdf", "sha256": source_hash}, "pages": pages, "title": "A title"}
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("document.md", "# A title\n")
        archive.writestr("info.json", json.dumps(info))
        archive.writestr("document.json", json.dumps({"pages": [{"line": 1, "lines": 1}]}))
    return content.getvalue()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(tmp_path, stack)


@pytest.fixture(params=["in a thread", "in a loop"])
def client(request: pytest.FixtureRequest, site: Site) -> Any:
    return BothWays(site.url, is_async=request.param == "in a loop")


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.pdf"
    path.write_bytes(PDF)
    return path


def test_a_document_is_brought_converted_and_read(client: Any, site: Site, report: Path) -> None:
    job = client.submit(report, priority=1, tags=("urgent",))
    assert (job.status, job.source_path, job.priority, job.tags) == ("pending", "report.pdf", 1, ["urgent"])
    site.complete()

    done = client.wait(job)
    document = client.result(done)

    assert done.status == "completed"
    assert document.markdown == "# A title\n"
    assert document.source_hash == hashlib.sha256(PDF).hexdigest()
    assert [page.markdown for page in document.pages] == ["# A title"]


def test_bytes_are_a_document_too(client: Any, site: Site) -> None:
    job = client.submit(PDF, name="from memory.pdf")

    assert job.source_path == "from memory.pdf"
    assert site.files.blobs.stat(source_key(job.source_hash)) is not None


def test_one_call_converts(client: Any, site: Site, report: Path) -> None:
    worker = threading.Thread(target=lambda: until_it_works(site.complete))
    worker.start()

    document = client.convert(report, timeout=20)

    worker.join()
    assert document.title == "A title"


def test_a_known_document_keeps_its_job_and_is_not_sent_again(client: Any, site: Site, report: Path) -> None:
    first = client.submit(report)
    site.files.blobs.delete(source_key(first.source_hash))

    second = client.submit(report)

    assert second.id == first.id
    assert site.files.blobs.stat(source_key(first.source_hash)) is None


def test_a_cancelled_document_that_is_submitted_again_is_queued_again(client: Any, report: Path) -> None:
    job = client.submit(report)
    assert client.cancel(job).status == "cancelled"

    assert client.submit(report).status == "pending"


def test_the_error_of_a_job_is_raised_as_it_is(client: Any, site: Site, report: Path) -> None:
    job = client.submit(report)
    site.queue.end([Failed(site.claimed(), Failure("not_a_pdf", "report.pdf is no PDF", retryable=False))])

    with pytest.raises(NotAPdf, match=r"report\.pdf is no PDF"):
        client.result(client.wait(job))


def test_a_cancelled_job_has_no_result(client: Any, report: Path) -> None:
    job = client.cancel(client.submit(report))

    with pytest.raises(JobCancelled):
        client.result(job)


def test_a_wait_ends_after_its_time(client: Any, report: Path) -> None:
    job = client.submit(report)

    with pytest.raises(NotReady, match="it goes on without us"):
        client.wait(job, timeout=0.1)


def test_progress_is_what_workers_report(client: Any, site: Site, report: Path) -> None:
    job = client.submit(report)
    at_work = RunningJob(job_id=job.id, stage="reading", current=3, total=7)
    metadata = report_json(WorkerReport(name="rack-4", jobs=(at_work,)))
    now = site.clock.now()
    site.queue.register_worker(
        Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=now, metadata=metadata)
    )
    told: list[Progress] = []

    with pytest.raises(NotReady):
        client.wait(job, on_progress=told.append, timeout=0.1)

    assert told == [Progress("reading", 3, 7)]


def test_jobs_are_listed_over_all_pages(client: Any, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blobforge.client.dealings.AT_ONCE", 2)
    for number in range(5):
        client.submit(PDF + str(number).encode(), name=f"{number}.pdf")

    assert [job.source_path for job in client.jobs()] == ["4.pdf", "3.pdf", "2.pdf", "1.pdf", "0.pdf"]
    assert [job.source_path for job in client.jobs(search="3")] == ["3.pdf"]
    assert client.jobs(status="completed") == []


def test_a_result_is_downloaded_and_read_later(client: Any, site: Site, report: Path, tmp_path: Path) -> None:
    job = client.submit(report)
    site.complete()

    path = client.download(job.id, tmp_path / "report.zip")

    assert read_result(path).markdown == "# A title\n"


def test_a_job_is_retried_and_prioritized(client: Any, site: Site, report: Path) -> None:
    job = client.submit(report)
    site.complete()

    assert client.retry(job.id, priority=4).priority == 4
    assert client.prioritize(job, 1).priority == 1
    assert client.job(job.id).status == "pending"


def test_many_jobs_are_cancelled_and_retried(client: Any, site: Site) -> None:
    jobs = [client.submit(PDF + name.encode(), name=f"{name}.pdf") for name in "abc"]
    site.complete()

    cancelled = client.cancel_many([*jobs, 4711])
    foreseen = client.retry_many(status="cancelled", search="b.pdf", dry_run=True)
    retried = client.retry_many(status="cancelled", search="b.pdf", priority=2)

    assert (cancelled.matched, cancelled.done, cancelled.jobs) == (3, 2, (jobs[1].id, jobs[2].id))
    assert [(problem.job_id, problem.code) for problem in cancelled.problems] == [
        (jobs[0].id, "invalid_move"),
        (4711, "not_found"),
    ]
    assert (foreseen.matched, retried.jobs, retried.problems) == (1, (jobs[1].id,), ())
    assert [client.job(job.id).status for job in jobs] == ["completed", "pending", "cancelled"]
    assert client.job(jobs[1].id).priority == 2


def test_more_jobs_than_one_request_steers_take_several(
    client: Any, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blobforge.client.dealings.MOST_AT_ONCE", 2)
    jobs = [client.submit(PDF + name.encode(), name=f"{name}.pdf") for name in "abcde"]

    cancelled = client.cancel_many(jobs)
    retried = client.retry_many(status="cancelled", type="pdf")

    assert cancelled.jobs == tuple(job.id for job in jobs)
    assert sorted(retried.jobs) == [job.id for job in jobs]


def test_many_jobs_are_named_or_chosen_by_a_state(client: Any, site: Site) -> None:
    for said in ({}, {"jobs": [1], "status": "dead"}, {"status": "lost"}):
        with pytest.raises(InvalidValue):
            client.retry_many(**said)

    assert client.cancel_many([]).matched == 0


def test_what_is_wrong_is_told_as_the_error_it_is(client: Any, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        client.job(404)
    with pytest.raises(SourceMissing):
        client.submit(tmp_path / "nowhere.pdf")
    with pytest.raises(EmptySource):
        client.submit(b"")
    with pytest.raises(InvalidSettings, match="pages"):
        client.submit(PDF, options={"pages": "1-2"})


def test_a_server_that_is_away_is_told_with_its_address() -> None:
    for is_async in (False, True):
        with pytest.raises(StoreUnavailable, match=r"http://127\.0\.0\.1:9 does not answer"):
            BothWays("http://127.0.0.1:9", is_async=is_async).job(1)


def test_server_and_token_may_come_from_the_environment(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidSettings, match="BLOBFORGE_SERVER_URL"):
        Client()
    monkeypatch.setenv("BLOBFORGE_SERVER_URL", site.url)

    with Client() as client:
        assert list(client.jobs()) == []


def test_a_token_may_lie_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "token"
    with scene_in(tmp_path / "server") as scene:
        monkeypatch.setenv("BLOBFORGE_SERVER_URL", scene.url)
        monkeypatch.setenv("BLOBFORGE_TOKEN_FILE", str(file))
        with pytest.raises(InvalidSettings, match=r"BLOBFORGE_TOKEN_FILE: .*token cannot be read: No such file"):
            Client()

        file.write_text(scene.token(Role.VIEWER) + "\n")
        with Client() as client:
            assert list(client.jobs()) == []


def until_it_works(act: Callable[[], object]) -> None:
    """For a job that another thread is about to queue."""
    give_up = time.monotonic() + 20
    while True:
        try:
            act()
        except ValueError:
            assert time.monotonic() < give_up, "no job came"
            time.sleep(0.01)
        else:
            return
