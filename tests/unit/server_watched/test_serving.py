"""The server behind a proxy: whom it believes, and what leads back to it."""

import signal
import socket
import threading
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from pydantic import ValidationError
from tests.e2e.program import signals_as_usual
from tests.http_server import served
from tests.server_parts import files_in, parts_over
from tests.unit.server_watched.conftest import WatchedServer

from blobforge.config.settings import ServerSettings
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.server.app import create_app
from blobforge.server.serving import Serving, listening
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import FakeClock


def test_nobody_says_where_a_request_came_from_but_a_proxy_that_is_named(watched: WatchedServer) -> None:
    app = create_app(watched.parts, ticks=False)

    alone = Serving(app, watched.parts, shutdown_seconds=1).config
    behind = Serving(app, watched.parts, shutdown_seconds=1, trusted_proxies="10.0.0.7").config

    assert not alone.proxy_headers
    assert (behind.proxy_headers, behind.forwarded_allow_ips) == (True, "10.0.0.7")


def test_the_worker_beside_a_server_ends_before_it_does(watched: WatchedServer) -> None:
    let_go, asked = threading.Event(), threading.Event()

    def before_ending() -> None:
        asked.set()
        let_go.wait(10)

    serving = Serving(
        create_app(watched.parts, ticks=False), watched.parts, shutdown_seconds=1, before_ending=before_ending
    )
    serving.handle_exit(signal.SIGTERM, None)
    assert asked.wait(10)
    assert not serving.should_exit

    let_go.set()
    assert serving.ending is not None
    serving.ending.join(10)
    assert serving.should_exit


def test_a_signal_that_comes_as_the_worker_is_begun_ends_both_in_good_order(watched: WatchedServer) -> None:
    """Before a signal is heard there is no worker: the server would end at once, and leave it behind."""
    done: list[str] = []

    def once_serving() -> None:
        done.append("begun")
        signal.raise_signal(signal.SIGTERM)

    serving = Serving(
        create_app(watched.parts, ticks=False),
        watched.parts,
        shutdown_seconds=1,
        once_serving=once_serving,
        before_ending=lambda: done.append("ended"),
    )
    with signals_as_usual(), listening("127.0.0.1", 0) as at:
        serving.run(sockets=[at])

    assert done == ["begun", "ended"]


def test_a_second_signal_does_not_wait_for_the_worker(watched: WatchedServer) -> None:
    let_go = threading.Event()

    def before_ending() -> None:
        let_go.wait(10)

    serving = Serving(
        create_app(watched.parts, ticks=False), watched.parts, shutdown_seconds=1, before_ending=before_ending
    )

    serving.handle_exit(signal.SIGTERM, None)
    serving.handle_exit(signal.SIGTERM, None)

    assert serving.should_exit
    let_go.set()


def test_a_request_that_comes_to_a_server_about_to_stop_does_not_wait(watched: WatchedServer) -> None:
    hub = watched.parts.hub
    hub.stop_from_thread()
    watched.http.get("/livez")

    told = watched.http.post("/api/queue/news", json={"since": hub.version, "timeout": 60}, timeout=5)

    assert told.status_code == 200


def test_an_answer_is_sent_at_once() -> None:
    """Else each request takes 40 ms: asyncio sets TCP_NODELAY where it knows the protocol."""
    with listening("127.0.0.1", 0) as at, socket.create_connection(at.getsockname()):
        accepted, _ = at.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def test_proxies_are_named_by_address_or_network() -> None:
    assert ServerSettings(trusted_proxies="10.0.0.7, 192.168.0.0/24").trusted_proxies == "10.0.0.7,192.168.0.0/24"


@pytest.mark.parametrize("named", ["*", "proxy.example.org", "10.0.0.0/33", ""])
def test_what_names_no_proxy_is_refused(named: str) -> None:
    with pytest.raises(ValidationError):
        ServerSettings(trusted_proxies=named)


def test_what_leads_back_to_the_server_has_the_path_that_its_proxy_takes_away(tmp_path: Path) -> None:
    clock = FakeClock()
    service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=LEASE)
    parts = replace(parts_over(service, clock, files_in(tmp_path, clock, service)), base_path="/forge")
    with served(create_app(parts, ticks=False)) as url:
        answered = httpx2.post(f"{url}/api/documents?wait=0", content=b"%PDF-1.7")

    assert (answered.status_code, answered.headers["Location"]) == (202, "/forge/api/jobs/1")
    assert answered.json()["job"] == "/forge/api/jobs/1"


def test_a_worker_that_brings_no_id_is_given_one(watched: WatchedServer) -> None:
    """R1-19."""
    answered = watched.http.post("/api/workers", json={"type": "pdf"})

    assert answered.status_code == 201
    assert answered.json()["id"].startswith("worker-")
