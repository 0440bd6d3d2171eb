"""`Client` and `AsyncClient` with the token of one project, and with one of all: which project is meant, where none is
said."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server_scene import Scene, scene_in

from blobforge import AsyncClient, Client
from blobforge.domain.account import Role
from blobforge.domain.errors import Forbidden
from blobforge.domain.ids import JobId

PDF = b"%PDF a document"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path) as scene:
        yield scene


def test_a_document_is_submitted_in_the_project_of_the_token(scene: Scene) -> None:
    token = scene.token(Role.OPERATOR, "books")

    async def in_a_loop() -> int:
        async with AsyncClient(scene.url, token=token) as client:
            return (await client.submit(PDF + b"2", name="b.pdf")).id

    with Client(scene.url, token=token) as client:
        in_a_thread = client.submit(PDF, name="a.pdf").id

    for job_id in (in_a_thread, asyncio.run(in_a_loop())):
        job = scene.queue.get(JobId(job_id))
        assert (job.project, job.available_at) == ("books", None)


def test_another_project_than_that_of_the_token_is_refused(scene: Scene) -> None:
    token = scene.token(Role.OPERATOR, "books")

    with Client(scene.url, token=token, project="default") as client, pytest.raises(Forbidden, match="'books'"):
        client.submit(PDF, name="a.pdf")


def test_who_sees_all_projects_means_the_default_one_and_not_all(scene: Scene) -> None:
    ours, theirs = scene.job("a"), scene.job("b", project="books")

    with Client(scene.url, token=scene.token(Role.OPERATOR)) as client:
        seen = [job.id for job in client.jobs()]
        cancelled = client.cancel_many(status="pending")

    assert seen == [ours.id]
    assert cancelled.jobs == (ours.id,)
    assert scene.queue.get(theirs.id).state == "pending"


def test_jobs_of_the_project_of_the_token_are_listed_and_steered(scene: Scene) -> None:
    scene.job("a")
    job = scene.job("b", project="books")

    async def cancelled_in_a_loop() -> tuple[int, ...]:
        async with AsyncClient(scene.url, token=scene.token(Role.OPERATOR, "books")) as client:
            return (await client.cancel_many(status="pending")).jobs

    with Client(scene.url, token=scene.token(Role.OPERATOR, "books")) as client:
        assert [seen.id for seen in client.jobs()] == [job.id]
        assert client.retry_many(status="pending", dry_run=True).matched == 1

    assert asyncio.run(cancelled_in_a_loop()) == (job.id,)
