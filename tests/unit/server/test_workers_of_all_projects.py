"""A worker of all projects is asked for one at a time, and people of one hear nothing of its jobs in the others."""

import pytest
from tests.server_scene import Scene
from tests.unit.server.test_late_workers import FIRST

from blobforge.domain.account import Role
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.worker import Worker, WorkerStatus


@pytest.mark.parametrize("in_doubt", [True, False], ids=["in doubt", "by what the server remembers"])
def test_a_job_of_another_project_that_was_not_heard_of_is_not_given_for_this_one(scene: Scene, in_doubt: bool) -> None:
    worker = scene.worker("rack4")
    books, papers = scene.job("a", project="books"), scene.job("b", project="papers")

    def given(project: str) -> list[int]:
        """To a process that heard of no job."""
        claim = {"types": ["pdf"], "project": project, "holding": [], "in_doubt": in_doubt}
        answer = worker.post("/api/queue/settle", json={"process": FIRST, "claim": claim})
        return [entry["job"]["id"] for entry in answer.json()["claimed"]]

    assert given("books") == [books.id]
    assert given("papers") == [papers.id]
    assert given("books") == [books.id]


@pytest.mark.parametrize(("project", "is_told"), [("books", True), ("papers", False), (None, True)])
def test_what_a_worker_does_now_is_told_to_the_project_of_the_job_alone(
    scene: Scene, project: str | None, is_told: bool
) -> None:
    job = scene.job(project="books")
    scene.queue.register_worker(
        Worker(
            id=WorkerId(FIRST),
            type="pdf",
            status=WorkerStatus.ONLINE,
            last_heartbeat=scene.clock.now(),
            current_job_id=JobId(job.id),
        )
    )

    (told,) = scene.having(Role.VIEWER, project).get("/api/queue/workers").json()["workers"]

    assert told["current_job_id"] == (job.id if is_told else None)
