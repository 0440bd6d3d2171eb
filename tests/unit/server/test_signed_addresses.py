"""What a signed address of the server allows, and nothing else."""

from urllib.parse import parse_qs, quote, urlencode, urlsplit

import httpx2
import pytest
from tests.server_scene import Scene, document, hash_of
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.ports.blob_store import BlobKey

CONTENT = document("a")


@pytest.fixture
def plain(scene: Scene) -> httpx2.Client:
    return scene.client()


@pytest.fixture
def upload_url(scene: Scene) -> str:
    people = scene.having(Role.OPERATOR)
    created = people.post("/api/jobs", json={"source_hash": hash_of("a"), "source_size": len(CONTENT)})
    return str(created.json()["upload_url"])


@pytest.fixture
def download_url(scene: Scene) -> str:
    people = scene.having(Role.VIEWER)
    return str(people.get(f"/api/files/{scene.job('a').id}/source").json()["url"])


def changed(url: str, *, key: str | None = None, **query: str | int | None) -> str:
    parts = urlsplit(url)
    said = {name: values[0] for name, values in parse_qs(parts.query).items()} | query
    path = parts.path if key is None else f"/blobs/{quote(key)}"
    return f"{parts.scheme}://{parts.netloc}{path}?{urlencode({k: v for k, v in said.items() if v is not None})}"


def test_it_reads_a_blob_and_any_part_of_it(plain: httpx2.Client, download_url: str) -> None:
    assert plain.get(download_url).content == CONTENT
    part = plain.get(download_url, headers={"Range": "bytes=1-3"})
    assert (part.status_code, part.content) == (206, CONTENT[1:4])


@pytest.mark.parametrize(
    "change",
    [
        {"key": f"sources/{hash_of('b')}.pdf"},
        {"key": "../queue.db"},
        {"key": "sources/../../queue.db"},
        {"key": "/etc/passwd"},
        {"method": "PUT"},
        {"expires": 2**40},
        {"expires": 10**30},
        {"signature": "0" * 64},
        {"signature": ""},
        {"signature": "é"},
    ],
)
def test_an_address_that_was_changed_reads_nothing(
    scene: Scene, plain: httpx2.Client, download_url: str, change: dict[str, object]
) -> None:
    scene.store("b")

    # A path that leaves the addresses of blobs is none of theirs.
    assert is_problem(plain.get(changed(download_url, **change)), 403, 404)  # type: ignore[arg-type]


def test_an_address_to_read_writes_nothing(scene: Scene, plain: httpx2.Client, download_url: str) -> None:
    for url in (download_url, changed(download_url, method="PUT"), changed(download_url, method="PUT", size=3)):
        assert is_problem(plain.put(url, content=b"new"), 403)

    assert (scene.folder / "store" / "sources" / f"{hash_of('a')}.pdf").read_bytes() == CONTENT


def test_an_address_to_write_reads_nothing(plain: httpx2.Client, upload_url: str) -> None:
    assert is_problem(plain.get(upload_url), 403)
    assert is_problem(plain.get(changed(upload_url, method="GET", size=None)), 403)


@pytest.mark.parametrize(
    "change",
    [
        {"key": f"sources/{hash_of('a')}.pdf"},
        {"key": "incoming/2-0123456789abcdef"},
        {"size": len(CONTENT) + 1},
        {"size": None},
        {"expires": 2**40},
        {"signature": "f" * 64},
    ],
)
def test_an_address_that_was_changed_writes_nothing(
    scene: Scene, plain: httpx2.Client, upload_url: str, change: dict[str, object]
) -> None:
    answer = plain.put(changed(upload_url, **change), content=CONTENT)  # type: ignore[arg-type]

    assert is_problem(answer, 403)
    assert list(scene.parts.files.blobs.list("")) == []


def test_an_address_ends_after_an_hour(scene: Scene, plain: httpx2.Client, upload_url: str, download_url: str) -> None:
    scene.clock.advance(seconds=3599)
    assert plain.get(download_url).status_code == 200

    scene.clock.advance(seconds=1)

    assert is_problem(plain.get(download_url), 403)
    assert is_problem(plain.put(upload_url, content=CONTENT), 403)


def test_another_server_has_another_key(scene: Scene, plain: httpx2.Client, download_url: str) -> None:
    scene.parts.files.own_urls._secret = b"another one"

    assert is_problem(plain.get(download_url), 403)


def test_nobody_is_given_an_address_that_writes_a_final_key(scene: Scene, upload_url: str) -> None:
    worker = scene.worker("rack4")
    scene.job("b")
    claim = worker.get("/api/jobs/claim").json()

    assert urlsplit(upload_url).path.startswith("/blobs/incoming/")
    assert urlsplit(claim["upload_url"]).path.startswith("/blobs/outputs/.attempts/")


def test_what_is_written_again_between_the_look_and_the_publication_is_not_published(
    scene: Scene, plain: httpx2.Client, upload_url: str
) -> None:
    """Whoever has the address may send other bytes at any moment: here as soon as the first were read."""
    sources, blobs = scene.parts.files.sources, scene.parts.files.blobs
    key = BlobKey(urlsplit(upload_url).path.removeprefix("/blobs/"))
    right = sources._hash
    other = scene.folder / "other.pdf"

    def read_and_replaced(read: BlobKey) -> tuple[str, int]:
        found = right(read)
        other.write_bytes(b"other bytes")
        blobs.put(key, other)
        return found

    sources._hash = read_and_replaced  # type: ignore[method-assign, assignment]

    assert plain.put(upload_url, content=CONTENT).status_code == 201

    assert (scene.folder / "store" / "sources" / f"{hash_of('a')}.pdf").read_bytes() == CONTENT
