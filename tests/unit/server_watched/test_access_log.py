"""What the server writes down of each request, and what never."""

import logging
import re
from contextlib import closing

import pytest
from tests.unit.server_watched.conftest import WatchedServer

from blobforge.client.connection import Connection, Credentials
from blobforge.client.held_leases import HeldLeases
from blobforge.coordination.http.coordinator import HttpCoordinator
from blobforge.domain.ids import WorkerId
from blobforge.ports.job_store import Queue
from blobforge.server.access_log import request_id_in
from blobforge.testing.builders import new_job


def lines_of(watched: WatchedServer, caplog: pytest.LogCaptureFixture) -> list[str]:
    # An answer may be here before its line; that of a later request is not.
    watched.http.get("/livez")
    return [record.getMessage() for record in caplog.records if record.name == "blobforge.server.access_log"]


@pytest.fixture(autouse=True)
def heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="blobforge")


def test_a_request_is_one_line_with_the_template_of_its_route(
    watched: WatchedServer, caplog: pytest.LogCaptureFixture
) -> None:
    watched.http.get("/api/jobs/4711")

    (line,) = lines_of(watched, caplog)
    for fact in ("/api/jobs/{job_id}", "404", "GET", "anyone"):
        assert fact in line
    assert "4711" not in line


def test_neither_credentials_nor_a_query_are_written_down(
    watched: WatchedServer, caplog: pytest.LogCaptureFixture
) -> None:
    headers = {"Authorization": "Bearer bf_0123", "X-Worker-Secret": "bfw_0123"}

    watched.http.get("/blobs/sources/a.pdf?method=GET&expires=1&signature=5161", headers=headers)
    watched.http.get("/nowhere?signature=5161", headers=headers)

    written = "\n".join(record.getMessage() for record in caplog.records)
    assert len(lines_of(watched, caplog)) == 2
    for secret in ("bf_0123", "bfw_0123", "5161", "signature"):
        assert secret not in written


def test_the_id_of_a_request_is_the_clients_own_and_is_answered(
    watched: WatchedServer, caplog: pytest.LogCaptureFixture
) -> None:
    answered = watched.http.get("/api/jobs", headers={"X-Request-ID": "rack4-17"})

    assert answered.headers["X-Request-ID"] == "rack4-17"
    assert "rack4-17" in lines_of(watched, caplog)[0]


def test_the_log_of_a_worker_repeats_the_id_of_its_claim(
    watched: WatchedServer, caplog: pytest.LogCaptureFixture
) -> None:
    watched.parts.coordinator.submit([new_job("a")])
    worker = HttpCoordinator(Connection(str(watched.http.base_url), Credentials()), HeldLeases())

    with closing(worker):
        worker.claim(Queue("default", ("pdf",)), worker_id=WorkerId("rack4"))

    (told,) = [record.getMessage() for record in caplog.records if record.name.endswith("http.coordinator")]
    (request_id,) = re.findall(r"[0-9a-f]{16}", told)
    assert request_id in lines_of(watched, caplog)[0]


@pytest.mark.parametrize("given", [None, "", "a b", "a\x1b[31m", "x" * 65, "ü"])
def test_an_id_that_could_do_harm_in_a_log_is_replaced(given: str | None) -> None:
    made = request_id_in(given)

    assert made != given
    assert len(made) == 16


def test_an_unforeseen_error_has_an_id_too_and_is_counted(
    watched: WatchedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(type(watched.parts.coordinator), "get", broken)

    answered = watched.http.get("/api/jobs/1", headers={"X-Request-ID": "faulty"})

    assert (answered.status_code, answered.headers["X-Request-ID"]) == (500, "faulty")
    assert 'route="/api/jobs/{job_id}",status="500"' in watched.parts.metrics.text().decode()


def test_what_programs_ask_every_few_seconds_is_written_nowhere(
    watched: WatchedServer, caplog: pytest.LogCaptureFixture
) -> None:
    watched.http.get("/livez")

    assert lines_of(watched, caplog) == []


@pytest.mark.parametrize("path", ["/livez", "/version", "/api/jobs", "/api/jobs/1", "/nowhere"])
def test_no_answer_is_kept_on_its_way(watched: WatchedServer, path: str) -> None:
    assert watched.http.get(path).headers["Cache-Control"] == "no-store"
