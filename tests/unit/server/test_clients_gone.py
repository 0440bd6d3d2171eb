"""A client that is gone in the middle of what it did: nothing half is kept, and the next one finds the way free."""

import hashlib
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.e2e.program import until
from tests.server_scene import Scene, document, hash_of

from blobforge.domain.account import Role
from blobforge.domain.ids import JobId
from blobforge.domain.lifecycle import lacks_source
from blobforge.domain.uploads import PART_SIZE

CONTENT = document("a") * 100_000
HASH = hashlib.sha256(CONTENT).hexdigest()
LARGE_HASH = hash_of("a large one")
SIZE = PART_SIZE + 1


def announced(people: httpx2.Client) -> dict[str, Any]:
    found: dict[str, Any] = people.post("/api/jobs", json={"source_hash": HASH, "source_size": len(CONTENT)}).json()
    return found


def is_receiving(scene: Scene) -> bool:
    return any(scene.parts.files.workspace.iterdir())


def hung_up(scene: Scene, url: str, *, length: int, body: bytes) -> None:
    """A PUT that says its length, sends less, and hangs up once the server has some of it."""
    to = urlsplit(url)
    with socket.create_connection((to.hostname or "", to.port or 0), timeout=30) as connection:
        head = f"PUT {to.path}?{to.query} HTTP/1.1\r\nHost: {to.netloc}\r\nContent-Length: {length}\r\n\r\n"
        connection.sendall(head.encode() + body)
        until(lambda: is_receiving(scene))
    until(lambda: not is_receiving(scene))


@pytest.mark.parametrize("sent", [0, 100, len(CONTENT) - 1])
def test_half_a_document_is_no_document(scene: Scene, sent: int) -> None:
    people = scene.having(Role.OPERATOR)
    created = announced(people)

    hung_up(scene, created["upload_url"], length=len(CONTENT), body=CONTENT[:sent])

    assert list(scene.parts.files.blobs.list("")) == []
    assert lacks_source(scene.queue.get(JobId(created["job_id"])))
    again = announced(people)
    assert scene.client().put(again["upload_url"], content=CONTENT).status_code == 201
    assert not lacks_source(scene.queue.get(JobId(created["job_id"])))


def test_half_a_part_is_no_part(scene: Scene) -> None:
    people = scene.having(Role.OPERATOR)

    def asked() -> dict[str, Any]:
        message = {"source_hash": LARGE_HASH, "size": SIZE}
        found: dict[str, Any] = people.post("/api/queue/source-parts", json=message).json()
        return found

    hung_up(scene, asked()["parts"][0]["to"]["url"], length=PART_SIZE, body=b"x" * 1000)

    assert asked()["missing"] == 2


def test_half_a_document_to_be_converted_makes_no_job(scene: Scene) -> None:
    token = scene.token(Role.OPERATOR)
    to = urlsplit(scene.url)
    with socket.create_connection((to.hostname or "", to.port or 0), timeout=30) as connection:
        head = (
            f"POST /api/documents?wait=0 HTTP/1.1\r\nHost: {to.netloc}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Length: 1000\r\n\r\n"
        )
        connection.sendall(head.encode() + b"%PDF half")
        until(lambda: is_receiving(scene))
    until(lambda: not is_receiving(scene))

    assert scene.having(Role.VIEWER).get("/api/jobs").json()["jobs"] == []


def test_who_hangs_up_before_the_answer_has_done_it_all_the_same(scene: Scene) -> None:
    """The bytes are there and looked at: the next who says so hears that they are."""
    people = scene.having(Role.OPERATOR)
    created = announced(people)

    def sent(url: str, method: str, headers: str, body: bytes) -> None:
        to = urlsplit(url)
        with socket.create_connection((to.hostname or "", to.port or 0), timeout=30) as connection:
            length = f"Content-Length: {len(body)}\r\n"
            head = f"{method} {to.path}?{to.query} HTTP/1.1\r\nHost: {to.netloc}\r\n{headers}{length}\r\n"
            connection.sendall(head.encode() + body)

    sent(created["upload_url"], "PUT", "", CONTENT)

    until(is_there(scene, created["job_id"]))
    assert people.post(f"/api/jobs/{created['job_id']}/uploaded").status_code == 200


def is_there(scene: Scene, job_id: int) -> Callable[[], bool]:
    return lambda: not lacks_source(scene.queue.get(JobId(job_id)))


def test_who_hears_no_answer_and_says_it_again_does_no_harm(scene: Scene) -> None:
    people, content = scene.having(Role.OPERATOR), document("a")
    asked = {"source_hash": hash_of("a"), "size": len(content)}
    given = people.post("/api/queue/source-upload", json=asked).json()
    assert scene.client().put(given["to"]["url"], content=content).is_success
    placed = {"source_hash": hash_of("a"), "upload": given["upload"]}

    first, second = (people.post("/api/queue/source-placed", json=placed) for _ in range(2))

    assert (first.status_code, second.status_code) == (200, 404)
    assert "upload it" in second.json()["detail"]
    with suppress(httpx2.TransportError):
        scene.client().put(given["to"]["url"], content=b"x" * len(content))
    (stored,) = scene.parts.files.blobs.list("sources/")
    with scene.parts.files.blobs.open(stored.key) as stream:
        assert stream.read() == content
