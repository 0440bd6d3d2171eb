"""What makes no sense is answered with what is wrong with it, and never with a failure of the server."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.server_scene import Scene, hash_of, scene_in
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import NewJob
from blobforge.server.bodies import LARGEST_BODY

HASH = hash_of("a")
HUGE = 2**70
NEW = {"project": "default", "type": "pdf", "source_hash": HASH}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One for all: nothing that is refused changes anything."""
    with scene_in(tmp_path_factory.mktemp("server")) as scene:
        yield scene


@pytest.fixture(scope="module")
def people(scene: Scene) -> httpx2.Client:
    return scene.having(Role.ADMIN)


@pytest.fixture(scope="module")
def worker(scene: Scene) -> httpx2.Client:
    return scene.worker("rack4")


@pytest.mark.parametrize(
    "message",
    [
        {"source_hash": HASH.upper()},
        {"source_hash": HASH[:-1]},
        {"source_hash": 7},
        {"source_hash": None},
        {},
        {"source_hash": HASH, "type": "PDF"},
        {"source_hash": HASH, "type": "../pdf"},
        {"source_hash": HASH, "project": "a/b"},
        {"source_hash": HASH, "source_path": "a\x00b"},
        {"source_hash": HASH, "source_path": "a\nb"},
        {"source_hash": HASH, "source_path": "../../etc/passwd"},
        {"source_hash": HASH, "source_path": "..\\boot.ini"},
        {"source_hash": HASH, "source_path": "a" * 5000},
        {"source_hash": HASH, "source_size": -1},
        {"source_hash": HASH, "source_size": HUGE},
        {"source_hash": HASH, "source_size": 1.5},
        {"source_hash": HASH, "priority": "urgent"},
        {"source_hash": HASH, "max_attempts": 0},
        {"source_hash": HASH, "max_attempts": HUGE},
        {"source_hash": HASH, "tags": "dnd"},
        {"source_hash": HASH, "tags": ["a\x00"]},
        {"source_hash": HASH, "tags": ["x"] * 101},
        {"source_hash": HASH, "metadata": [1]},
        {"source_hash": HASH, "metadata": {"password_file": "/etc/shadow"}},
        {"source_hash": HASH, "unknown": True},
        [],
        "text",
        None,
    ],
)
def test_a_job_that_makes_no_sense_is_refused(scene: Scene, people: httpx2.Client, message: object) -> None:
    before = people.get("/api/jobs").json()["total"]

    assert is_problem(people.post("/api/jobs", json=message), 400)

    assert people.get("/api/jobs").json()["total"] == before


@pytest.mark.parametrize("text", [b'{"source_hash": "\\ud800"}', b"{", b"\xff\xfe", b"[" * 5000, b"1" * 5000, b"NaN"])
def test_what_is_no_json_is_refused(people: httpx2.Client, text: bytes) -> None:
    answer = people.post("/api/jobs", content=text, headers={"Content-Type": "application/json"})

    assert is_problem(answer, 400)


@pytest.mark.parametrize(
    "metadata", ['{"a": "\\ud800"}', '{"a": NaN}', '{"a": -Infinity}', '{"a":' * 150 + "1" + "}" * 150]
)
def test_metadata_that_could_not_be_written_again_is_refused(people: httpx2.Client, metadata: str) -> None:
    text = f'{{"source_hash": "{HASH}", "metadata": {metadata}}}'

    assert is_problem(people.post("/api/jobs", content=text, headers={"Content-Type": "application/json"}), 400)


def test_metadata_is_kept_as_it_is(people: httpx2.Client) -> None:
    metadata = {"a": 10**40, "b": [None, 1.5, "\u2028 \U0001f600"], "c": {"d": {}}}

    job_id = people.post("/api/jobs", json={"source_hash": HASH, "metadata": metadata}).json()["job_id"]

    assert people.get(f"/api/jobs/{job_id}").json()["metadata"] == metadata


def test_half_a_character_in_what_others_queued_is_shown_as_a_mark(scene: Scene, people: httpx2.Client) -> None:
    new = NewJob(project="default", type="pdf", source_hash=SourceHash(hash_of("half")), metadata='{"name":"\\udcff"}')
    job = scene.queue.submit([new])[0].job

    assert people.get("/api/jobs").status_code == 200
    assert people.get(f"/api/jobs/{job.id}").json()["metadata"] == {"name": "?"}


