"""A store that is away: told soon, by a clear problem, and without a word of where it is."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene, document, hash_of
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.domain.endings import Completed
from blobforge.domain.errors import (
    BlobForgeError,
    DiskFull,
    InvalidSettings,
    OutputUnwritable,
    ResultDamaged,
    StoreUnavailable,
)
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job
from blobforge.domain.json_value import canonical_json
from blobforge.ports.blob_store import result_key
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE

PLACE = "http://10.1.2.3:8333"
FOLDER = "/srv/private/blobs"
RECIPE = RecipeId("0123456789abcdef")
PROCESS = "rack4.11.0123abcd"

QUESTIONS: dict[str, Callable[[httpx2.Client, Job], httpx2.Response]] = {
    "source": lambda client, job: client.get(f"/api/files/{job.id}/source"),
    "output": lambda client, job: client.get(f"/api/files/{job.id}/output"),
    "markdown": lambda client, job: client.get(f"/api/jobs/{job.id}/markdown"),
    "documents": lambda client, _: client.post("/api/documents", content=document("a")),
    "blob-url": lambda client, _: client.post("/api/queue/blob-url", json={"key": f"sources/{hash_of('a')}.pdf"}),
    "blob-stats": lambda client, _: client.post(
        "/api/queue/blob-stats", json={"keys": [f"sources/{hash_of('a')}.pdf"]}
    ),
}


@pytest.fixture
def done(scene: Scene) -> Job:
    """A job with a result."""
    scene.job("a")
    (held,) = scene.queue.claim(Queue("default", ("pdf",)), worker_id=ALICE)
    key = result_key(held.source_hash, RECIPE)
    path = scene.folder / "result.zip"
    path.write_bytes(b"no archive")
    scene.parts.files.blobs.put(key, path)
    (job,) = scene.queue.end([Completed(held, canonical_json({"key": key, "recipe": RECIPE}))])
    assert isinstance(job, Job)
    return job


@pytest.fixture
def silent(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The store answers when the test is over."""
    over = threading.Event()

    def hang(*_: object, **__: object) -> None:
        over.wait(30)

    monkeypatch.setattr("blobforge.server.crossing.ANSWER_SECONDS", 0.2)
    for question in ("stat", "stat_many", "renew"):
        monkeypatch.setattr(type(scene.parts.files.blobs), question, hang)
    yield
    over.set()


def refuses(scene: Scene, monkeypatch: pytest.MonkeyPatch, error: BlobForgeError) -> None:
    def refused(*_: object, **__: object) -> None:
        raise error

    for question in ("stat", "stat_many", "renew", "open"):
        monkeypatch.setattr(type(scene.parts.files.blobs), question, refused)


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.usefixtures("silent")
def test_a_store_that_hangs_is_told_within_seconds(
    scene: Scene, done: Job, ask: Callable[[httpx2.Client, Job], httpx2.Response]
) -> None:
    began = time.monotonic()

    answer = ask(scene.having(Role.OPERATOR), done)

    assert is_problem(answer, 503)
    assert int(answer.headers["retry-after"]) > 0
    assert time.monotonic() - began < 10


@pytest.mark.usefixtures("silent")
def test_a_store_that_hangs_holds_up_nothing_that_is_of_the_queue_alone(scene: Scene, done: Job) -> None:
    people = scene.having(Role.OPERATOR)
    for _ in range(12):
        assert people.get(f"/api/files/{done.id}/output").status_code == 503

    assert people.get(f"/api/jobs/{done.id}").status_code == 200
    assert people.patch(f"/api/jobs/{done.id}/priority", json={"priority": 2}).status_code in (200, 409)


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreUnavailable(f"{PLACE}/bucket/ does not answer: refused"), 503),
        (InvalidSettings(f"{PLACE}/bucket/: the store refuses: the keys are wrong"), 503),
        (DiskFull(f"no space left in {FOLDER}"), 507),
        (OutputUnwritable(f"{FOLDER}/x cannot be written: denied"), 503),
    ],
    ids=["away", "refused", "full", "unwritable"],
)
def test_where_the_store_is_stands_in_the_log_and_in_no_answer(
    scene: Scene,
    done: Job,
    ask: Callable[[httpx2.Client, Job], httpx2.Response],
    error: BlobForgeError,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    refuses(scene, monkeypatch, error)
    people = scene.having(Role.OPERATOR)
    people.headers["X-Request-ID"] = "this-one"

    answer = ask(people, done)

    assert is_problem(answer, status)
    assert "10.1.2.3" not in answer.text
    assert FOLDER not in answer.text
    assert str(error) in caplog.text
    assert "this-one" in caplog.text


def test_the_outcome_of_an_ending_says_no_place_either(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    worker = scene.worker("rack4")
    scene.job("a")
    claim: dict[str, Any] = {"process": PROCESS, "claim": {"types": ["pdf"]}}
    row = worker.post("/api/queue/settle", json=claim).json()["claimed"][0]["job"]
    lease = {"job_id": row["id"], "number": row["lease_number"], "process": PROCESS}
    refuses(scene, monkeypatch, StoreUnavailable(f"{PLACE}/bucket/ does not answer"))
    ending = {"kind": "completed", "lease": lease, "result": json.dumps({"recipe": RECIPE})}

    (told,) = worker.post("/api/queue/settle", json={"process": PROCESS, "endings": [ending]}).json()["ended"]

    assert told["error"]["code"] == "store_unavailable"
    assert "10.1.2.3" not in told["error"]["message"]
    assert f"{PLACE}/bucket/ does not answer" in caplog.text


def test_a_damaged_result_is_told_by_its_job_and_not_by_its_file(
    scene: Scene, done: Job, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def damaged(_: object) -> bytes:
        raise ResultDamaged(f"the result {FOLDER}/x.zip cannot be opened: File is not a zip file")

    object.__setattr__(scene.parts, "markdown_of", damaged)

    answer = scene.having(Role.OPERATOR).get(f"/api/jobs/{done.id}/markdown")

    assert is_problem(answer, 409)
    assert answer.json()["code"] == "result_damaged"
    assert f"#{done.id}" in answer.json()["detail"]
    assert FOLDER not in answer.text
    assert FOLDER in caplog.text
