"""Large files in parts, over a folder and over a bucket: what was interrupted goes on with what is missing."""

import asyncio
import hashlib
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

import httpx2
import pytest
from tests.http_server import served
from tests.seaweed import Seaweed
from tests.server_parts import Store, bucket_of, files_in, parts_over, store_in
from tests.unit.conversion.results import archive_bytes

from blobforge import AsyncClient, Client
from blobforge.blobs.http.store import HttpBlobStore, ResultUploads
from blobforge.client import bringing
from blobforge.client.connection import Connection, Credentials
from blobforge.client.held_leases import HeldLeases
from blobforge.coordination.http.coordinator import HttpCoordinator
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed
from blobforge.domain.errors import LeaseLost, SourceChanged, SourceDamaged, StoreUnavailable
from blobforge.domain.ids import RecipeId, SourceHash, WorkerId
from blobforge.domain.json_value import canonical_json
from blobforge.domain.loose_json import json_in, object_in
from blobforge.domain.uploads import PART_SIZE
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobKey, result_key, source_key
from blobforge.ports.job_store import Queue
from blobforge.server import multipart_in
from blobforge.server.app import create_app
from blobforge.testing.clock import FakeClock
from blobforge.wire import paths
from blobforge.wire.multipart import PartsAnswer, ResultPartsRequest, SourcePartsRequest

CONTENT = b"%PDF" + b"".join(bytes([letter]) * PART_SIZE for letter in b"ab") + b"the end"
HASH = SourceHash(hashlib.sha256(CONTENT).hexdigest())
KEY = source_key(HASH)
RECIPE = RecipeId("0123456789abcdef")
WORKER = WorkerId("rack4.11.00000001")
PARTS = 3


class BreakingConnection(Connection):
    """Breaks when as many files, or parts of them, were sent as it is told; counts them."""

    sent = 0
    most = 1_000

    def put(self, url: str, file: Any, **more: Any) -> None:
        if self.sent == self.most:
            raise StoreUnavailable("the connection broke")
        self.sent += 1
        super().put(url, file, **more)


class Sender(NamedTuple):
    connection: BreakingConnection
    blobs: HttpBlobStore
    queue: HttpCoordinator
    leases: HeldLeases


class Site:
    def __init__(self, folder: Path, store: Store, stack: ExitStack) -> None:
        self.clock = FakeClock()
        self.folder = folder
        self.store = store
        self.queue = CoordinationService(MemoryJobStore(), clock=self.clock, lease_for=timedelta(days=9))
        self.files = files_in(folder, self.clock, self.queue, store=store)
        self._stack = stack
        parts = parts_over(self.queue, self.clock, self.files)
        self.url = stack.enter_context(served(create_app(parts, ticks=False)))
        self.files.own_urls._public_url = self.url

    def sender(self, *, breaks_after: int = 1_000, project: str = "default") -> Sender:
        """A process of its own."""
        connection = BreakingConnection(self.url, Credentials())
        connection.most = breaks_after
        self._stack.callback(connection.close)
        leases = HeldLeases()
        blobs = HttpBlobStore(connection, leases, project=project)
        return Sender(connection, blobs, HttpCoordinator(connection, leases), leases)

    def file(self, content: bytes = CONTENT) -> Path:
        path = self.folder / "document.pdf"
        path.write_bytes(content)
        return path

    def stored(self, key: BlobKey) -> bytes:
        with self.files.blobs.open(key) as stream:
            return stream.read()

    def is_tidy(self) -> bool:
        """Nothing is left of what was on its way."""
        later = timedelta(days=100_000)
        return not [
            *self.store.multipart.abandoned("", before=self.clock.now() + later),
            *self.files.blobs.list("incoming/"),
            *self.files.blobs.list("outputs/.attempts/"),
        ]

    def asked(self, *, project: str = "default", size: int = len(CONTENT)) -> PartsAnswer:
        request = SourcePartsRequest(project=project, source_hash=HASH, size=size)
        return self.sender().connection.post(paths.SOURCE_PARTS, request, PartsAnswer)


