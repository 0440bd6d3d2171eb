"""Who waits for which content, and what they are told; the worker's part is played by the queue itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.unit.conversion.notes import Notes
from tests.unit.conversion.results import RECIPE, archive_bytes, document

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.conversion.current import ToDo
from blobforge.conversion.delivery import Delivery
from blobforge.conversion.document import ConversionAccount, ConversionOutcome, InputDocument
from blobforge.conversion.intake import ConversionIntake, IntakeReceiver
from blobforge.conversion.run import MOST_ROUNDS, BegunWork, ConversionBackend, ConversionRun, InWork, WorkReceiver
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import LeaseLost, StoreUnavailable
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Failure, Job, State
from blobforge.ports.blob_store import result_key
from blobforge.ports.processor import Progress
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.runtime import FakeRuntime
from blobforge.worker.error_log import ErrorLog
from blobforge.worker.feed import ListFeed
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.results import ResultStore

ORDER = '{"options":{}}'
OTHERS_ORDER = '{"options":{"pages":"1"}}'
OTHER_RECIPE = RecipeId("fedcba9876543210")
HASH = hash_of("one")
FILES = (FileRecord(FileRole.OUTPUT, "a key", 1, "application/zip", "0"),)


class Stage(NamedTuple):
    """A run over a queue in memory, and everything around it."""

    run: ConversionRun
    queue: CoordinationService
    blobs: DirectoryBlobStore
    notes: Notes
    account: ConversionAccount
    out: Path
    ended_elsewhere: Callable[[Job], None]
    runtime: FakeRuntime

    def wait(self, name: str = "one", *, size: int = 100) -> InputDocument:
        """A document that waits for the content."""
        waiting = document(self.out / f"{name}.md", path=f"/docs/{name}.pdf", size=size)
        self.run.expect(HASH, waiting)
        return waiting

    def claim(self, *, order: str = ORDER) -> Job:
        ((job, _),) = self.queue.submit([new_job("one", metadata=order, source_size=100)])
        (claimed,) = self.queue.claim_exactly([job], worker_id=ALICE)
        return claimed

    def end(self, ending: Ending) -> Job:
        """As the worker does it: first the queue, then the word to the run."""
        (outcome,) = self.queue.end([ending])
        assert isinstance(outcome, Job)
        self.run.ended([(ending, outcome)])
        return outcome

    def store_result(self, markdown: str = "text", *, recipe_id: RecipeId = RECIPE, pages: int = 1) -> None:
        path = self.out / "result.zip"
        path.write_bytes(archive_bytes(markdown, pages=pages))
        self.blobs.adopt(result_key(HASH, recipe_id), path)

    def told(self) -> dict[str, tuple[ConversionOutcome, str | None]]:
        return {Path(report.path).name: (report.outcome, report.code) for report in self.account.documents}


@pytest.fixture
def stage(tmp_path: Path, catalog: SqliteCatalog) -> Stage:
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
    blobs = DirectoryBlobStore(tmp_path / "blobs")
    results, notes, account, runtime = ResultStore(blobs), Notes(), ConversionAccount(), FakeRuntime()
    listening: list[Callable[[Job], None]] = []

    def begin(receiver: WorkReceiver) -> BegunWork:
        listening.append(receiver.found)
        feed = ListFeed(queue, ALICE, clock=FakeClock(), on_final=receiver.found)
        loop = WorkerLoop(
            queue,
            feed,
            {},
            LoopSettings(worker_id=ALICE, slots=1),
            clock=FakeClock(),
            wakeup=NoWakeup(),
            watcher=receiver,
            error_log=ErrorLog(lambda _: blobs),
            runtime=runtime,
        )
        return BegunWork(feed, loop)

    backend = ConversionBackend(coordinator=queue, results=results, begin=begin, close=queue.close)

    def open_intake(receiver: IntakeReceiver) -> ConversionIntake:
        return ConversionIntake(
            queue, catalog, receiver, new_job=lambda _hash, _document: new_job("one"), stopped=lambda: False
        )

    delivery = Delivery(results, catalog, RECIPE, force=False)
    run = ConversionRun(backend, delivery, notes, account, ORDER, open_intake=open_intake, runtime=runtime)
    (tmp_path / "out").mkdir()
    return Stage(run, queue, blobs, notes, account, tmp_path / "out", listening[0], runtime)


def result(*, recipe_id: RecipeId = RECIPE, pages: int = 3) -> str:
    return json.dumps({"recipe": recipe_id, "pages": pages, "pages_failed": 1, "codes": {"ocr_failed": 1}})


def test_the_first_who_waited_is_converted_and_the_others_are_cached(stage: Stage) -> None:
    for name in ("one", "two"):
        stage.wait(name)
    stage.store_result()

    stage.end(Completed(stage.claim(), result(), FILES))

    assert stage.told() == {"one.pdf": (ConversionOutcome.CONVERTED, None), "two.pdf": (ConversionOutcome.CACHED, None)}
    assert {report.pages for report in stage.account.documents} == {3}
    assert {report.page_codes for report in stage.account.documents} == {("ocr_failed",)}
    assert [path.name for path in sorted(stage.out.iterdir())] == ["one.md", "two.md"]
    assert stage.notes.reports == stage.account.documents


def test_who_comes_after_the_answer_is_answered_at_once(stage: Stage) -> None:
    stage.wait("one")
    stage.store_result()
    stage.end(Completed(stage.claim(), result(), FILES))

    is_new = stage.run.expect(HASH, document(stage.out / "late.md", path="/docs/late.pdf"))

    assert is_new is False
    assert stage.told()["late.pdf"] == (ConversionOutcome.CACHED, None)


def test_a_result_from_the_store_is_cached(stage: Stage) -> None:
    stage.wait()
    stage.store_result()

    stage.end(Completed(stage.claim(), result()))

    assert stage.told() == {"one.pdf": (ConversionOutcome.CACHED, None)}


def test_a_result_that_another_process_made_is_cached(stage: Stage) -> None:
    stage.wait()
    stage.store_result()
    (outcome,) = stage.queue.end([Completed(stage.claim(), result(), FILES)])
    assert isinstance(outcome, Job)

    stage.ended_elsewhere(outcome)

    assert stage.told() == {"one.pdf": (ConversionOutcome.CACHED, None)}


def test_a_failure_is_told_with_its_code_and_reason(stage: Stage) -> None:
    stage.wait()

    stage.end(Failed(stage.claim(), Failure("not_a_pdf", "one.pdf: it is HTML")))

    (report,) = stage.account.documents
    assert (report.outcome, report.code, report.message) == (
        ConversionOutcome.FAILED,
        "not_a_pdf",
        "one.pdf: it is HTML",
    )


@pytest.mark.parametrize(
    "ending",
    [lambda job: Failed(job, Failure("child_killed", "it died", retryable=True)), Released],
    ids=["to be tried again", "released"],
)
def test_what_is_not_over_is_not_told(stage: Stage, ending: Callable[[Job], Ending]) -> None:
    stage.wait()

    stage.end(ending(stage.claim()))

    assert stage.account.documents == []


def test_a_lost_job_is_not_over(stage: Stage) -> None:
    stage.wait()
    job = stage.claim()

    stage.run.ended([(Completed(job, result()), LeaseLost("superseded"))])

    assert stage.account.documents == []


def test_an_answer_is_given_once(stage: Stage) -> None:
    stage.wait()
    stage.store_result()
    ending = Completed(stage.claim(), result(), FILES)

    job = stage.end(ending)
    stage.run.ended([(ending, job)])

    assert len(stage.account.documents) == 1


def test_a_result_by_anothers_recipe_is_asked_for_again_by_our_order(stage: Stage) -> None:
    stage.wait()

    job = stage.end(Completed(stage.claim(order=OTHERS_ORDER), result(recipe_id=OTHER_RECIPE)))

    after = stage.queue.get(job.id)
    assert (after.state, after.metadata) == (State.PENDING, ORDER)
    assert stage.account.documents == []


def test_a_failure_by_anothers_order_is_not_ours(stage: Stage) -> None:
    stage.wait()

    job = stage.end(Failed(stage.claim(order=OTHERS_ORDER), Failure("invalid_options", "no such page")))

    assert stage.queue.get(job.id).metadata == ORDER
    assert stage.account.documents == []


def test_our_stored_result_serves_whoever_ran_the_job_last(stage: Stage) -> None:
    stage.wait()
    stage.store_result("ours", pages=7)

    stage.end(Completed(stage.claim(order=OTHERS_ORDER), result(recipe_id=OTHER_RECIPE)))

    (report,) = stage.account.documents
    assert (report.outcome, report.pages) == (ConversionOutcome.CACHED, 7)
    assert (stage.out / "one.md").read_text() == "ours"


def test_a_job_that_others_keep_taking_is_given_up(stage: Stage) -> None:
    stage.wait()
    job = stage.claim(order=OTHERS_ORDER)
    for _ in range(MOST_ROUNDS):
        stage.end(Completed(job, result(recipe_id=OTHER_RECIPE)))
        stage.queue.amend(job.id, metadata=OTHERS_ORDER)
        (job,) = stage.queue.claim_exactly([job], worker_id=ALICE)
    assert stage.account.documents == []

    stage.end(Completed(job, result(recipe_id=OTHER_RECIPE)))

    (report,) = stage.account.documents
    assert (report.outcome, report.code) == (ConversionOutcome.FAILED, "processing_error")
    assert report.message is not None
    assert "with other options" in report.message


@pytest.mark.parametrize(
    ("facts", "code", "message"),
    [
        ({"state": State.CANCELLED}, "processing_error", "the job was cancelled"),
        ({"state": State.DEAD, "error_code": "lease_expired", "last_error": "gone"}, "lease_expired", "gone"),
        ({"state": State.DEAD}, "processing_error", "no reason was recorded"),
        ({"state": State.COMPLETED, "result": "[]"}, "processing_error", "with other options"),
    ],
    ids=["cancelled", "its worker was gone", "without a reason", "with a result that is none"],
)
def test_an_end_that_happened_elsewhere_is_told_in_its_words(
    stage: Stage, facts: dict[str, object], code: str, message: str
) -> None:
    stage.wait()
    job = stage.claim()

    stage.run.ended([(Completed(job, ""), job._replace(**facts))])  # type: ignore[arg-type]

    (report,) = stage.account.documents
    assert (report.outcome, report.code) == (ConversionOutcome.FAILED, code)
    assert message in (report.message or "")


def test_a_result_that_cannot_be_read_fails_the_document_and_is_thrown_away(stage: Stage) -> None:
    stage.wait()
    (stage.out / "no.zip").write_bytes(b"no zip")
    stage.blobs.adopt(result_key(HASH, RECIPE), stage.out / "no.zip")

    stage.end(Completed(stage.claim(), result(), FILES))

    assert stage.told() == {"one.pdf": (ConversionOutcome.FAILED, "result_damaged")}
    assert stage.blobs.stat(result_key(HASH, RECIPE)) is None


def test_a_result_that_is_not_there_fails_the_document_alone(stage: Stage) -> None:
    stage.wait()

    stage.end(Completed(stage.claim(), result(), FILES))

    assert stage.told() == {"one.pdf": (ConversionOutcome.FAILED, "not_found")}


def test_a_run_that_ends_leaves_nobody_without_a_word(stage: Stage) -> None:
    for name in ("one", "two"):
        stage.wait(name)

    stage.run.give_up_waiting()

    assert stage.told() == {
        "one.pdf": (ConversionOutcome.FAILED, "lease_lost"),
        "two.pdf": (ConversionOutcome.FAILED, "lease_lost"),
    }


def test_progress_counts_what_is_under_way_and_what_is_done(stage: Stage) -> None:
    stage.wait("one", size=100)
    stage.wait("two", size=40)
    stage.store_result()
    job = stage.claim()
    stage.run.claimed(job)

    stage.run.progressed(job, Progress("converting", 1, 4))
    stage.run.progressed(job, Progress("converting", 3, 4))
    stage.end(Completed(job, result(pages=4), FILES))

    assert stage.notes.progressed == [(1, 25), (3, 75), (4, 100), (4, 140)]
    assert stage.notes.in_work == [[InWork(job.source_hash[:12], pages, 4)] for pages in (1, 3)] + [[], []]


@pytest.mark.parametrize(("current", "total", "size"), [(0, 0, 0), (5, 4, 100)])
def test_progress_that_makes_no_sense_does_no_harm(stage: Stage, current: int, total: int, size: int) -> None:
    stage.run.progressed(stage.claim(), Progress("converting", current, total))

    assert stage.notes.progressed == [(current, size)]


def test_pages_of_a_document_that_failed_do_not_count(stage: Stage) -> None:
    stage.wait("one", size=100)
    job = stage.claim()
    stage.run.progressed(job, Progress("converting", 3, 4))

    stage.end(Failed(job, Failure("engine_failed", "it broke")))

    assert stage.notes.progressed[-1] == (0, 100)


def test_an_intake_that_breaks_ends_the_run_with_its_error(
    stage: Stage, catalog: SqliteCatalog, tmp_path: Path
) -> None:
    source = tmp_path / "one.pdf"
    source.write_text("content")
    catalog.close()

    with pytest.raises(StoreUnavailable):
        stage.run.carry_out([ToDo(document(stage.out / "one.md", path=str(source)), None)])


def test_a_queue_that_does_not_answer_is_told_once_and_not_waited_for_for_ever(stage: Stage) -> None:
    away = StoreUnavailable("no space left on the disk")
    for _ in range(15):
        stage.run.waiting(away)
        stage.runtime.advance(4.0)
    told_in_the_meantime = list(stage.notes.troubles)
    stage.runtime.advance(1.0)
    stage.run.waiting(away)

    with pytest.raises(StoreUnavailable, match="no space left"):
        stage.run.carry_out([])

    assert told_in_the_meantime == ["no space left on the disk; waiting for it"] == stage.notes.troubles


def test_a_queue_that_answers_again_is_waited_for_anew(stage: Stage) -> None:
    away = StoreUnavailable("away")
    stage.run.waiting(away)
    stage.runtime.advance(61.0)

    stage.run.waiting(away)
    stage.run.carry_out([])

    assert len(stage.notes.troubles) == 2
