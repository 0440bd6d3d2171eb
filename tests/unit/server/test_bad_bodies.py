"""Bytes that are not those that were announced."""

import socket
from urllib.parse import urlsplit

import pytest
from tests.server_scene import Scene, document, hash_of
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


def test_a_body_that_ends_before_its_length_leaves_nothing(scene: Scene) -> None:
    people = scene.having(Role.OPERATOR)
    url = urlsplit(people.post("/api/jobs", json={"source_hash": HASH}).json()["upload_url"])
    told = f"PUT {url.path}?{url.query} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf"

    with socket.create_connection((url.hostname, url.port)) as connection:
        connection.sendall(told.encode())
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1000)

    # The next request is answered after that one has ended.
    assert people.get("/api/jobs").status_code == 200
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
