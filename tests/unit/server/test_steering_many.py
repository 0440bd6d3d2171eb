"""Many jobs in one request: by their ids, or all that match."""

from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.domain.endings import Failed
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Failure, Job, State
from blobforge.ports.blob_store import error_log_key
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.server.hub import ClaimLine

WORKER = WorkerId("rack4.11.0123abcd")
TIMED_OUT, NOT_A_PDF = Failure("timed_out", "too slow"), Failure("not_a_pdf", "a web page")


@pytest.fixture
def operator(scene: Scene) -> httpx2.Client:
    return scene.having(Role.OPERATOR)


def dead(scene: Scene, *names: str, failure: Failure = TIMED_OUT, project: str = "default") -> list[Job]:
    found = []
    for name in names:
        scene.job(name, project=project)
        (held,) = scene.queue.claim(Queue(project, ("pdf",)), worker_id=WORKER)
        (after,) = scene.queue.end([Failed(held, failure)])
        assert isinstance(after, Job)
        found.append(after)
    return found


def told(answer: httpx2.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


def states(scene: Scene) -> dict[int, str]:
    return {job.id: job.state.value for job in scene.queue.page(JobFilter())}


def test_jobs_are_retried_by_their_ids_and_each_that_is_not_says_why(scene: Scene, operator: httpx2.Client) -> None:
    first, second = dead(scene, "a", "b")
    waiting = scene.job("c")

    said = told(operator.post("/api/jobs/retry", json={"ids": [first.id, waiting.id, 4711, second.id, first.id]}))

    assert (said["matched"], said["done"], said["jobs"]) == (3, 2, [first.id, second.id])
    assert [(problem["job_id"], problem["status"], problem["code"]) for problem in said["problems"]] == [
        (waiting.id, 409, "invalid_move"),
        (4711, 404, "not_found"),
    ]
    assert said["problems"][0]["error"].startswith(f"job #{waiting.id} (c.pdf): it is pending")
    assert (said["next"], said["dry_run"]) == (None, False)
    assert set(states(scene).values()) == {"pending"}


def test_jobs_are_retried_by_what_they_have_in_common(scene: Scene, operator: httpx2.Client) -> None:
    slow = dead(scene, "a", "b")
    (web_page,) = dead(scene, "c", failure=NOT_A_PDF)

    said = told(
        operator.post("/api/jobs/retry", json={"where": {"status": "dead", "code": "timed_out"}, "priority": 2})
    )

    assert sorted(said["jobs"]) == [job.id for job in slow]
    assert said["problems"] == []
    assert [scene.queue.get(job.id).priority for job in slow] == [2, 2]
    assert scene.queue.get(web_page.id) == web_page


def test_a_request_steers_so_many_and_says_where_it_goes_on(scene: Scene, operator: httpx2.Client) -> None:
    jobs = [scene.job(name) for name in "abcde"]
    where = {"where": {"status": "pending", "q": ".pdf"}, "limit": 2}

    pages: list[dict[str, Any]] = []
    cursor: str | None = None
    while cursor is not None or not pages:
        pages.append(told(operator.post("/api/jobs/cancel", json={**where, "after": cursor})))
        cursor = pages[-1]["next"]

    assert [page["jobs"] for page in pages] == [[5, 4], [3, 2], [1]]
    assert states(scene) == {job.id: "cancelled" for job in jobs}


def test_a_dry_run_tells_and_changes_nothing(scene: Scene, operator: httpx2.Client) -> None:
    (job,) = dead(scene, "a")

    by_filter = told(operator.post("/api/jobs/retry", json={"where": {"status": "dead"}, "dry_run": True}))
    by_id = told(operator.post("/api/jobs/cancel", json={"ids": [job.id, 4711], "dry_run": True}))

    assert (by_filter["matched"], by_filter["done"], by_filter["jobs"], by_filter["dry_run"]) == (1, 0, [job.id], True)
    assert (by_id["matched"], [problem["job_id"] for problem in by_id["problems"]]) == (1, [4711])
    assert scene.queue.get(job.id) == job
    assert scene.trail() == []


def test_jobs_of_another_project_are_not_there(scene: Scene) -> None:
    theirs = scene.having(Role.OPERATOR, "theirs")
    (ours,) = dead(scene, "a")
    (own,) = dead(scene, "b", project="theirs")

    by_id = told(theirs.post("/api/jobs/retry", json={"ids": [ours.id]}))
    by_filter = told(theirs.post("/api/jobs/cancel", json={"where": {"status": "dead"}}))
    elsewhere = theirs.post("/api/jobs/retry", json={"where": {"status": "dead", "project": "default"}})

    assert (by_id["matched"], by_id["problems"][0]["code"]) == (0, "not_found")
    assert [problem["job_id"] for problem in by_filter["problems"]] == [own.id]
    assert is_problem(elsewhere, 403)
    assert scene.queue.get(ours.id) == ours


def test_each_job_is_in_the_trail_with_who_did_it(scene: Scene, operator: httpx2.Client) -> None:
    jobs = dead(scene, "a", "b")

    operator.post("/api/jobs/retry", json={"where": {"status": "dead"}})
    operator.post("/api/jobs/cancel", json={"ids": [jobs[0].id]})

    trail = [(entry.action, entry.subject, str(entry.actor), entry.project) for entry in scene.trail()]
    assert sorted(trail) == [
        ("job.cancel", f"job:{jobs[0].id}", "token:1", "default"),
        ("job.retry", f"job:{jobs[0].id}", "token:1", "default"),
        ("job.retry", f"job:{jobs[1].id}", "token:1", "default"),
    ]
    assert all(entry.request_id for entry in scene.trail())


def test_a_job_whose_document_never_came_is_not_run_by_what_others_brought(
    scene: Scene, operator: httpx2.Client
) -> None:
    announced = operator.post("/api/jobs", json={"source_hash": "a" * 64, "source_path": "x.pdf"}).json()["job_id"]
    operator.post("/api/jobs/cancel", json={"ids": [announced]})

    said = told(operator.post("/api/jobs/retry", json={"ids": [announced]}))

    assert (said["done"], said["problems"][0]["code"]) == (0, "invalid_move")
    assert "its document never came" in said["problems"][0]["error"]


def test_a_worker_whose_job_was_cancelled_hears_of_it(scene: Scene, operator: httpx2.Client) -> None:
    job = scene.job("a")
    scene.queue.claim(Queue("default", ("pdf",)), worker_id=WORKER)
    before = scene.parts.hub.leases_of(WORKER)

    told(operator.post("/api/jobs/cancel", json={"where": {"status": "running"}}))

    assert scene.parts.hub.leases_of(WORKER) == before + 1
    assert scene.queue.get(job.id).state is State.CANCELLED


def test_a_retry_wakes_a_worker_that_waits(scene: Scene, operator: httpx2.Client) -> None:
    dead(scene, "a")
    before = scene.parts.hub.version

    told(operator.post("/api/jobs/retry", json={"where": {"status": "dead"}}))

    assert scene.parts.hub.version > before
    assert ClaimLine("default", ("pdf",), frozenset()) not in scene.parts.hub.lines


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"ids": []},
        {"ids": [1], "where": {"status": "dead"}},
        {"ids": [1], "after": "7"},
        {"ids": list(range(1001))},
        {"ids": [-1]},
        {"where": {}},
        {"where": {"type": "pdf"}},
        {"where": {"status": "lost"}},
        {"where": {"status": "dead", "colour": "red"}},
        {"where": {"status": "dead"}, "after": "the last"},
        {"where": {"status": "dead"}, "limit": 1001},
        {"where": {"status": "dead"}, "priority": 9},
    ],
    ids=str,
)
def test_what_says_not_which_is_refused(scene: Scene, operator: httpx2.Client, sent: dict[str, Any]) -> None:
    (job,) = dead(scene, "a")

    assert is_problem(operator.post("/api/jobs/retry", json=sent), 400)

    assert scene.queue.get(job.id) == job