@pytest.fixture(params=["folder", "bucket"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        if request.param == "folder":
            store = store_in(tmp_path)
        else:
            seaweed: Seaweed = request.getfixturevalue("seaweed")
            place = Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access)
            store = bucket_of(stack.enter_context(closing(ObjectStore(place))))
        yield Site(tmp_path, store, stack)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bringing, "PAUSES", (0.0, 0.0))


@pytest.fixture
def plain() -> Iterator[httpx2.Client]:
    """Somebody without keys."""
    with httpx2.Client(timeout=60) as client:
        yield client


def submitted_by_thread(url: str, source: Any) -> None:
    with Client(url) as client:
        client.submit(source, name="document.pdf")


def submitted_in_loop(url: str, source: Any) -> None:
    async def submit() -> None:
        async with AsyncClient(url) as client:
            await client.submit(source, name="document.pdf")

    asyncio.run(submit())


@pytest.mark.parametrize("submit", [submitted_by_thread, submitted_in_loop])
def test_a_large_document_is_in_its_place_and_its_job_is_ready(site: Site, submit: Callable[[str, Any], None]) -> None:
    submit(site.url, site.file())

    assert site.stored(KEY) == CONTENT
    assert site.is_tidy()
    assert len(site.queue.claim(Queue("default", ("pdf",)), worker_id=WORKER)) == 1


def test_a_document_in_memory_is_sent_in_parts_as_well(site: Site) -> None:
    submitted_by_thread(site.url, CONTENT)

    assert site.stored(KEY) == CONTENT


def test_another_process_goes_on_with_the_parts_that_are_missing(site: Site) -> None:
    first, second = site.sender(breaks_after=2), site.sender()
    with pytest.raises(StoreUnavailable, match="the connection broke"):
        first.blobs.put(KEY, site.file())
    assert site.files.blobs.stat(KEY) is None

    second.blobs.put(KEY, site.file())

    assert (first.connection.sent, second.connection.sent) == (2, PARTS - 2)
    assert site.stored(KEY) == CONTENT
    assert site.is_tidy()