@pytest.mark.parametrize("length", [LARGEST_BODY + 1, 10 * 1024 * 1024])
def test_a_body_that_is_too_large_is_told_the_limit(people: httpx2.Client, length: int) -> None:
    body = json.dumps({"source_hash": HASH, "metadata": {"a": "x" * length}})

    for content in (body.encode(), iter([body.encode()])):
        answer = people.post("/api/jobs", content=content, headers={"Content-Type": "application/json"})
        assert is_problem(answer, 413)
        assert f"{LARGEST_BODY:,}" in answer.json()["error"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/jobs/{}"),
        ("DELETE", "/api/jobs/{}"),
        ("POST", "/api/jobs/{}/retry"),
        ("POST", "/api/jobs/{}/uploaded"),
        ("GET", "/api/jobs/{}/markdown"),
        ("GET", "/api/files/{}/source"),
        ("GET", "/api/files/{}/output"),
        ("DELETE", "/api/admin/tokens/{}"),
    ],
)
def test_a_number_that_no_job_has_is_not_found_and_what_is_none_is_refused(
    people: httpx2.Client, method: str, path: str
) -> None:
    body: dict[str, str] | None = {} if method == "POST" else None

    for number in ("0", "-1", "999", str(2**63 - 1), str(2**63), str(HUGE), "9" * 400):
        assert is_problem(people.request(method, path.format(number), json=body), 404)
    for number in ("abc", "1.5", "0x10", "%00", "1e3", " ", "9" * 5000):
        assert is_problem(people.request(method, path.format(number), json=body), 400, 404)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("get-many", {"ids": [HUGE]}),
        ("get-many", {"ids": ["a"]}),
        ("get-many", {"ids": [1] * 1001}),
        ("history", {"id": HUGE}),
        ("cancel", {"id": -5}),
        ("reprioritize", {"id": 1, "priority": 0}),
        ("page", {"wanted": {}, "after": HUGE}),
        ("page", {"wanted": {}, "limit": 0}),
        ("page", {"wanted": {"state": "gone"}}),
        ("page", {"wanted": {"since": "2026-01-01T00:00:00"}}),
        ("page", {"wanted": {"search": "a\x00"}}),
        ("count", {"wanted": {}, "most": -1}),
        ("find", {"keys": [{"project": "default"}]}),
        ("find-by-prefix", {"prefix": "%", "project": "default"}),
        ("find-by-prefix", {"prefix": "", "project": "default"}),
        ("submit", {"jobs": [{"project": "default", "type": "pdf", "source_hash": "no hash"}]}),
        ("submit", {"jobs": [{"project": "", "type": "pdf", "source_hash": HASH}]}),
        ("submit", {"jobs": [{"project": "default", "type": "p d f", "source_hash": HASH}]}),
        ("submit", {"jobs": [{"project": "default", "type": "pdf", "source_hash": HASH, "priority": 9}]}),
        ("submit", {"jobs": [{"project": "default", "type": "pdf", "source_hash": HASH, "source_path": "../x"}]}),
        ("submit", {"jobs": [{"project": "default", "type": "pdf", "source_hash": HASH, "metadata": "no json"}]}),
        ("submit", {"jobs": [{"project": "default", "type": "pdf", "source_hash": HASH, "tags": "{}"}]}),
        (
            "submit",
            {"jobs": [{"project": "default", "type": "pdf", "source_hash": HASH, "metadata": '{"password_file":1}'}]},
        ),
        ("expect-source", {"id": 1, "until": "soon"}),
        ("expect-source", {"id": 1, "until": "2026-01-01T00:00:00"}),
        ("retry-unchanged", {"jobs": [{"id": 1, "rev": HUGE}]}),
        ("record-files", {"files": [{"job_id": 1, "file": {"role": "x"}}]}),
        ("blob-url", {"key": "sources/" + "a" * 400}),
        ("news", {"timeout": -1}),
        ("news", {"timeout": "soon"}),
    ],
)
def test_a_message_of_the_queue_that_makes_no_sense_is_refused(
    scene: Scene, people: httpx2.Client, path: str, body: object
) -> None:
    scene.job("z")

    assert is_problem(people.post(f"/api/queue/{path}", json=body), 400)


@pytest.mark.parametrize("path", ["amend", "retry", "reprocess"])
def test_another_order_names_no_file_of_a_worker_either(scene: Scene, people: httpx2.Client, path: str) -> None:
    job = scene.job(path)
    order = '{"password_file": "/etc/shadow"}'
    body = {"id": job.id, "rev": job.rev, "metadata": order}

    answer = people.post(f"/api/queue/{path}", json={"jobs": [body]} if path == "reprocess" else body)

    assert is_problem(answer, 400)
    assert scene.queue.get(job.id) == job


@pytest.mark.parametrize(
    "body",
    [
        {"process": "rack4", "claim": {"types": []}},
        {"process": "rack4", "claim": {"types": ["pdf"], "limit": 0}},
        {"process": "rack4", "claim": {"types": ["pdf"], "limit": HUGE}},
        {"process": "rack4", "claim": {"types": ["a\x00b"]}},
        {"process": "rack4\n", "claim": {"types": ["pdf"]}},
        {"process": "rack4", "endings": [{"kind": "finished", "lease": {}}]},
        {"process": "rack4", "endings": [{"kind": "completed"}]},
        {"process": "rack4", "exactly": [{"id": HUGE, "rev": 1}]},
        {},
    ],
)
def test_a_claim_that_makes_no_sense_is_refused(worker: httpx2.Client, body: object) -> None:
    assert is_problem(worker.post("/api/queue/settle", json=body), 400)


