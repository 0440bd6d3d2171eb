"""Documents that clients bring to a server: bytes, a receipt, a job."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from starlette.requests import Request
from tests.http_server import served
from tests.server_parts import files_in, parts_over

from blobforge.blobs.http.store import HttpBlobStore
from blobforge.client.connection import Connection, Credentials
from blobforge.client.held_leases import HeldLeases
from blobforge.client.receipts import KeptReceipts
from blobforge.coordination.http.coordinator import HttpCoordinator
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.account import Role
from blobforge.domain.errors import Forbidden, InvalidMove, InvalidSettings, NotFound, SourceDamaged
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job, NewJob, State
from blobforge.domain.lifecycle import lacks_source
from blobforge.domain.recipe import UNRECORDED
from blobforge.ingest.arrivals import Arrivals, ArrivedDocument
from blobforge.ingest.hashing import hash_file
from blobforge.ports.blob_store import BlobKey, result_key, source_key
from blobforge.ports.job_store import Inserted, Queue
from blobforge.server.app import create_app
from blobforge.server.auth.asking import Asker
from blobforge.testing.builders import ALICE
from blobforge.testing.clock import FakeClock
from blobforge.wire import paths
from blobforge.wire.stored import SourcePlaced, SourceReceipt, SourceUploadAnswer, SourceUploadRequest

CONTENT = b"%PDF a document"
HASH = SourceHash(hashlib.sha256(CONTENT).hexdigest())
KEY = source_key(HASH)


class ProjectDoor:
    """A token is the name of its project."""

    async def asker(self, request: Request) -> Asker:
        project = request.headers["authorization"].removeprefix("Bearer ")
        return Asker(name=project, role=Role.OPERATOR, project=project)


class Client(NamedTuple):
    connection: Connection
    blobs: HttpBlobStore
    queue: HttpCoordinator


class Site:
    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.clock = FakeClock()
        self.folder = folder
        self.service = CoordinationService(MemoryJobStore(), clock=self.clock)
        self.files = files_in(folder, self.clock, self.service)
        self._stack = stack
        parts = parts_over(self.service, self.clock, self.files, doorman=ProjectDoor())
        self.url = stack.enter_context(served(create_app(parts, ticks=False)))
        # What the server signs leads to itself.
        object.__setattr__(self.files.own_urls, "_public_url", self.url)

    def client(self, project: str) -> Client:
        connection = Connection(self.url, Credentials(token=project))
        self._stack.callback(connection.close)
        leases, receipts = HeldLeases(), KeptReceipts()
        blobs = HttpBlobStore(connection, leases, project=project, receipts=receipts)
        return Client(connection, blobs, HttpCoordinator(connection, leases, receipts))

    def file(self, content: bytes = CONTENT) -> Path:
        path = self.folder / "document.pdf"
        path.write_bytes(content)
        return path

    def incoming(self) -> list[str]:
        return [blob.key for blob in self.files.blobs.list("incoming/")]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(tmp_path, stack)


def submitted(client: Client, project: str) -> Job:
    (entry,) = client.queue.submit([NewJob(project=project, type="pdf", source_hash=HASH, source_size=len(CONTENT))])
    return entry.job


def test_a_document_that_was_brought_is_in_its_place_and_its_job_is_ready(site: Site) -> None:
    ours = site.client("ours")

    ours.blobs.put(KEY, site.file())
    job = submitted(ours, "ours")

    stored = site.files.blobs.local_path(KEY)
    assert stored is not None
    assert stored.read_bytes() == CONTENT
    assert site.incoming() == []
    assert [held.id for held in site.service.claim(Queue("ours", ("pdf",)), worker_id=ALICE)] == [job.id]
    assert [(record.key, record.size) for record in site.service.files(job.id)] == [(KEY, len(CONTENT))]


def test_a_document_that_a_gc_took_between_the_look_at_the_store_and_its_job_is_brought_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, hashed = site.client("ours"), hash_file(str(site.file()))
    ours.blobs.put(KEY, site.file())
    submitted(ours, "ours")
    submit = site.service.submit

    def submitted_late(jobs: Sequence[NewJob]) -> list[Inserted]:
        site.files.blobs.delete(KEY)
        return submit(jobs)

    monkeypatch.setattr(site.service, "submit", submitted_late)
    intake = Arrivals(
        ours.queue,
        ours.blobs,
        new_job=lambda document: NewJob("ours", "another", document.source_hash, source_size=document.size),
        records_sources=False,
    )
    (batch,) = intake.take_in([ArrivedDocument(hashed.stat, HASH, hashed.stat.size, "document.pdf")])

    assert [(taken.error, taken.is_new, taken.is_uploaded) for taken in batch] == [(None, True, True)]
    assert site.files.blobs.stat(KEY) is not None


def test_who_knows_a_hash_and_has_not_the_bytes_gets_nothing(site: Site) -> None:
    ours, theirs = site.client("ours"), site.client("theirs")
    ours.blobs.put(KEY, site.file())
    submitted(ours, "ours")

    job = submitted(theirs, "theirs")

    assert lacks_source(job)
    assert site.service.claim(Queue("theirs", ("pdf",)), worker_id=ALICE) == []
    assert theirs.blobs.stat(KEY) is None
    assert theirs.blobs.stat_many([KEY]) == {}
    with pytest.raises(NotFound):
        theirs.blobs.open(KEY)


@pytest.mark.parametrize("ending", ["cancelled", "given up"])
def test_no_way_leads_from_a_hash_to_what_others_brought(site: Site, ending: str) -> None:
    """Announced, ended, and run again: the job still waits for bytes of its own."""
    ours, theirs = site.client("ours"), site.client("theirs")
    ours.blobs.put(KEY, site.file())
    submitted(ours, "ours")
    job = submitted(theirs, "theirs")
    if ending == "cancelled":
        theirs.queue.cancel(job.id)
    else:
        site.clock.advance(days=2)
        site.service.sweep()
    ended = theirs.queue.get(job.id)
    assert ended.state in (State.CANCELLED, State.DEAD)

    (unchanged,) = theirs.queue.retry_unchanged([ended])
    (redone,) = theirs.queue.reprocess([ended], lambda _: "{}")
    again = submitted(theirs, "theirs")
    assert theirs.blobs.stat(KEY) is None
    assert theirs.blobs.stat(result_key(HASH, UNRECORDED)) is None
    retried = theirs.queue.retry(job.id)

    assert {type(unchanged), type(redone)} == {InvalidMove}
    assert again.state in (State.CANCELLED, State.DEAD)
    assert lacks_source(retried)
    assert theirs.blobs.stat(KEY) is None
    assert site.service.claim(Queue("theirs", ("pdf",)), worker_id=ALICE) == []

    theirs.blobs.put(KEY, site.file())
    submitted(theirs, "theirs")
    assert [held.id for held in site.service.claim(Queue("theirs", ("pdf",)), worker_id=ALICE)] == [job.id]


def test_a_document_that_is_brought_for_a_cancelled_job_is_there_when_that_is_run_again(site: Site) -> None:
    ours = site.client("ours")
    job = submitted(ours, "ours")
    ours.queue.cancel(job.id)

    ours.blobs.put(KEY, site.file())
    submitted(ours, "ours")
    ours.queue.retry(job.id)

    assert [held.id for held in site.service.claim(Queue("ours", ("pdf",)), worker_id=ALICE)] == [job.id]


def test_nobody_records_files_that_they_did_not_bring(site: Site) -> None:
    ours = site.client("ours")
    job = submitted(ours, "ours")

    with pytest.raises(Forbidden):
        ours.queue.record_files(job.id, [FileRecord(FileRole.SOURCE, KEY, 3, "application/pdf", HASH)])


def test_a_receipt_is_for_one_project_one_document_and_one_day(site: Site) -> None:
    receipts = site.files.receipts
    receipt = receipts.made("ours", HASH)
    other = SourceHash("0" * 64)

    assert receipts.counts(receipt, "ours", HASH)
    assert not receipts.counts(receipt, "theirs", HASH)
    assert not receipts.counts(receipt, "ours", other)
    assert not any(
        receipts.counts(wrong, "ours", HASH) for wrong in (None, "", "1", "ä.ä", f"9{receipt}", receipt[:-1])
    )
    site.clock.advance(days=1)
    assert not receipts.counts(receipt, "ours", HASH)


def test_a_second_job_of_a_document_needs_no_receipt_within_its_project(site: Site) -> None:
    first = site.client("ours")
    first.blobs.put(KEY, site.file())
    submitted(first, "ours")

    (entry,) = site.client("ours").queue.submit([NewJob(project="ours", type="echo", source_hash=HASH)])

    assert not lacks_source(entry.job)


def test_other_bytes_than_those_of_the_hash_are_thrown_away(site: Site) -> None:
    ours = site.client("ours")

    with pytest.raises(SourceDamaged):
        ours.blobs.put(KEY, site.file(b"other bytes"))

    assert site.files.blobs.stat(KEY) is None
    assert site.incoming() == []


def test_what_was_never_uploaded_gets_no_receipt(site: Site) -> None:
    ours = site.client("ours")
    asked = SourceUploadRequest(project="ours", source_hash=HASH, size=3)
    given = ours.connection.post(paths.SOURCE_UPLOAD, asked, SourceUploadAnswer)

    placed = SourcePlaced(project="ours", source_hash=HASH, upload=given.upload)
    with pytest.raises(NotFound, match="nothing was uploaded"):
        ours.connection.post(paths.SOURCE_PLACED, placed, SourceReceipt)


def test_nobody_brings_documents_into_another_project(site: Site) -> None:
    with pytest.raises(Forbidden):
        site.client("ours").connection.post(
            paths.SOURCE_UPLOAD, SourceUploadRequest(project="theirs", source_hash=HASH, size=3), SourceUploadAnswer
        )


def test_nothing_but_sources_is_put(site: Site) -> None:
    with pytest.raises(InvalidSettings, match="on the machine of the server"):
        site.client("ours").blobs.put(BlobKey("outputs/made up.zip"), site.file())


def test_a_source_that_is_taken_back_leaves_its_job_waiting(site: Site) -> None:
    """The file was changed while it was brought."""
    ours = site.client("ours")
    ours.blobs.put(KEY, site.file())

    ours.blobs.delete(KEY)

    assert lacks_source(submitted(ours, "ours"))
