"""What a worker hears from its server without asking for it: new jobs, and leases that somebody took."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import cast

import pytest
from starlette.requests import Request
from tests.http_server import served
from tests.server_parts import files_in, parts_over

from blobforge.client.connection import Connection, Credentials
from blobforge.client.held_leases import HeldLeases
from blobforge.coordination.http.coordinator import HttpCoordinator
from blobforge.coordination.http.wakeup import LeaseNews, NewsWakeup
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.errors import NotSignedIn
from blobforge.ports.job_store import Queue
from blobforge.server.app import create_app
from blobforge.server.auth.asking import EVERYONE, Asker
from blobforge.testing.builders import ALICE, BOB, new_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.runtime import FakeRuntime
from blobforge.wire.queue import News

PDFS = Queue("default", ("pdf",))
LONG = 30


class Door:
    """Open until a test closes it."""

    def __init__(self) -> None:
        self.is_closed = False

    async def asker(self, request: Request) -> Asker:
        if self.is_closed:
            raise NotSignedIn("the secret was replaced")
        return EVERYONE


class Site:
    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.door = Door()
        clock = FakeClock()
        service = CoordinationService(MemoryJobStore(), clock=clock)
        parts = parts_over(service, clock, files_in(folder, clock, service), doorman=self.door)
        url = stack.enter_context(served(create_app(parts, ticks=False)))
        connection = Connection(url, Credentials())
        stack.callback(connection.close)
        self.queue = HttpCoordinator(connection, HeldLeases())
        self.wakeup = NewsWakeup(connection, claims_from=lambda: (self.queue.claims_from, self.queue.process))
        self.jobs, self.leases = threading.Semaphore(0), threading.Semaphore(0)
        stack.callback(self.wakeup.subscribe(self.jobs.release).close)
        stack.callback(LeaseNews(self.wakeup).subscribe(self.leases.release).close)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(tmp_path, stack)


def test_a_process_hears_that_a_job_of_its_own_was_cancelled(site: Site) -> None:
    site.queue.submit([new_job("a")])
    (held,) = site.queue.claim(PDFS, worker_id=ALICE)
    # Asks as ALICE from the next request on: this one ends the request before it.
    site.queue.submit([new_job("b")])
    assert site.jobs.acquire(timeout=LONG)

    site.queue.cancel(held.id)

    assert site.leases.acquire(timeout=LONG)


def test_the_job_of_another_process_is_no_news_for_this_one(site: Site) -> None:
    site.queue.submit([new_job("a"), new_job("b")])
    (other,) = site.queue.claim(PDFS, worker_id=BOB)
    site.queue.claim(PDFS, worker_id=ALICE)

    site.queue.cancel(other.id)

    assert site.jobs.acquire(timeout=LONG)
    assert not site.leases.acquire(blocking=False)


def test_a_worker_whose_secret_counts_no_more_is_made_to_ask(site: Site) -> None:
    site.queue.submit([new_job("a")])
    site.door.is_closed = True

    assert site.leases.acquire(timeout=LONG)
    assert site.jobs.acquire(timeout=LONG)


class BusyServer:
    """Has news whenever it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def post(self, *_: object, **__: object) -> News:
        self.asked += 1
        return News(version=self.asked, leases=0)


def test_a_busy_queue_is_asked_for_news_ten_times_a_second_at_most() -> None:
    runtime, server = FakeRuntime(), BusyServer()
    wakeup = NewsWakeup(cast("Connection", server), runtime=runtime)
    heard: list[float] = []

    with closing(wakeup.subscribe(lambda: heard.append(runtime.monotonic()))):
        runtime.sleep(2.0)

    assert server.asked <= 22
    assert 19 <= len(heard) <= 21
