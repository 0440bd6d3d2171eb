"""Who is let in, as whom, and until when."""

import pytest
from tests.server_scene import ACTOR, Scene

from blobforge.domain.account import Role, TokenId
from blobforge.domain.ids import WorkerId
from blobforge.server.auth.limits import MOST_FAILURES, WITHIN_SECONDS

FIRST, SECOND = "rack4.11.00000001", "rack4.12.00000002"


def row(process: str) -> dict[str, str]:
    return {"id": process, "type": "pdf", "status": "online", "last_heartbeat": "2026-01-01T12:00:00Z"}


def settling(process: str) -> dict[str, object]:
    return {"process": process, "claim": {"types": ["pdf"]}}


@pytest.mark.parametrize("process", ["rack4", FIRST])
def test_a_worker_acts_for_its_name_and_for_the_processes_below_it(scene: Scene, process: str) -> None:
    worker = scene.worker("rack4")
    job = scene.job()

    (claimed,) = worker.post("/api/queue/settle", json=settling(process)).json()["claimed"]

    assert claimed["job"]["id"] == job.id
    assert scene.queue.get(job.id).worker_id == process


@pytest.mark.parametrize("process", ["rack5", "rack44.1.00000001", "rack4.x", "rack4.1.0000000g", "rack", "", "RACK4"])
def test_a_worker_acts_for_nobody_else(scene: Scene, process: str) -> None:
    worker = scene.worker("rack4")
    job = scene.job()

    answer = worker.post("/api/queue/settle", json=settling(process))

    assert answer.status_code == 403
    assert scene.queue.get(job.id).state == "pending"


def test_a_name_that_begins_like_another_one_is_another_worker(scene: Scene) -> None:
    """`rack.4` is a name, and no process of `rack`."""
    rack, rack_4 = scene.worker("rack"), scene.worker("rack.4")
    scene.job()

    assert rack.post("/api/workers/rack.4/heartbeat", json={}).status_code == 403
    assert rack_4.get("/api/jobs/claim").status_code == 200


def test_a_token_that_was_revoked_counts_no_more_at_the_next_request(scene: Scene) -> None:
    """R1-90."""
    people = scene.having(Role.VIEWER)
    assert people.get("/api/jobs").status_code == 200

    scene.accounts.revoke_token(TokenId(1), actor=ACTOR)

    answer = people.get("/api/jobs")
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_a_worker_that_was_disabled_gets_no_answer_from_its_next_request_on(scene: Scene) -> None:
    """R1-92, R1-96."""
    worker = scene.worker("rack4")
    scene.job()
    held = worker.get("/api/jobs/claim").json()["job"]

    scene.accounts.disable_worker("rack4", actor=ACTOR)

    told = {"worker_id": "rack4"}
    assert worker.post(f"/api/jobs/{held['id']}/complete", json=told).status_code == 401
    assert worker.post("/api/workers/rack4/heartbeat", json={}).status_code == 401
    scene.accounts.enable_worker("rack4", actor=ACTOR)
    assert worker.post("/api/workers/rack4/heartbeat", json={}).status_code == 200


def test_another_secret_is_the_only_one(scene: Scene) -> None:
    """R1-92."""
    worker = scene.worker("rack4")

    secret = scene.accounts.regenerate_secret("rack4", actor=ACTOR).secret.text

    assert worker.get("/api/jobs/claim").status_code == 401
    anew = scene.client({"X-Worker-ID": "rack4", "X-Worker-Secret": secret})
    assert anew.get("/api/jobs/claim").status_code == 204


def test_of_an_exclusive_worker_the_last_process_that_registers_is_the_only_one(scene: Scene) -> None:
    worker = scene.worker("rack4", is_exclusive=True)
    job = scene.job()
    worker.post("/api/queue/register", json=row(FIRST))
    worker.post("/api/queue/settle", json=settling(FIRST))
    assert scene.queue.get(job.id).worker_id == FIRST

    assert worker.post("/api/queue/register", json=row(SECOND)).status_code == 200

    assert scene.queue.get(job.id).worker_id is None
    for request in (row(FIRST), settling(FIRST)):
        path = "/api/queue/register" if "id" in request else "/api/queue/settle"
        answer = worker.post(path, json=request)
        assert (answer.status_code, answer.json()["code"]) == (409, "lease_lost")
    assert worker.post("/api/queue/register", json=row(SECOND)).status_code == 200
    assert scene.accounts_of("rack4").process == SECOND
    told = {known.id: known.status for known in scene.queue.workers()}
    assert told == {WorkerId(FIRST): "offline", WorkerId(SECOND): "online"}


