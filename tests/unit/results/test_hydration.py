"""Results written beside their documents: what counts as current, and what is written anew."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.conversion.results import archive_bytes

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed
from blobforge.domain.ids import RecipeId
from blobforge.ingest.hashing import hash_file
from blobforge.ports.blob_store import result_key
from blobforge.ports.job_store import Queue
from blobforge.results.hydration import Hydration
from blobforge.testing.builders import ALICE, new_job
from blobforge.testing.clock import FakeClock
from blobforge.worker.results import ResultStore

FIRST, SECOND = RecipeId("0123456789abcdef"), RecipeId("fedcba9876543210")


class OutputFolder:
    """One document, its job, and what runs of it have made."""

    def __init__(self, folder: Path, catalog: SqliteCatalog, *, job_type: str = "pdf") -> None:
        self._folder = folder
        self.docs = folder / "docs"
        self.docs.mkdir()
        self.document = self.docs / "one.pdf"
        self.document.write_bytes(b"%PDF-1.7 one")
        self._source = hash_file(str(self.document)).source_hash
        self._blobs = DirectoryBlobStore(folder / "store")
        self._queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
        (entry,) = self._queue.submit([new_job(source_hash=self._source, type=job_type)])
        self.job_id = entry.job.id
        self.hydration = Hydration(
            self._queue,
            ResultStore(self._blobs),
            catalog,
            catalog,
            FakeClock(),
            project="default",
            job_type="pdf",
        )

    def run(self, recipe: RecipeId, markdown: str) -> None:
        """Its job, once more if it is done."""
        if self._queue.get(self.job_id).result is not None:
            self._queue.retry(self.job_id)
        (held,) = self._queue.claim(Queue("default", ("pdf", "echo")), worker_id=ALICE, limit=1)
        made, key = self._folder / "result.zip", result_key(self._source, recipe)
        made.write_bytes(archive_bytes(markdown))
        self._blobs.adopt(key, made)
        told = {"pages": 1, "pages_failed": 0, "codes": {}, "key": key, "recipe": recipe}
        (outcome,) = self._queue.end([Completed(held, json.dumps(told))])
        assert not isinstance(outcome, Exception), outcome

    def hydrate(self) -> list[str]:
        return [entry.outcome.value for entry in self.hydration.run([self.docs], force=False)]


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqliteCatalog]:
    opened = SqliteCatalog(tmp_path / "catalog.db")
    yield opened
    opened.close()


@pytest.fixture
def results(tmp_path: Path, catalog: SqliteCatalog) -> OutputFolder:
    return OutputFolder(tmp_path, catalog)


def test_what_was_written_from_the_published_result_is_current(results: OutputFolder) -> None:
    results.run(FIRST, "one\n")

    assert [results.hydrate(), results.hydrate()] == [["written"], ["current"]]


def test_what_another_recipe_has_made_is_written_anew_though_it_is_of_the_same_size(results: OutputFolder) -> None:
    """By pages and size alone, the file of before a reprocess would count as current for ever."""
    results.run(FIRST, "one\n")
    results.hydrate()
    results.run(SECOND, "two\n")

    assert results.hydrate() == ["written"]
    assert results.document.with_suffix(".md").read_text() == "two\n"


def test_what_was_deleted_since_is_written_again_though_the_ledger_knows_it(results: OutputFolder) -> None:
    """The ledger tells what was written once. Who trusts it alone never brings back what somebody has deleted."""
    results.run(FIRST, "one\n")
    results.hydrate()
    results.document.with_suffix(".md").unlink()

    assert results.hydrate() == ["written"]
    assert results.document.with_suffix(".md").read_text() == "one\n"


def test_a_document_of_another_type_is_told_with_the_state_of_its_job_and_how_to_get_its_result(
    tmp_path: Path, catalog: SqliteCatalog
) -> None:
    echoed = OutputFolder(tmp_path, catalog, job_type="echo")

    (entry,) = echoed.hydration.run([echoed.docs], force=False)

    assert (entry.outcome.value, entry.state, entry.job_id) == ("unfinished", "pending", echoed.job_id)
    assert entry.message is not None
    assert "of type echo" in entry.message
    assert f"blobforge download '#{echoed.job_id}'" in entry.message


def test_a_completed_job_of_another_type_is_not_told_as_if_it_were_not(tmp_path: Path, catalog: SqliteCatalog) -> None:
    echoed = OutputFolder(tmp_path, catalog, job_type="echo")
    echoed.run(FIRST, "one\n")

    (entry,) = echoed.hydration.run([echoed.docs], force=False)

    assert entry.state == "completed"
    assert entry.message is not None
    assert "When it is completed" not in entry.message
    assert f"This fetches its result: blobforge download '#{echoed.job_id}'" in entry.message


def test_a_document_that_no_type_knows_was_never_queued(tmp_path: Path, catalog: SqliteCatalog) -> None:
    echoed = OutputFolder(tmp_path, catalog, job_type="echo")
    echoed.document.write_bytes(b"%PDF-1.7 two")

    (entry,) = echoed.hydration.run([echoed.docs], force=False)

    assert (entry.state, entry.message) == ("unknown", "this queue has no job for it")
