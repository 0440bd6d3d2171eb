"""What is published is a result: any other bytes that a worker uploads complete no job."""

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from tests.server_scene import Scene
from tests.unit.conversion.results import archive_bytes
from tests.unit.server.problems import is_problem
from tests.unit.server.test_late_workers import FIRST, claimed, ending, published, told, uploaded

from blobforge.domain.errors import ResultDamaged
from blobforge.domain.uploads import parse_upload_id
from blobforge.ports.blob_store import BlobKey
from blobforge.server.archives import MOST_AT_ONCE, require_result

MEGABYTE = 1 << 20


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, body in members:
            archive.writestr(name, body)
    return content.getvalue()


def with_changed_byte() -> bytes:
    good = archive_bytes("some text that is damaged")
    return good.replace(b"damaged", b"DAMAGED", 1)


def encrypted() -> bytes:
    """Says of its first file that it is, in both places where that is said."""
    content = bytearray(zipped(("document.md", b"text")))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def listing_more_than_is_read_at_once() -> bytes:
    """One file, and a list that says of it a comment of 17 megabytes: such a list alone would fill the memory."""
    content = zipped(("document.md", b"text"))
    start, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    directory = content[start:end] * (17 * MEGABYTE // (end - start))
    count = 17 * MEGABYTE // (end - start)
    tail = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, min(count, 65_535), min(count, 65_535), len(directory), start, 0
    )
    return content[:start] + directory + tail


BAD: dict[str, Callable[[], bytes]] = {
    "no archive": lambda: b"any bytes of the right size",
    "nothing": lambda: b"",
    "a part of one": lambda: archive_bytes("x" * 1000)[:600],
    "an empty one": zipped,
    "a folder alone": lambda: zipped(("assets/", b"")),
    "other bytes than its checksum": with_changed_byte,
    "encrypted": encrypted,
    "a way out": lambda: archive_bytes(more={"../../etc/passwd": b"x"}),
    "a drive": lambda: archive_bytes(more={"C:x": b"x"}),
    "a bomb": lambda: zipped(("document.md", bytes(100 * MEGABYTE)), method=zipfile.ZIP_DEFLATED),
    "many small bombs": lambda: zipped(
        *((f"assets/{number}.png", bytes(15 * MEGABYTE)) for number in range(6)), method=zipfile.ZIP_DEFLATED
    ),
    "a method that takes memory": lambda: zipped(("document.md", b"text"), method=zipfile.ZIP_LZMA),
    "a list without end": listing_more_than_is_read_at_once,
    "an account that is no object": lambda: zipped(("document.md", b"text"), ("info.json", b"[]")),
    "an account that is no JSON": lambda: zipped(("document.md", b"text"), ("info.json", b"{")),
    "an account without end": lambda: zipped(
        ("document.md", b"text"), ("info.json", b'{"a":"' + b"x" * (MOST_AT_ONCE + 1) + b'"}')
    ),
}


@pytest.mark.parametrize("made", BAD.values(), ids=BAD)
def test_what_is_no_result_is_refused_without_being_held_in_memory(made: Callable[[], bytes]) -> None:
    content = made()
    stream = io.BytesIO(content)
    tracemalloc.start()
    try:
        with pytest.raises(ResultDamaged, match="upload 1"):
            require_result(stream, "upload 1", is_recorded=False)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < 3 * MOST_AT_ONCE


def test_a_result_of_ours_has_an_account_of_itself_and_one_of_another_program_need_not(scene: Scene) -> None:
    foreign = zipped(("report.md", b"# A report" * 100), method=zipfile.ZIP_DEFLATED)

    require_result(io.BytesIO(foreign), "upload 1", is_recorded=False)
    require_result(io.BytesIO(archive_bytes()), "upload 1", is_recorded=True)
    with pytest.raises(ResultDamaged, match=r"no readable info\.json"):
        require_result(io.BytesIO(foreign), "upload 1", is_recorded=True)


@pytest.mark.parametrize("bad", ["no archive", "a way out", "other bytes than its checksum"])
def test_bytes_that_are_no_result_complete_no_job_by_the_queue_protocol(scene: Scene, bad: str) -> None:
    worker = scene.worker("rack4")
    job = scene.job()
    lease = claimed(worker, FIRST)

    outcome = told(worker, ending(lease, uploaded(scene, worker, lease, BAD[bad]())))

    assert outcome["error"]["code"] == "result_damaged"
    assert str(scene.folder) not in outcome["error"]["message"]
    assert published(scene) == {}
    assert scene.queue.get(job.id).state == "running"
    # Its worker may make it anew under the same lease.
    assert told(worker, ending(lease, uploaded(scene, worker, lease, archive_bytes())))["error"] is None


def test_what_is_uploaded_again_between_the_look_and_the_publication_is_not_published(scene: Scene) -> None:
    """Its worker has the address for an hour, and may send other bytes at any moment."""
    worker, results = scene.worker("rack4"), scene.parts.files.results
    job = scene.job()
    lease = claimed(worker, FIRST)
    content = archive_bytes("looked at")
    upload = uploaded(scene, worker, lease, content)
    key = BlobKey(parse_upload_id(upload["id"], job_id=job.id).key)
    right = results._looked_at

    def looked_at_and_replaced(*given: Any) -> Any:
        found = right(*given)
        other = scene.folder / "other.zip"
        other.write_bytes(b"other bytes")
        scene.parts.files.blobs.put(key, other)
        return found

    results._looked_at = looked_at_and_replaced  # type: ignore[method-assign, assignment]

    assert told(worker, ending(lease, upload))["error"] is None

    assert set(published(scene).values()) == {content}
    assert list(scene.parts.files.blobs.list("outputs/.attempts/")) == []


@pytest.mark.parametrize("bad", ["no archive", "nothing", "a bomb"])
def test_bytes_that_are_no_result_complete_no_job_by_the_public_api(scene: Scene, bad: str) -> None:
    worker = scene.worker("rack4")
    job = scene.job()
    claim = worker.get("/api/jobs/claim").json()
    scene.client().put(claim["upload_url"], content=BAD[bad]())

    answer = worker.post(f"/api/jobs/{job.id}/complete", json={"worker_id": "rack4"})

    assert is_problem(answer, 409)
    assert answer.json()["code"] == "result_damaged"
    assert str(scene.folder) not in answer.text
    assert published(scene) == {}
    assert scene.queue.get(job.id).state == "running"
    scene.client().put(claim["upload_url"], content=archive_bytes())
    assert worker.post(f"/api/jobs/{job.id}/complete", json={"worker_id": "rack4"}).status_code == 200
