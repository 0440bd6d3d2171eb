"""Requests that are sent again because their answer was lost: by the same key they make nothing twice."""

import threading
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene, document, hash_of
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.domain.endings import Completed
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.idempotency import RequestKey
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import State
from blobforge.domain.json_value import canonical_json
from blobforge.ports.blob_store import result_key
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.server.idempotency import digest_of
from blobforge.testing.races import at_once
from blobforge.wire.api import NewJobMessage

KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"
WORKER = WorkerId("rack4.11.0123abcd")


@pytest.fixture
def operator(scene: Scene) -> httpx2.Client:
    return scene.having(Role.OPERATOR)


def announce(client: httpx2.Client, name: str = "a", *, key: str | None = KEY, **more: Any) -> httpx2.Response:
    body = {"source_hash": hash_of(name), "source_path": f"{name}.pdf", **more}
    return client.post("/api/jobs", json=body, headers={} if key is None else {"Idempotency-Key": key})


def convert(client: httpx2.Client, name: str = "a", *, key: str = KEY, **query: Any) -> httpx2.Response:
    asked = {"name": f"{name}.pdf", "wait": 0, **query}
    return client.post("/api/documents", params=asked, content=document(name), headers={"Idempotency-Key": key})


def jobs(scene: Scene) -> int:
    return len(scene.queue.page(JobFilter()))


def test_a_job_that_is_announced_again_is_answered_as_at_first(scene: Scene, operator: httpx2.Client) -> None:
    first, second = announce(operator), announce(operator)

    assert (first.status_code, second.status_code) == (201, 201)
    assert (second.json()["job_id"], second.json()["status"]) == (first.json()["job_id"], first.json()["status"])
    assert ("idempotent-replayed" in first.headers, second.headers["idempotent-replayed"]) == (False, "true")
    assert jobs(scene) == 1
    assert [entry.action for entry in scene.trail()] == ["job.submit"]


def test_the_answer_of_then_has_an_address_of_now(scene: Scene, operator: httpx2.Client) -> None:
    """The first one may have ended, and is a secret that is kept nowhere."""
    announce(operator)
    scene.clock.advance(hours=2)

    again = announce(operator).json()

    assert operator.put(again["upload_url"], content=document("a")).status_code == 201
    assert operator.post(f"/api/jobs/{again['job_id']}/uploaded").status_code == 200
    brought = announce(operator)
    assert (brought.status_code, brought.json()["upload_url"], brought.json()["status"]) == (201, None, "pending")
    assert b"signature" not in (scene.folder / "queue.db").read_bytes()


@pytest.mark.parametrize("change", [{"priority": 1}, {"source_path": "b.pdf"}, {"tags": ["x"]}], ids=str)
def test_another_request_under_the_key_is_refused(
    scene: Scene, operator: httpx2.Client, change: dict[str, Any]
) -> None:
    announce(operator)

    answer = announce(operator, **change)

    assert is_problem(answer, 422)
    assert answer.json()["code"] == "idempotency_key_reused"
    assert is_problem(convert(operator), 422)
    assert jobs(scene) == 1


def test_what_means_the_same_is_the_same_request(scene: Scene, operator: httpx2.Client) -> None:
    announce(operator)

    assert announce(operator, priority=3, tags=[], project="default").status_code == 201


def test_the_key_of_one_asker_says_nothing_to_another(scene: Scene, operator: httpx2.Client) -> None:
    other = scene.having(Role.OPERATOR, "theirs")
    announce(operator)

    assert announce(other, "b", project="theirs").status_code == 201
    assert is_problem(announce(scene.having(Role.OPERATOR)), 409)