def test_an_exclusive_worker_that_signs_in_anew_replaces_all_that_were_there(scene: Scene) -> None:
    """A client of the document's shape has no name for its process: it signs in when it begins."""
    worker = scene.worker("rack4", is_exclusive=True)
    worker.post("/api/queue/register", json=row(FIRST))
    job = scene.job()
    worker.post("/api/queue/settle", json=settling(FIRST))

    assert worker.post("/api/workers", json={"id": "rack4"}).status_code == 201

    assert scene.queue.get(job.id).worker_id is None
    assert worker.post("/api/queue/register", json=row(FIRST)).status_code == 409
    assert worker.post("/api/workers", json={"id": "rack4"}).status_code == 201


def test_several_processes_of_one_name_live_side_by_side(scene: Scene) -> None:
    worker = scene.worker("rack4")
    jobs = [scene.job("a"), scene.job("b")]

    for process in (FIRST, SECOND):
        worker.post("/api/queue/register", json=row(process))
        worker.post("/api/queue/settle", json=settling(process))
    worker.post("/api/queue/register", json=row(FIRST))

    assert {scene.queue.get(job.id).worker_id for job in jobs} == {FIRST, SECOND}


def test_who_begins_anew_without_a_name_for_its_process_holds_nothing(scene: Scene) -> None:
    worker = scene.worker("rack4")
    job = scene.job()
    worker.get("/api/jobs/claim")

    worker.post("/api/workers", json={"id": "rack4"})

    late = worker.post(f"/api/jobs/{job.id}/complete", json={"worker_id": "rack4"})
    assert late.status_code == 409
    assert scene.queue.get(job.id).state in ("pending", "failed")


def test_a_worker_that_drains_gets_nothing_more(scene: Scene) -> None:
    """R1-30."""
    worker = scene.worker("rack4")
    job = scene.job()
    scene.accounts.drain_worker("rack4", actor=ACTOR)
    exactly = {"process": FIRST, "exactly": [{"id": job.id, "rev": job.rev}]}

    assert worker.get("/api/jobs/claim").status_code == 204
    assert worker.post("/api/queue/settle", json=settling(FIRST)).json()["claimed"] == []
    assert worker.post("/api/queue/settle", json=exactly).json()["claimed"] == []
    assert worker.post("/api/workers/rack4/heartbeat", json={}).json()["drain"] is True
    scene.accounts.resume_worker("rack4", actor=ACTOR)
    assert worker.get("/api/jobs/claim").status_code == 200


@pytest.mark.parametrize(
    "path", ["/api/queue/register", "/api/queue/renew", "/api/workers", "/api/workers/rack4/heartbeat"]
)
def test_a_worker_whose_account_drains_is_shown_so_from_its_next_heartbeat_on(scene: Scene, path: str) -> None:
    worker, kept = scene.worker("rack4"), row("rack4")
    beat = {"/api/queue/register": kept, "/api/queue/renew": {"leases": [], "worker": kept}}.get(path, {})
    scene.accounts.drain_worker("rack4", actor=ACTOR)
    assert worker.post(path, json=beat).is_success
    (drained,) = scene.queue.workers()
    scene.accounts.resume_worker("rack4", actor=ACTOR)
    assert worker.post(path, json=beat).is_success
    (resumed,) = scene.queue.workers()

    assert (drained.status, drained.metadata["drained"]) == ("draining", "rack4")
    assert (resumed.status, resumed.metadata.get("drained")) == ("online", None)


def test_a_worker_says_of_no_account_that_it_drains(scene: Scene) -> None:
    worker = scene.worker("rack4")

    worker.post("/api/queue/register", json={**row(FIRST), "metadata": {"drained": "rack5", "slots": 2}})
    worker.post("/api/workers", json={"metadata": {"drained": "rack5", "slots": 2}})

    assert [dict(known.metadata) for known in scene.queue.workers()] == [{"slots": 2}, {"slots": 2}]


def test_a_worker_for_some_types_gets_no_other(scene: Scene) -> None:
    worker = scene.worker("rack4", types=["image"])
    job = scene.job(type="pdf")
    exactly = {"process": FIRST, "exactly": [{"id": job.id, "rev": job.rev}]}

    assert worker.get("/api/jobs/claim", params={"type": "pdf"}).status_code == 403
    assert worker.post("/api/queue/settle", json=settling(FIRST)).status_code == 403
    assert worker.post("/api/queue/settle", json=exactly).json()["claimed"] == []
    assert worker.get("/api/jobs/claim", params={"type": "image"}).status_code == 204


