"""A submission whose answers are lost: what may be said twice is said again."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faulty_s3 import Fault, FaultyProxy
from tests.server_scene import Scene, document, hash_of, scene_in
from tests.serving import serving

from blobforge import AsyncClient, Client
from blobforge.client.connection import Connection, Credentials
from blobforge.client.held_leases import HeldLeases
from blobforge.coordination.http.coordinator import HttpCoordinator
from blobforge.domain.account import Role
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import NewJob, State
from blobforge.domain.lifecycle import lacks_source
from blobforge.ports.job_store import JobFilter

STEPS = [
    "/api/whoami",
    "/api/queue/submit",
    "/api/queue/source-upload",
    "/blobs/incoming",
    "/api/queue/source-placed",
    "/api/jobs/1",
]
"""All that one submission asks, by a part of its address."""


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path) as scene:
        yield scene


@pytest.fixture
def proxy(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProxy]:
    monkeypatch.setattr("blobforge.client.steps.AGAIN_AFTER", (0.0, 0.0))
    with serving(FaultyProxy(scene.url)) as proxy:
        scene.parts.files.own_urls._public_url = proxy.url
        yield proxy


def only_job(scene: Scene) -> JobId:
    (job,) = scene.queue.page(JobFilter())
    assert (job.state, lacks_source(job)) == (State.PENDING, False)
    return job.id


@pytest.mark.parametrize("path", STEPS)
@pytest.mark.parametrize("is_async", [False, True], ids=["in a thread", "in a loop"])
def test_a_lost_answer_of_any_step_is_asked_for_again(
    scene: Scene, proxy: FaultyProxy, path: str, is_async: bool
) -> None:
    token = scene.token(Role.OPERATOR)

    async def in_a_loop() -> int:
        async with AsyncClient(proxy.url, token=token) as client:
            return (await client.submit(document("a"), name="a.pdf")).id

    with proxy.fault(Fault.LOST_REPLY, path=path, times=1) as fault:
        if is_async:
            job_id = asyncio.run(in_a_loop())
        else:
            with Client(proxy.url, token=token) as client:
                job_id = client.submit(document("a"), name="a.pdf").id

    assert fault.left == 0
    assert job_id == only_job(scene)


def test_a_dead_job_whose_retry_was_not_heard_of_is_queued_again_once(scene: Scene, proxy: FaultyProxy) -> None:
    job = scene.job("a")
    scene.queue.cancel(job.id)

    with (
        Client(proxy.url, token=scene.token(Role.OPERATOR)) as client,
        proxy.fault(Fault.LOST_REPLY, path="/retry", times=1),
    ):
        client.submit(document("a"), name="a.pdf")

    assert only_job(scene) == job.id


def test_a_server_that_stays_away_is_told_after_a_few_tries(scene: Scene, proxy: FaultyProxy) -> None:
    with (
        Client(proxy.url, token=scene.token(Role.OPERATOR)) as client,
        proxy.fault(Fault.REFUSED, path="/api/queue/submit") as fault,
        pytest.raises(StoreUnavailable),
    ):
        client.submit(document("a"), name="a.pdf")

    assert fault.left == float("inf")
    assert [seen.path for seen in proxy.seen].count("/api/queue/submit") == 3


def test_jobs_that_a_command_queues_are_said_again_too(scene: Scene, proxy: FaultyProxy) -> None:
    connection = Connection(proxy.url, Credentials(token=scene.token(Role.OPERATOR)))
    scene.stack.callback(connection.close)
    new = NewJob(project="default", type="pdf", source_hash=SourceHash(hash_of("a")))

    with proxy.fault(Fault.LOST_REPLY, path="/api/queue/submit", times=1):
        (entry,) = HttpCoordinator(connection, HeldLeases()).submit([new])

    (job,) = scene.queue.page(JobFilter())
    assert entry.job.id == job.id