def test_a_request_that_failed_may_be_sent_again_at_once(
    scene: Scene, operator: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> Any:
        raise StoreUnavailable("the queue database did not answer")

    with monkeypatch.context() as broken:
        broken.setattr(scene.queue, "submit", away)
        assert is_problem(announce(operator), 503)

    assert announce(operator).status_code == 201


def test_a_known_job_is_a_conflict_every_time(scene: Scene, operator: httpx2.Client) -> None:
    scene.job("a")

    for _ in range(2):
        assert is_problem(announce(operator), 409)


def test_while_the_first_is_not_answered_another_is_told_to_wait(scene: Scene, operator: httpx2.Client) -> None:
    said = NewJobMessage(source_hash=hash_of("a"), source_path="a.pdf", project="default")
    body = said.model_dump(mode="json")
    keys, digest = scene.parts.idempotency_keys, digest_of({"route": "POST /api/jobs", "message": body})
    assert keys is not None
    # As another server on this queue does it.
    assert keys.begin(RequestKey("token:1", KEY), digest, now=scene.clock.now()).is_ours

    answer = announce(operator)

    assert is_problem(answer, 409)
    assert (answer.json()["code"], answer.headers["retry-after"]) == ("request_under_way", "1")
    assert jobs(scene) == 0


def test_two_at_once_make_one_and_are_told_the_same(scene: Scene, operator: httpx2.Client) -> None:
    other = scene.client(dict(operator.headers))
    both_are_ready = threading.Barrier(2)

    def send(client: httpx2.Client) -> httpx2.Response:
        both_are_ready.wait(timeout=20)
        return announce(client)

    answers = at_once(lambda: send(operator), lambda: send(other))

    assert jobs(scene) == 1
    for answer in answers:
        # Who came too soon is told to ask again.
        assert answer.status_code == 201 or (is_problem(answer, 409) and answer.headers["retry-after"] == "1")
    assert announce(operator).json()["job_id"] == 1


def test_a_server_that_was_killed_after_it_made_the_job_answers_the_next_time(
    scene: Scene, operator: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the answer nor the end of the request was written down."""
    keys = scene.parts.idempotency_keys
    assert keys is not None
    with monkeypatch.context() as killed:
        killed.setattr(keys, "finish", lambda *_: None)
        first = announce(operator)

    too_soon = announce(operator)
    scene.clock.advance(seconds=60)
    again = announce(operator)

    assert is_problem(too_soon, 409)
    assert (too_soon.json()["code"], too_soon.headers["retry-after"]) == ("request_under_way", "1")
    assert (again.status_code, again.json()["job_id"]) == (201, first.json()["job_id"])
    assert announce(operator).headers["idempotent-replayed"] == "true"


def test_a_document_that_is_sent_again_is_answered_by_its_job(scene: Scene, operator: httpx2.Client) -> None:
    first = convert(operator)
    job_id = JobId(first.json()["job_id"])
    (held,) = scene.queue.claim(Queue("default", ("pdf",)), worker_id=WORKER)
    key = result_key(held.source_hash, "0" * 16)  # type: ignore[arg-type]
    scene.queue.end([Completed(held, canonical_json({"key": key, "recipe": "0" * 16, "pages": 1}))])

    again = convert(operator, wait=60)

    assert (first.status_code, again.status_code, again.json()["job_id"]) == (202, 200, job_id)
    assert again.json()["markdown"] == "# Markdown"


def test_a_document_that_was_cancelled_meanwhile_is_not_queued_again(scene: Scene, operator: httpx2.Client) -> None:
    """Without a key, to send it again is to want it again."""
    job_id = JobId(convert(operator).json()["job_id"])
    scene.queue.cancel(job_id)

    assert is_problem(convert(operator), 422)

    assert scene.queue.get(job_id).state is State.CANCELLED
    assert convert(operator, key="another").status_code == 202
    assert scene.queue.get(job_id).state is State.PENDING


@pytest.mark.parametrize("change", [{"name": "b.pdf"}, {"priority": 2}], ids=str)
def test_another_document_under_the_key_is_refused(
    scene: Scene, operator: httpx2.Client, change: dict[str, Any]
) -> None:
    convert(operator)

    assert is_problem(convert(operator, "b"), 422)
    assert is_problem(convert(operator, **change), 422)
    assert jobs(scene) == 1


def test_a_key_counts_for_a_day_and_the_tick_clears_it_away(scene: Scene, operator: httpx2.Client) -> None:
    announce(operator)
    scene.clock.advance(hours=23)
    scene.tick()
    assert is_problem(announce(operator, "b"), 422)

    scene.clock.advance(hours=1)
    scene.tick()

    keys = scene.parts.idempotency_keys
    assert keys is not None
    assert keys.forget(now=scene.clock.now() + timedelta(days=9)) == 0
    assert announce(operator, "b").status_code == 201


def test_a_job_that_was_cleared_away_is_not_made_anew_by_its_key(scene: Scene, operator: httpx2.Client) -> None:
    announce(operator)
    scene.clock.advance(hours=23)
    (job,) = scene.queue.page(JobFilter())
    scene.clock.advance(minutes=30)
    scene.queue.expect_source(job.id, until=scene.clock.now())
    scene.queue.sweep()
    scene.queue.clear_dead(scene.queue.page(JobFilter(state=State.DEAD)))

    assert is_problem(announce(operator), 404)


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\tin it"], ids=["empty", "long", "a tab"])
def test_what_is_no_key_is_refused(scene: Scene, operator: httpx2.Client, key: str) -> None:
    assert is_problem(announce(operator, key=key), 400)
    assert jobs(scene) == 0


def test_a_queue_without_keys_says_so(scene: Scene, operator: httpx2.Client) -> None:
    object.__setattr__(scene.parts, "idempotency_keys", None)

    answer = announce(operator)

    assert is_problem(answer, 400)
    assert "send the request without one" in answer.json()["detail"]
    assert announce(operator, key=None).status_code == 201
