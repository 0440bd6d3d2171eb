"""`blobforge server --with-worker`: a whole service on one machine, as one command and one request."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.e2e.program import PATIENCE_SECONDS, Blobforge, processes, until
from tests.e2e.test_server_command import address_told_by
from tests.pdfs import text_pdf

MARKDOWN = {"Accept": "text/markdown"}


class Whole:
    def __init__(self, blobforge: Blobforge) -> None:
        self.process = blobforge.start("server", "--port", "0", "--with-worker")
        self.url = address_told_by(self.process)

    def converted(self, path: Path) -> "httpx2.Response":
        where = f"{self.url}/api/documents?name={path.name}&wait=60"
        return httpx2.post(where, content=path.read_bytes(), headers=MARKDOWN, timeout=90)

    def workers(self) -> list[int]:
        """The children of the server that are workers, by pid."""
        running = processes().items()
        return [pid for pid, facts in running if facts.parent == self.process.pid and "worker" in facts.command_line]


@pytest.fixture
def whole(blobforge: Blobforge) -> Iterator[Whole]:
    whole = Whole(blobforge)
    yield whole
    if whole.process.poll() is None:
        whole.process.send_signal(signal.SIGTERM)
        whole.process.communicate(timeout=PATIENCE_SECONDS)


def test_one_request_takes_a_document_and_answers_with_its_markdown(whole: Whole, tmp_path: Path) -> None:
    text_pdf(tmp_path / "report.pdf", "A report on wool")

    answer = whole.converted(tmp_path / "report.pdf")

    assert answer.status_code == 200, answer.text
    assert "A report on wool" in answer.text


def test_a_worker_that_was_killed_is_started_again(whole: Whole, tmp_path: Path) -> None:
    text_pdf(tmp_path / "report.pdf", "A report on wool")
    until(lambda: len(whole.workers()) == 1)
    (first,) = whole.workers()

    os.kill(first, signal.SIGKILL)

    until(lambda: whole.workers() not in ([], [first]))
    assert "A report on wool" in whole.converted(tmp_path / "report.pdf").text


def test_the_worker_ends_with_its_server(whole: Whole) -> None:
    until(lambda: len(whole.workers()) == 1)
    (worker,) = whole.workers()

    whole.process.send_signal(signal.SIGTERM)
    _, stderr = whole.process.communicate(timeout=PATIENCE_SECONDS)

    assert whole.process.returncode == 0, stderr
    assert not Path(f"/proc/{worker}").exists()
    assert "started again" not in stderr
