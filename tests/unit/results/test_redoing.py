"""What another recipe would redo, by what the jobs and the store say."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.conversion.results import archive_bytes

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobKey, RecipeId, WorkerId
from blobforge.domain.json_value import canonical_json
from blobforge.domain.recipe import Recipe
from blobforge.ports.blob_store import result_key
from blobforge.ports.job_store import Queue
from blobforge.results.redoing import Amount, Gaps, Redoing, RedoPlan
from blobforge.testing.builders import hash_of, new_job
from blobforge.testing.clock import FakeClock
from blobforge.worker.results import ResultStore

ASKED = Recipe(processor="p", version="1", engine="e", engine_version="1")
OTHER = RecipeId("0123456789abcdef")


class Library:
    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.coordinator = CoordinationService(MemoryJobStore(), clock=self.clock)
        self.blobs = DirectoryBlobStore(folder / "store")
        self._file = folder / "result.zip"

    def add(
        self,
        name: str,
        recipe: RecipeId,
        *,
        pages: int = 2,
        seconds: float = 10,
        is_made: bool = True,
        missing: dict[str, int] | None = None,
    ) -> None:
        """A document that was completed; without `is_made` its result was in the store before."""
        self.coordinator.submit([new_job(name, source_size=100)])
        (job,) = self.coordinator.claim(Queue("default", ("pdf",)), worker_id=WorkerId("w"))
        self.clock.advance(seconds=seconds)
        key = result_key(hash_of(name), recipe)
        self.keep(name, recipe)
        record = FileRecord(FileRole.OUTPUT, key, 1, "application/zip", "")
        codes = missing or {}
        failed = sum(codes.values())
        result = canonical_json(
            {"key": key, "recipe": recipe, "pages": pages, "pages_failed": failed, "codes": {**codes}}
        )
        self.coordinator.end([Completed(job, result, (record,) if is_made else ())])

    def find_again(self, name: str, recipe: Recipe) -> None:
        """Another run of its job finds the result in the store."""
        key = JobKey("default", "pdf", hash_of(name))
        (job,) = self.coordinator.find([key]).values()
        self.coordinator.reprocess([job], lambda again: again.metadata)
        (job,) = self.coordinator.claim(Queue("default", ("pdf",)), worker_id=WorkerId("w"))
        self.clock.advance(seconds=0.01)
        results = ResultStore(self.blobs)
        found = results.find(job.source_hash, recipe.id)
        assert found is not None
        ending = results.completed_by(found, job, recipe)
        assert ending is not None
        self.coordinator.end([ending])

    def keep(self, name: str, recipe: RecipeId) -> None:
        self._file.write_bytes(archive_bytes())
        self.blobs.put(result_key(hash_of(name), recipe), self._file)

    def lose(self, name: str, recipe: RecipeId) -> None:
        self.blobs.delete(result_key(hash_of(name), recipe))

    def plan(self, *mended: str) -> RedoPlan:
        redoing = Redoing(self.coordinator, self.blobs, project="default", job_type="pdf")
        return redoing.plan(ASKED, lambda: frozenset(mended))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def test_documents_are_done_kept_or_to_be_redone(library: Library) -> None:
    library.add("done", ASKED.id)
    library.add("kept", OTHER, pages=3)
    library.keep("kept", ASKED.id)
    library.add("old", OTHER, pages=5)
    library.add("older", OTHER, pages=7)

    plan = library.plan()

    assert (plan.done, plan.kept, plan.redo) == (Amount(1, 2, 100), Amount(1, 3, 100), Amount(2, 12, 200))
    assert [(stock.recipe_id, stock.amount.documents) for stock in plan.stocks] == [(OTHER, 3), (ASKED.id, 1)]


def test_documents_whose_result_is_gone_are_to_be_redone(library: Library) -> None:
    library.add("done", ASKED.id)
    library.add("lost", ASKED.id)
    library.add("old", OTHER)
    library.lose("lost", ASKED.id)
    library.lose("old", OTHER)

    plan = library.plan()

    assert (plan.done.documents, plan.redo.documents, plan.lost) == (1, 2, 2)


def test_gaps_are_to_be_redone_where_their_reason_is_gone(library: Library) -> None:
    library.add("scan", ASKED.id, pages=9, missing={"ocr_unavailable": 6})
    library.add("torn", ASKED.id, pages=5, missing={"engine_failed": 1})
    library.add("old scan", OTHER, pages=3, missing={"ocr_unavailable": 3})

    before, after = library.plan(), library.plan("ocr_unavailable")

    assert (before.gaps, before.done.documents, before.redo.documents) == (Gaps(2, 7, 0), 2, 1)
    assert (after.gaps, after.done.documents, after.redo.documents) == (Gaps(2, 7, 1), 1, 2)


def test_the_time_is_that_of_what_was_made(library: Library) -> None:
    for number in range(4):
        library.add(f"{number}", OTHER, pages=2, seconds=10)

    plan = library.plan()

    assert plan.pace is not None
    assert plan.estimate is not None
    assert (plan.pace.documents, plan.pace.seconds_a_page) == (4, 5.0)
    assert plan.estimate.likely == timedelta(seconds=40)


def test_what_was_in_the_store_before_tells_nothing_of_the_time(library: Library) -> None:
    library.add("made", OTHER, pages=2, seconds=10)
    library.add("found", OTHER, pages=1000, seconds=0.1, is_made=False)

    plan = library.plan()

    assert plan.pace is not None
    assert (plan.pace.documents, plan.pace.seconds_a_page) == (1, 5.0)


def test_what_a_later_run_found_again_tells_nothing_of_the_time(library: Library) -> None:
    library.add("made", OTHER, pages=2, seconds=10)
    library.add("made before", ASKED.id, pages=2, seconds=10)
    library.find_again("made before", ASKED)

    plan = library.plan()

    assert plan.done.documents == 1
    assert plan.pace is not None
    assert (plan.pace.documents, plan.pace.seconds_a_page) == (1, 5.0)


def test_a_run_that_skipped_pages_tells_nothing_of_the_time_that_reading_them_takes(library: Library) -> None:
    library.add("scan", ASKED.id, pages=6, seconds=0.01, missing={"ocr_unavailable": 6})

    plan = library.plan("ocr_unavailable")

    assert plan.redo == Amount(1, 6, 100)
    assert (plan.pace, plan.estimate) == (None, None)


def test_where_nothing_was_made_no_time_is_told(library: Library) -> None:
    library.add("found", OTHER, is_made=False)

    assert library.plan().estimate is None
    assert library.plan().redo.documents == 1


def test_a_result_that_cannot_be_read_has_no_known_engine(library: Library) -> None:
    library.add("gone", OTHER)
    library.blobs.delete(result_key(hash_of("gone"), OTHER))

    (stock,) = library.plan().stocks

    assert (stock.recipe, stock.engine) == (None, None)