def test_a_worker_of_a_project_gets_nothing_of_another(scene: Scene) -> None:
    worker = scene.worker("rack4", project="other")
    job = scene.job()
    exactly = {"process": FIRST, "exactly": [{"id": job.id, "rev": job.rev}]}

    assert worker.get("/api/jobs/claim", params={"project": "default"}).status_code == 403
    named = {"process": FIRST, "claim": {"types": ["pdf"], "project": "default"}}
    assert worker.post("/api/queue/settle", json=named).status_code == 403
    assert worker.post("/api/queue/settle", json=settling(FIRST)).json()["claimed"] == []
    assert worker.post("/api/queue/settle", json=exactly).json()["claimed"] == []
    scene.job(project="other")
    assert worker.get("/api/jobs/claim", params={"project": "other"}).status_code == 200


def test_wrong_secrets_are_limited_by_address_for_a_minute(scene: Scene) -> None:
    wrong = scene.client({"Authorization": "Bearer bf_" + "0" * 32})

    answers = [wrong.get("/api/jobs") for _ in range(MOST_FAILURES + 1)]

    assert [answer.status_code for answer in answers] == [401] * MOST_FAILURES + [429]
    assert answers[-1].headers["retry-after"] == "60"
    assert str(MOST_FAILURES) in answers[-1].json()["error"]
    scene.passed[0] += WITHIN_SECONDS + 1
    assert wrong.get("/api/jobs").status_code == 401


def test_who_was_let_in_before_is_not_shut_out_by_the_mistakes_of_a_neighbour(scene: Scene) -> None:
    """Behind a proxy, or on one machine, many have the same address."""
    people, worker = scene.having(Role.VIEWER), scene.worker("rack4")
    wrong = scene.client({"X-Worker-ID": "rack4", "X-Worker-Secret": "bfw_" + "0" * 32})
    people.get("/api/jobs")
    worker.get("/api/jobs/claim")

    assert [wrong.get("/api/jobs/claim").status_code for _ in range(MOST_FAILURES + 1)][-1] == 429

    assert people.get("/api/jobs").status_code == 200
    assert worker.get("/api/jobs/claim").status_code == 204
    assert scene.having(Role.ADMIN).get("/api/jobs").status_code == 429


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer bfw_" + "0" * 32},
        {"X-Worker-ID": "rack4"},
        {"X-Worker-Secret": "bfw_" + "0" * 32},
        {"X-Worker-ID": "../..", "X-Worker-Secret": "bfw_" + "0" * 32},
        {"X-Worker-ID": "rack4", "X-Worker-Secret": "bf_" + "0" * 32},
    ],
)
def test_what_is_no_token_lets_nobody_in(scene: Scene, headers: dict[str, str]) -> None:
    scene.worker("rack4")

    answer = scene.client(headers).get("/api/jobs")

    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_wrong_name_and_a_wrong_secret_are_told_the_same(scene: Scene) -> None:
    scene.worker("rack4")
    told = []
    for name in ("rack4", "rack5"):
        client = scene.client({"X-Worker-ID": name, "X-Worker-Secret": "bfw_" + "0" * 32})
        told.append(client.get("/api/jobs/claim").json()["error"].replace(name, "NAME"))

    assert told[0] == told[1]


def test_of_an_exclusive_worker_the_service_record_is_kept_by_its_name(scene: Scene) -> None:
    """Also of what a process did that is replaced by now."""
    worker = scene.worker("rack4", is_exclusive=True)
    worker.post("/api/queue/register", json=row(FIRST))

    kept = worker.post("/api/queue/add-to-record", json={"name": "rack4", "more": {"completed": 1}})

    assert kept.status_code == 200, kept.text
    assert list(kept.json()["records"]) == ["rack4"]


@pytest.mark.parametrize("wanted", [{}, {"state": "pending"}])
def test_a_worker_that_asks_for_what_people_ask_hears_that_this_needs_a_token(
    scene: Scene, wanted: dict[str, str]
) -> None:
    answer = scene.worker("rack4").post("/api/queue/page", json={"wanted": wanted})

    assert answer.status_code == 403
    assert answer.json()["error"].startswith("worker rack4 sees its own jobs alone: what others have needs a token")
    assert "BLOBFORGE_TOKEN" in answer.json()["error"]