@pytest.mark.parametrize("token", ["", "é", "0" * 32, "x" * 10_000])
def test_a_lease_with_another_token_is_nobodys(scene: Scene, worker: httpx2.Client, token: str) -> None:
    job = scene.job("claimed", type="image")
    held = worker.get("/api/jobs/claim", params={"type": "image"}).json()["job"]
    lease = {"worker_id": "rack4", "lease_number": held["lease_number"], "lease_token": token}

    for ending in ("complete", "fail", "release"):
        body = {**lease, "error": "x"} if ending == "fail" else lease
        assert is_problem(worker.post(f"/api/jobs/{job.id}/{ending}", json=body), 409)
    assert scene.queue.get(job.id).state == "running"


@pytest.mark.parametrize("timeout", ["-1", "nan", "soon", ""])
def test_a_time_to_wait_that_is_none_is_refused(worker: httpx2.Client, timeout: str) -> None:
    assert is_problem(worker.get("/api/jobs/claim", params={"type": "nothing", "timeout": timeout}), 400)


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 501}, {"status": "done"}, {"after": "x"}, {"after": "٣"}])
def test_a_list_that_makes_no_sense_is_refused(people: httpx2.Client, query: dict[str, str]) -> None:
    assert is_problem(people.get("/api/jobs", params=query), 400)


def test_a_cursor_beyond_all_jobs_gives_the_newest(scene: Scene, people: httpx2.Client) -> None:
    job = scene.job("newest")

    page = people.get("/api/jobs", params={"after": "9" * 20}).json()

    assert page["jobs"][0]["id"] == job.id


@pytest.mark.parametrize(
    "message",
    [
        {"progress": {"percent": HUGE}},
        {"progress": {"stage": "a\x00"}},
        {"progress": 7},
        {"current_job_id": HUGE},
        {"current_job_id": "x"},
    ],
)
def test_a_sign_of_life_that_makes_no_sense_is_no_failure(scene: Scene, worker: httpx2.Client, message: object) -> None:
    assert worker.post("/api/workers/rack4/heartbeat", json=message).status_code in (200, 400)
    assert scene.having(Role.VIEWER).get("/api/queue/workers").status_code == 200


def test_a_ways_and_means_that_do_not_exist_are_problems_too(people: httpx2.Client) -> None:
    assert is_problem(people.get("/api/nothing"), 404)
    assert is_problem(people.put("/api/jobs", json={}), 405)


@pytest.mark.parametrize(
    "body",
    [
        {"id": ""},
        {"id": "a b"},
        {"id": "a" * 65},
        {"id": "../x"},
        {"id": "a", "types": ["P D F"]},
        {"id": "a", "project": "A"},
        {"id": "a", "secret": "bfw_mine"},
    ],
)
def test_an_account_that_makes_no_sense_is_refused(people: httpx2.Client, body: object) -> None:
    assert is_problem(people.post("/api/admin/workers", json=body), 400)


@pytest.mark.parametrize(
    "body",
    [
        {"role": "root"},
        {"role": "viewer", "expires_in_days": 0},
        {"role": "viewer", "expires_in_days": 1e300},
        {"role": "viewer", "description": "a\nb"},
        {"role": "viewer", "description": "a" * 201},
        {"role": "viewer", "project": "A"},
    ],
)
def test_a_token_that_makes_no_sense_is_refused(people: httpx2.Client, body: object) -> None:
    assert is_problem(people.post("/api/admin/tokens", json=body), 400)


@pytest.mark.parametrize("query", ["q=%00", "tag=a%00b", "project=%00", "state=%00", "type=p%00f"])
def test_a_nul_in_a_query_is_refused_on_every_queue(scene: Scene, query: str) -> None:
    """PostgreSQL refuses it as an error of its own, which looked as if it were away."""
    answer = scene.having(Role.VIEWER).get(f"/api/jobs?{query}")

    assert answer.status_code == 400
    assert "NUL" in answer.json()["detail"]


def test_a_document_that_is_larger_than_the_server_takes_is_refused_before_its_job_is_made(tmp_path: Path) -> None:
    with scene_in(tmp_path, largest_document=1_000) as scene:
        people = scene.having(Role.OPERATOR)

        refused = people.post("/api/jobs", json={**NEW, "source_size": 1_001})

        assert is_problem(refused, 413)
        assert "1001 bytes are more than the 1000 of the largest document" in refused.json()["error"]
        assert scene.queue.counts() == {}
        assert people.post("/api/jobs", json={**NEW, "source_size": 1_000}).status_code == 201