def test_the_error_logs_of_dead_jobs_leave_with_them(scene: Scene, tmp_path: Path) -> None:
    """Of their project alone, and not that of a job which stayed."""
    operator, names = scene.having(Role.OPERATOR, "books"), scene.parts.files.names
    gone, stays = dead(scene, "a", "b", project="books")
    (theirs,) = dead(scene, "c")
    log = tmp_path / "error.json"
    log.write_text("{}")
    kept = [
        names.log("books", stays.source_hash),
        names.log("default", gone.source_hash),
        error_log_key(theirs.source_hash),
    ]
    for key in (names.log("books", gone.source_hash), *kept):
        scene.parts.files.blobs.put(key, log)
    scene.queue.retry(stays.id)

    said = told(operator.post("/api/queue/clear-dead", json=seen(gone, stays, theirs)))

    assert said == {"purged": 1, "restored": 0}
    assert {blob.key for blob in scene.parts.files.blobs.list("registry/logs/")} == set(kept)


def test_a_store_that_is_away_keeps_no_dead_job_in_the_queue(scene: Scene) -> None:
    operator = scene.having(Role.OPERATOR)
    (job,) = dead(scene, "a")
    (scene.folder / "store").rename(scene.folder / "elsewhere")

    said = told(operator.post("/api/queue/clear-dead", json=seen(job)))

    assert (said["purged"], states(scene)) == (1, {})


def seen(*jobs: Job) -> dict[str, Any]:
    return {"jobs": [{"id": job.id, "rev": job.rev} for job in jobs]}
