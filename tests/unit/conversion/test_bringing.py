"""Documents that are brought to a server for its workers."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.conversion.current import ToDo
from blobforge.conversion.document import InputDocument
from blobforge.conversion.intake import ConversionIntake
from blobforge.conversion.remote import Bringing
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job, NewJob
from blobforge.ingest.hashing import hash_file
from blobforge.ports.blob_store import source_key
from blobforge.ports.job_store import Inserted
from blobforge.testing.clock import FakeClock


class Receiver:
    """Takes all."""

    def expect(self, source_hash: SourceHash, document: InputDocument) -> bool:
        return True

    def refuse(self, document: InputDocument, error: BlobForgeError) -> None:
        pytest.fail(str(error))

    def wait_for(self, jobs: Sequence[Job]) -> None:
        assert len(jobs) == 1


class BesideGc(CoordinationService):
    """A whole `gc` runs just before the job is made."""

    def __init__(self, blobs: DirectoryBlobStore) -> None:
        super().__init__(MemoryJobStore(), clock=FakeClock())
        self._blobs = blobs

    def submit(self, jobs: Sequence[NewJob]) -> list[Inserted]:
        for job in jobs:
            self._blobs.delete(source_key(job.source_hash))
        return super().submit(jobs)


def test_a_document_that_a_gc_took_between_the_look_at_the_store_and_its_job_is_brought_again(
    tmp_path: Path, catalog: SqliteCatalog
) -> None:
    blobs = DirectoryBlobStore(tmp_path / "store")
    (tmp_path / "a.pdf").write_bytes(b"%PDF a document")
    hashed = hash_file(str(tmp_path / "a.pdf"))
    blobs.put(source_key(hashed.source_hash), tmp_path / "a.pdf")
    intake = ConversionIntake(
        BesideGc(blobs),
        catalog,
        Receiver(),
        new_job=lambda source_hash, _document: NewJob("default", "pdf", source_hash),
        stopped=lambda: False,
        bringer=Bringing(blobs),
    )

    intake.bring_in([ToDo(InputDocument(stat=hashed.stat, output="a.md"), None)])

    assert blobs.stat(source_key(hashed.source_hash)) is not None