def test_a_connection_that_breaks_once_costs_one_part(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    sender = site.sender(breaks_after=2)
    # It is there again when its owner has waited.
    monkeypatch.setattr("blobforge.client.steps.time.sleep", lambda _: setattr(sender.connection, "most", 1_000))

    sender.blobs.put(KEY, site.file())

    assert sender.connection.sent == PARTS
    assert site.stored(KEY) == CONTENT


def test_an_address_that_expires_in_the_middle_is_replaced(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multipart_in, "AT_ONCE", 1)
    path = site.file()

    class Expiring(BreakingConnection):
        def put(self, url: str, file: Any, **more: Any) -> None:
            # The address of the second part has ended when it is used.
            hour = timedelta(hours=1)
            monkeypatch.setattr(multipart_in, "VALID_FOR", hour if self.sent else timedelta(0))
            super().put(url, file, **more)

    with closing(Expiring(site.url, Credentials())) as connection:
        HttpBlobStore(connection, HeldLeases(), project="default").put(KEY, path)

    assert connection.sent == PARTS + 1
    assert site.stored(KEY) == CONTENT


def test_to_know_what_another_project_sends_is_no_right_to_go_on_with_it(site: Site) -> None:
    with pytest.raises(StoreUnavailable):
        site.sender(breaks_after=PARTS - 1).blobs.put(KEY, site.file())

    theirs, ours = site.asked(project="theirs"), site.asked()

    assert theirs.upload != ours.upload
    assert (theirs.missing, ours.missing) == (PARTS, 1)


def test_parts_of_other_bytes_that_came_before_are_sent_again(site: Site, plain: httpx2.Client) -> None:
    (first, *_) = site.asked().parts
    assert plain.put(first.to.url, content=b"x" * PART_SIZE, headers=first.to.headers).is_success
    sender = site.sender()

    sender.blobs.put(KEY, site.file())

    assert sender.connection.sent == PARTS - 1 + PARTS
    assert site.stored(KEY) == CONTENT


def test_bytes_of_another_hash_are_thrown_away(site: Site) -> None:
    with pytest.raises(SourceDamaged):
        site.sender().blobs.put(KEY, site.file(b"x" * len(CONTENT)))

    assert site.files.blobs.stat(KEY) is None
    assert site.is_tidy()


def test_a_file_that_becomes_shorter_meanwhile_is_told_as_changed(site: Site) -> None:
    path = site.file()

    class Shortening(BreakingConnection):
        def put(self, url: str, file: Any, **more: Any) -> None:
            path.write_bytes(CONTENT[: PART_SIZE // 2])
            super().put(url, file, **more)

    with closing(Shortening(site.url, Credentials())) as connection, pytest.raises(SourceChanged, match="shorter"):
        HttpBlobStore(connection, HeldLeases(), project="default").put(KEY, path)


def test_the_result_of_a_worker_comes_in_parts_and_goes_on_after_a_break(site: Site) -> None:
    site.sender().blobs.put(KEY, site.file())
    with Client(site.url) as client:
        client.submit(site.file())
    worker = site.sender(breaks_after=1)
    (job,) = worker.queue.claim(Queue("default", ("pdf",)), worker_id=WORKER)
    store = ResultUploads(worker.connection, worker.leases, project="default", job=job)
    archive = site.folder / "result.zip"
    content = archive_bytes(more={"assets/large.png": CONTENT})
    archive.write_bytes(content)
    key = result_key(HASH, RECIPE)

    with pytest.raises(StoreUnavailable):
        store.adopt(key, archive)
    worker.connection.most = 1_000
    store.adopt(key, archive)
    (outcome,) = worker.queue.end([Completed(job, canonical_json({"recipe": RECIPE}))])

    assert worker.connection.sent == PARTS
    assert object_in(json_in(outcome.result))["key"] == key  # type: ignore[union-attr]
    assert site.stored(key) == content
    assert site.stored(BlobKey(f"outputs/{HASH}.zip")) == content
    assert site.is_tidy()


def test_who_does_not_hold_the_job_gets_no_addresses(site: Site) -> None:
    with Client(site.url) as client:
        client.submit(site.file(b"%PDF a small one"))
    worker = site.sender()
    (job,) = worker.queue.claim(Queue("default", ("pdf",)), worker_id=WORKER)
    held = worker.leases.of(job)

    for wrong in ({"number": held.number + 1}, {"process": "rack5.1.00000001"}, {"token": "0" * 64}):
        request = ResultPartsRequest(lease=held.model_copy(update=wrong), size=len(CONTENT), sha256=HASH)
        with pytest.raises(LeaseLost):
            worker.connection.post(paths.RESULT_PARTS, request, PartsAnswer)

    assert site.is_tidy()


@pytest.mark.parametrize("content", [CONTENT[:PART_SIZE] + b"x", CONTENT[: PART_SIZE - 1], b""])
def test_an_address_of_a_part_takes_the_bytes_of_that_part_alone(
    site: Site, plain: httpx2.Client, content: bytes
) -> None:
    (first, *_) = site.asked().parts

    assert plain.put(first.to.url, content=content).status_code in (400, 403, 413)

    assert site.asked().missing == PARTS


def test_an_address_of_a_part_is_for_nothing_else(site: Site, plain: httpx2.Client) -> None:
    given = site.asked()
    to = urlsplit(given.parts[0].to.url)
    other_part = {"part": "2", "partNumber": "2"}
    whole = {"part": None, "partNumber": None, "uploadId": None}

    for url in (
        changed(to, other_part),
        changed(to, whole),
        changed(to._replace(path=to.path[:-16] + "0" * 16), {}),
        changed(to._replace(path=to.path.partition("incoming/")[0] + KEY), {}),
        changed(to, {"expires": "9999999999", "X-Amz-Expires": "604800"}),
        changed(to, {"size": "3"}) if "size=" in to.query else changed(to, {"X-Amz-Signature": "0" * 64}),
    ):
        assert plain.put(url, content=CONTENT[:PART_SIZE]).status_code in (400, 403, 404), url
    for method in ("GET", "DELETE", "POST"):
        assert plain.request(method, to.geturl()).status_code in (400, 403, 404, 405)

    assert site.asked().missing == PARTS
    assert site.files.blobs.stat(KEY) is None


def changed(url: SplitResult, query: Mapping[str, str | None]) -> str:
    """With other values where the address has such names."""
    said = dict(parse_qsl(url.query))
    told = {name: query.get(name, value) for name, value in said.items()}
    return url._replace(query=urlencode({name: value for name, value in told.items() if value is not None})).geturl()
