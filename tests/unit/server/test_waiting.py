"""Requests that wait for jobs: they are woken at once, one at a time, and a job that nobody takes goes back."""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.server_scene import ACTOR, Scene, scene_in

from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.domain.account import Role
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.ports.job_store import Queue
from blobforge.server.api import claiming
from blobforge.server.hub import Hub, Waiter, WaitingLine
from blobforge.server.long_poll import LongPoll

PATIENCE = 20.0
LONG = {"timeout": 50}
"""Nobody here waits so long: what is tested comes before."""


class WatchedHub(Hub):
    """Tells when somebody begins to wait, after a look."""

    def __init__(self) -> None:
        super().__init__()
        self._begun = threading.Semaphore(0)

    @contextmanager
    def listen(self, line: WaitingLine) -> Iterator[Waiter]:
        with super().listen(line) as waiter:
            waits = waiter.wait

            async def watched(seconds: float) -> bool:
                self._begun.release()
                return await waits(seconds)

            waiter.wait = watched  # type: ignore[method-assign]
            yield waiter

    def await_waiting(self, requests: int = 1) -> None:
        for _ in range(requests):
            assert self._begun.acquire(timeout=PATIENCE), "nobody waits"


@dataclass
class Claims:
    """How often the queue was asked; `before` and `after` happen once each, around the question of that number."""

    scene: Scene
    asked: int = 0
    before: dict[int, Callable[[], None]] = field(default_factory=dict)
    after: dict[int, Callable[[], None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        claim = self.scene.queue.claim

        def watched(queue: Queue, *, worker_id: WorkerId, limit: int = 1) -> list[Job]:
            self.asked += 1
            number = self.asked
            if number in self.before:
                self.before[number]()
            found = claim(queue, worker_id=worker_id, limit=limit)
            if number in self.after:
                self.after[number]()
            return found

        self.scene.queue.claim = watched  # type: ignore[method-assign]


@pytest.fixture
def hub() -> WatchedHub:
    return WatchedHub()


@pytest.fixture
def scene(tmp_path: Path, hub: WatchedHub) -> Iterator[Scene]:
    """SQLite's own wake-up comes with every write, also of what is no job; here only the test sends one."""
    with scene_in(tmp_path, hub=hub, wakeup=NoWakeup()) as scene:
        yield scene


@pytest.fixture
def elsewhere() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def claim(client: httpx2.Client, pool: ThreadPoolExecutor) -> "Future[httpx2.Response]":
    return pool.submit(client.get, "/api/jobs/claim", params=LONG)


def ids(answers: Sequence["Future[httpx2.Response]"]) -> set[int]:
    return {answer.result(PATIENCE).json()["job"]["id"] for answer in answers}


def test_who_waits_for_a_paused_type_gets_its_job_as_soon_as_it_is_resumed(
    scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor
) -> None:
    job, operator, lane = scene.job(), scene.having(Role.OPERATOR), {"project": "default", "type": "pdf"}
    operator.post("/api/queue/pause", json=lane)
    answer = claim(scene.worker("rack4"), elsewhere)
    hub.await_waiting()

    operator.post("/api/queue/resume", json=lane)

    assert ids([answer]) == {job.id}


def test_a_claim_that_waits_is_answered_as_soon_as_there_is_a_job(
    scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor
) -> None:
    """R1-24."""
    worker, people = scene.worker(), scene.having(Role.OPERATOR)
    answer = claim(worker, elsewhere)
    hub.await_waiting()

    job_id = people.post("/api/documents", content=b"%PDF", params={"wait": 0}).json()["job_id"]

    assert ids([answer]) == {job_id}


def test_a_job_that_comes_from_elsewhere_is_found_at_the_next_tick(
    scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor
) -> None:
    answer = claim(scene.worker(), elsewhere)
    hub.await_waiting()

    job = scene.job()
    scene.tick()

    assert ids([answer]) == {job.id}


def test_a_job_that_comes_between_the_look_and_the_wait_is_not_missed(
    scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor
) -> None:
    claims = Claims(scene)

    def comes() -> None:
        scene.job()
        hub.notify_from_thread()

    claims.after[1] = comes

    assert len(ids([claim(scene.worker(), elsewhere)])) == 1
    assert claims.asked == 2


def test_of_many_who_wait_for_the_same_one_looks(scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor) -> None:
    claims = Claims(scene)
    answers = [claim(scene.worker(f"rack{number}"), elsewhere) for number in range(4)]
    hub.await_waiting(4)
    assert claims.asked == 4

    hub.notify_from_thread()
    hub.await_waiting()

    assert claims.asked == 5
    hub.stop_from_thread()
    assert {answer.result(PATIENCE).status_code for answer in answers} == {204}


def test_one_bell_for_many_jobs_is_passed_on(scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor) -> None:
    answers = [claim(scene.worker(f"rack{number}"), elsewhere) for number in range(4)]
    hub.await_waiting(4)

    jobs = [scene.job(name) for name in "abcd"]
    hub.notify_from_thread()

    assert ids(answers) == {job.id for job in jobs}


def test_who_finds_nothing_wakes_nobody(scene: Scene, hub: WatchedHub) -> None:
    """Else each of a thousand idle workers would wake the next one, for ever."""
    worker = scene.worker()
    before = hub.version

    worker.post("/api/queue/settle", json={"process": "rack4", "claim": {"types": ["pdf"]}})

    assert hub.version == before


class WatchedPoll(LongPoll):
    gone: ClassVar[threading.Event]

    async def _until_gone(self) -> None:
        await super()._until_gone()
        self.gone.set()


def test_a_client_that_is_gone_when_its_job_comes_gives_it_back(
    scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    WatchedPoll.gone = threading.Event()
    monkeypatch.setattr(claiming, "LongPoll", WatchedPoll)
    gone, claims, at = scene.worker("rack4"), Claims(scene), urlsplit(scene.url)
    headers = "".join(f"{name}: {gone.headers[name]}\r\n" for name in ("X-Worker-ID", "X-Worker-Secret"))
    connection = socket.create_connection((at.hostname, at.port))
    connection.sendall(f"GET /api/jobs/claim?timeout=50 HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
    hub.await_waiting()

    def leaves() -> None:
        connection.close()
        assert WatchedPoll.gone.wait(PATIENCE)

    claims.before[2] = leaves
    job = scene.job()
    hub.notify_from_thread()
    assert WatchedPoll.gone.wait(PATIENCE)
    answer = claim(scene.worker("rack5"), elsewhere)

    assert ids([answer]) == {job.id}
    now = scene.queue.get(job.id)
    assert (now.worker_id, now.attempts) == ("rack5", 1)
    assert [attempt.outcome for attempt in scene.queue.history(job.id).attempts] == ["released"]


def test_who_is_disabled_or_drained_while_waiting_gets_nothing(
    scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor
) -> None:
    disabled = claim(scene.worker("rack4"), elsewhere)
    hub.await_waiting()
    drained = claim(scene.worker("rack5"), elsewhere)
    hub.await_waiting()
    scene.accounts.disable_worker("rack4", actor=ACTOR)
    scene.accounts.drain_worker("rack5", actor=ACTOR)

    job = scene.job()
    hub.notify_from_thread()
    assert disabled.result(PATIENCE).status_code == 401
    hub.notify_from_thread()
    hub.await_waiting()

    assert scene.queue.get(job.id).state == "pending"
    hub.stop_from_thread()
    assert drained.result(PATIENCE).status_code == 204


def test_news_come_to_one_of_those_who_wait(scene: Scene, hub: WatchedHub, elsewhere: ThreadPoolExecutor) -> None:
    workers = [scene.worker(f"rack{number}") for number in range(3)]
    version = workers[0].post("/api/queue/news", json={}).json()["version"]
    wanted = {"since": version, "timeout": 50, "project": "default", "types": ["pdf"]}
    answers = [elsewhere.submit(worker.post, "/api/queue/news", json=wanted) for worker in workers]
    hub.await_waiting(3)

    hub.notify_from_thread()
    (told,), others = wait(answers, PATIENCE, return_when=FIRST_COMPLETED)

    assert told.result().json()["version"] != version
    assert len(others) == 2
    assert workers[0].post("/api/queue/news", json=wanted).json()["version"] != version
    hub.stop_from_thread()
    assert len([answer.result(PATIENCE) for answer in answers]) == 3
