"""Bytes that are not those that were announced."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from urllib.parse import urlsplit

import pytest
from tests.server_scene import SECONDS, Scene, document, hash_of
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role

HASH = hash_of("a")


@pytest.mark.parametrize("length", [-3, 3])
def test_a_body_of_another_length_than_was_signed_leaves_nothing(scene: Scene, length: int) -> None:
    people, plain = scene.having(Role.OPERATOR), scene.client()
    content = document("a")
    url = people.post("/api/jobs", json={"source_hash": HASH, "source_size": len(content)}).json()["upload_url"]

    answer = plain.put(url, content=(content + b"xxx")[: len(content) + length])

    assert is_problem(answer, 400, 413)
    assert list((scene.folder / "uploads").iterdir()) == []
    assert not (scene.folder / "store" / "incoming").exists()


@contextmanager
def ended_requests(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Iterator["Queue[tuple[str, str]]"]:
    """Methods and routes, each when all that belongs to the request has been done."""
    ended: Queue[tuple[str, str]] = Queue()
    answered = scene.parts.metrics.answered

    def noted(*, method: str, route: str, status: int, seconds: float) -> None:
        answered(method=method, route=route, status=status, seconds=seconds)
        ended.put((method, route))

    with monkeypatch.context() as patched:
        patched.setattr(scene.parts.metrics, "answered", noted)
        yield ended


def test_a_body_that_ends_before_its_length_leaves_nothing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    people = scene.having(Role.OPERATOR)
    url = urlsplit(people.post("/api/jobs", json={"source_hash": HASH}).json()["upload_url"])
    told = f"PUT {url.path}?{url.query} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf"

    # Its client is told nothing, and is gone before the server has tidied up: the server itself says when it is done.
    with ended_requests(scene, monkeypatch) as ended:
        with socket.create_connection((url.hostname, url.port)) as connection:
            connection.sendall(told.encode())
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1000)
        while ended.get(timeout=SECONDS) != ("PUT", "/blobs/{key:path}"):
            continue

    assert people.get("/api/jobs").status_code == 200
    assert list((scene.folder / "uploads").iterdir()) == []


@pytest.mark.parametrize(
    "route",
    ["POST /api/documents", "POST /api/queue/counts", "PUT /blobs/sources/x.pdf", "GET /livez", "POST /nowhere"],
)
def test_a_request_that_tells_its_length_in_two_ways_is_refused_and_nothing_after_it_is_read(
    scene: Scene, route: str
) -> None:
    """A proxy may have gone by the one and we by the other: what follows could be the request of somebody else."""
    address = urlsplit(scene.url)
    smuggled = "GET /version HTTP/1.1\r\nHost: x\r\n\r\n"
    told = (
        f"{route} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"
    )

    with socket.create_connection((address.hostname, address.port), SECONDS) as connection:
        connection.sendall(told.encode())
        answer = b"".join(iter(lambda: connection.recv(10_000), b""))

    assert answer.startswith(b"HTTP/1.1 400")
    assert b"application/problem+json" in answer
    assert answer.count(b"HTTP/1.1") == 1
    assert list((scene.folder / "uploads").iterdir()) == []


def test_bytes_that_are_not_those_of_the_hash_are_thrown_away(scene: Scene) -> None:
    people, plain = scene.having(Role.OPERATOR), scene.client()
    created = people.post("/api/jobs", json={"source_hash": HASH}).json()

    answer = plain.put(created["upload_url"], content=b"something else")

    assert is_problem(answer, 422)
    assert not (scene.folder / "store" / "sources").exists()
    assert is_problem(people.post(f"/api/jobs/{created['job_id']}/uploaded"), 404)
    assert plain.put(created["upload_url"], content=document("a")).status_code == 201


def test_a_document_without_bytes_or_with_a_name_from_elsewhere_is_refused(scene: Scene) -> None:
    people = scene.having(Role.OPERATOR)

    assert is_problem(people.post("/api/documents", content=b""), 422)
    assert is_problem(people.post("/api/documents", content=b"%PDF", params={"name": "../a.pdf"}), 400)
    assert is_problem(people.post("/api/documents", content=b"%PDF", params={"name": "a\nb.pdf"}), 400)
    assert is_problem(people.post("/api/documents", content=b"%PDF", params={"project": "A B"}), 400)
    assert is_problem(people.post("/api/documents", content=b"%PDF", params={"wait": "nan"}), 400)
    assert list((scene.folder / "uploads").iterdir()) == []
