"""A database that goes away, restarts, or whose answer is lost: jobs end once, and nobody has to help."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests import postgres
from tests.e2e.program import Blobforge, ended, until
from tests.integration.pdf_jobs.application import Application
from tests.integration.pdf_jobs.pipelines import gated_pipeline
from tests.integration.pdf_jobs.queue_harness import FINAL, QueueHarness, opened
from tests.integration.pdf_jobs.relay import Cut, Relay, relayed
from tests.integration.pdf_jobs.reports import report

from blobforge.coordination.pdf_jobs.database import Database, Transaction
from blobforge.domain.endings import Completed, Failed, Released
from blobforge.domain.errors import LeaseLost, StoreUnavailable
from blobforge.domain.job import Job


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    with postgres.running() as server:
        yield server


@contextmanager
def relayed_desk(application: Application, folder: Path) -> Iterator[tuple[QueueHarness, Relay]]:
    """A harness that has looked at its rights, and the wire to its database."""
    with relayed(application.place) as relay, opened(application, folder, database=Database(relay.place)) as harness:
        assert harness.claim() is None
        yield harness, relay


def test_a_restart_between_claim_and_end_costs_nothing(server: postgres.Server, tmp_path: Path) -> None:
    """R3-28."""
    application = Application(server, tmp_path / "uploads")
    job = application.upload(report())
    gate = gated_pipeline(tmp_path / "gated")
    blobforge = Blobforge(tmp_path, tmp_path / "home")
    variables = {**application.variables, **gate.variables}
    worker = blobforge.start("lab-worker", "--drain", "--json", before=(), ignoring=(), **variables)
    until(gate.is_waiting)

    server.stop(mode="immediate")
    gate.let_go()
    said = list(_lines_until(worker, "waiting"))
    server.start()

    assert json.loads(ended(worker).stdout) == {
        "completed": 1,
        "failed": 0,
        "released": 0,
        "lost": 0,
        "cancelled": 0,
        "gaps": 0,
        "doubts": 0,
    }
    assert (application.job(job)["status"], application.job(job)["attempts"]) == ("done", 1)
    assert "did not answer" in said[-1]


def test_a_database_that_is_not_there_yet_is_waited_for(server: postgres.Server, tmp_path: Path) -> None:
    application = Application(server, tmp_path / "uploads")
    job = application.upload(report())
    server.stop()
    blobforge = Blobforge(tmp_path, tmp_path / "home")

    worker = blobforge.start("lab-worker", "--drain", before=(), ignoring=(), **application.variables)
    said = list(_lines_until(worker, "waiting"))
    server.start()
    ended(worker)

    assert application.job(job)["status"] == "done"
    assert "did not answer" in said[-1]


class Interrupted(Database):
    """In which something happens right before its next transaction."""

    def __init__(self, place: Mapping[str, str | int]) -> None:
        super().__init__(place)
        self.before: Callable[[], None] | None = None

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        before, self.before = self.before, None
        if before is not None:
            before()
        with super().transaction() as transaction:
            yield transaction


def test_a_sign_of_life_between_two_steps_of_an_end_does_not_cost_the_job(
    enum_application: Application, tmp_path: Path
) -> None:
    job = enum_application.upload(b"")
    database = Interrupted(enum_application.place)
    with opened(enum_application, tmp_path, database=database) as harness:
        claimed = harness.claim_one()
        heartbeat = threading.Thread(target=lambda: harness.jobs.renew([claimed]))

        def beat() -> None:
            heartbeat.start()
            heartbeat.join(0.3)  # it gets that far, or it waits for its turn

        database.before = beat

        assert isinstance(harness.complete(claimed), Job)
        heartbeat.join()
        assert enum_application.job(job)["status"] == "done"
        assert harness.jobs.get_many([claimed.id]) == []


def test_a_claim_that_is_never_committed_leaves_the_row_pending(enum_application: Application, tmp_path: Path) -> None:
    """R3-11."""
    with relayed_desk(enum_application, tmp_path) as (harness, relay):
        job = enum_application.upload(b"")
        relay.cut = Cut.BEFORE
        with pytest.raises(StoreUnavailable):
            harness.claim()

        row = enum_application.job(job)
        assert (row["status"], row["attempts"], row["locked_at"]) == ("pending", 0, None)
        assert harness.claim_one().attempts == 1


def test_a_claim_whose_answer_was_lost_is_ours_at_the_next_look(enum_application: Application, tmp_path: Path) -> None:
    with relayed_desk(enum_application, tmp_path) as (harness, relay):
        job = enum_application.upload(b"")
        relay.cut = Cut.AFTER
        with pytest.raises(StoreUnavailable):
            harness.claim()

        claimed = harness.claim_one()

        assert (claimed.id, claimed.attempts) == (job, 1)
        assert isinstance(harness.complete(claimed), Job)


def test_a_claim_that_was_lost_for_good_is_not_taken_for_ours(enum_application: Application, tmp_path: Path) -> None:
    with relayed_desk(enum_application, tmp_path) as (harness, relay):
        job = enum_application.upload(b"")
        relay.cut = Cut.AFTER
        with pytest.raises(StoreUnavailable):
            harness.claim()
        enum_application.set_back(job, status="failed", locked_at=None)

        assert harness.claim() is None


def test_a_sign_of_life_whose_answer_was_lost_does_not_cost_the_job(
    enum_application: Application, tmp_path: Path
) -> None:
    with relayed_desk(enum_application, tmp_path) as (harness, relay):
        enum_application.upload(b"")
        claimed = harness.claim_one()
        relay.cut = Cut.AFTER

        assert isinstance(harness.jobs.renew([claimed])[0], StoreUnavailable)

        assert harness.jobs.get_many([claimed.id]) == [claimed]
        assert harness.jobs.renew([claimed]) == [claimed]
        assert isinstance(harness.complete(claimed), Job)


@pytest.mark.parametrize("cut", Cut)
def test_an_end_that_is_cut_off_is_told_again_and_counts_once(
    enum_application: Application, tmp_path: Path, cut: Cut
) -> None:
    with relayed_desk(enum_application, tmp_path) as (harness, relay):
        job = enum_application.upload(b"")
        ending = Completed(harness.claim_one(), json.dumps({"key": harness.put_archive()}))
        relay.cut = cut
        assert isinstance(harness.end(ending), StoreUnavailable)

        assert isinstance(harness.end(ending), Job)

        assert enum_application.job(job)["status"] == "done"
        assert harness.left_behind() == []


@pytest.mark.parametrize("cut", Cut)
@pytest.mark.parametrize("is_released", [True, False])
def test_so_is_a_failure_or_a_release(
    enum_application: Application, tmp_path: Path, is_released: bool, cut: Cut
) -> None:
    with relayed_desk(enum_application, tmp_path) as (harness, relay):
        job = enum_application.upload(b"")
        claimed = harness.claim_one()
        ending = Released(claimed) if is_released else Failed(claimed, FINAL)
        relay.cut = cut
        assert isinstance(harness.end(ending), StoreUnavailable)

        assert isinstance(harness.end(ending), Job)

        assert enum_application.job(job)["attempts"] == (0 if is_released else 1)


def test_an_ending_is_settled_although_nothing_can_be_claimed_after_it(
    enum_application: Application, tmp_path: Path
) -> None:
    job = enum_application.upload(b"")
    with opened(enum_application, tmp_path) as harness:
        claimed = harness.claim_one()
        enum_application.execute("REVOKE SELECT (uuid) ON uploaded_documents FROM lab_worker")
        enum_application.upload(b"")

        ended, claims = harness.jobs.settle([Failed(claimed, FINAL)], limit=1)

        assert isinstance(ended[0], Job)
        assert claims == []
        assert enum_application.job(job)["status"] == "failed"
        with pytest.raises(StoreUnavailable, match=r"permission denied.*lab-worker\.md"):
            harness.claim()


def test_a_worker_that_may_not_write_results_claims_nothing(enum_application: Application, tmp_path: Path) -> None:
    job = enum_application.upload(b"")
    enum_application.execute("REVOKE UPDATE (ml_raw_result) ON uploaded_documents FROM lab_worker")
    with opened(enum_application, tmp_path) as harness:
        with pytest.raises(StoreUnavailable, match=r"lacks UPDATE of uploaded_documents\.ml_raw_result; .*GRANTs"):
            harness.claim()

        assert enum_application.job(job)["attempts"] == 0


def test_while_an_end_cannot_be_written_nothing_else_is_claimed(enum_application: Application, tmp_path: Path) -> None:
    enum_application.upload(b"")
    second = enum_application.upload(b"")
    with opened(enum_application, tmp_path) as harness:
        ending = Completed(harness.claim_one(), json.dumps({"key": harness.put_archive()}))
        enum_application.execute("REVOKE UPDATE (ml_raw_result) ON uploaded_documents FROM lab_worker")

        ended, claimed = harness.jobs.settle([ending], limit=1)

        assert isinstance(ended[0], StoreUnavailable)
        assert claimed == []
        assert enum_application.job(second)["status"] == "pending"
        enum_application.execute("GRANT UPDATE (ml_raw_result) ON uploaded_documents TO lab_worker")
        assert isinstance(harness.end(ending), Job)


def test_a_database_that_is_read_only_for_a_while_fails_no_job(enum_application: Application, tmp_path: Path) -> None:
    job = enum_application.upload(b"")
    with opened(enum_application, tmp_path) as harness:
        ending = Completed(harness.claim_one(), json.dumps({"key": harness.put_archive()}))
        enum_application.execute("ALTER ROLE lab_worker SET default_transaction_read_only = on")
        try:
            harness.database.close()
            outcome = harness.end(ending)
        finally:
            enum_application.execute("ALTER ROLE lab_worker RESET default_transaction_read_only")
        assert type(outcome) is StoreUnavailable
        harness.database.close()

        assert isinstance(harness.end(ending), Job)
        assert enum_application.job(job)["status"] == "done"


def test_a_message_that_is_too_long_for_its_column_is_a_code(enum_application: Application, tmp_path: Path) -> None:
    job = enum_application.upload(b"")
    enum_application.execute("ALTER TABLE pdf_jobs ALTER COLUMN error_message TYPE varchar(20)")
    with opened(enum_application, tmp_path) as harness:
        harness.fail(harness.claim_one(), FINAL)

    assert enum_application.job(job)["error_message"] == "no_text"


def test_what_a_trigger_says_is_not_repeated(enum_application: Application, tmp_path: Path) -> None:
    enum_application.upload(b"")
    with opened(enum_application, tmp_path) as harness:
        claimed = harness.claim_one()
        enum_application.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no: %',"
            " NEW.ml_normalized_result USING ERRCODE = 'insufficient_privilege'; END $$;"
            "CREATE TRIGGER refusing BEFORE UPDATE ON uploaded_documents FOR EACH ROW EXECUTE FUNCTION refuse()"
        )

        assert "Mustermann" not in str(harness.complete(claimed, normalized={"second_name": "Mustermann"}))


def test_a_job_without_a_document_is_one_whose_document_is_gone(enum_application: Application, tmp_path: Path) -> None:
    job = enum_application.upload(b"")
    enum_application.execute("ALTER TABLE pdf_jobs ALTER COLUMN uploaded_document_id DROP NOT NULL")
    enum_application.execute("UPDATE pdf_jobs SET uploaded_document_id = NULL")
    with opened(enum_application, tmp_path) as harness:
        claimed = harness.claim_one()

    assert (claimed.id, claimed.source_path) == (job, None)


def test_a_row_in_progress_that_nobody_locked_is_freed(enum_application: Application, tmp_path: Path) -> None:
    job = enum_application.upload(b"")
    enum_application.set_back(job, status="processing", locked_at=None)
    with opened(enum_application, tmp_path) as harness:
        assert harness.claim_one().id == job


def test_results_are_utf_8_whatever_the_environment_says(
    enum_application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    job = enum_application.upload(b"")
    with opened(enum_application, tmp_path) as harness:
        harness.complete(harness.claim_one(), normalized={"second_name": "Müller, Ткаченко"})
    monkeypatch.delenv("PGCLIENTENCODING")

    assert enum_application.document(job)["ml_normalized_result"] == {"second_name": "Müller, Ткаченко"}


def test_a_result_that_comes_too_late_does_not_stay(enum_application: Application, tmp_path: Path) -> None:
    enum_application.upload(b"")
    with opened(enum_application, tmp_path) as harness:
        claimed = harness.claim_one()
        harness.fail(claimed, FINAL)

        assert isinstance(harness.complete(claimed), LeaseLost)
        assert harness.left_behind() == []


def test_a_document_whose_row_is_gone_fails_and_says_so(enum_application: Application, tmp_path: Path) -> None:
    job = enum_application.upload(b"")
    with opened(enum_application, tmp_path) as harness:
        claimed = harness.claim_one()
        enum_application.execute("ALTER TABLE pdf_jobs DROP CONSTRAINT pdf_jobs_uploaded_document_id_fkey")
        enum_application.execute("DELETE FROM uploaded_documents")

        assert "not in uploaded_documents any more" in str(harness.complete(claimed))
        assert enum_application.job(job)["status"] == "processing"
        assert isinstance(harness.fail(claimed), Job)
        assert harness.claim_one().source_path is None


def test_what_is_not_held_is_lost(enum_application: Application, tmp_path: Path) -> None:
    enum_application.upload(b"")
    with opened(enum_application, tmp_path) as harness:
        claimed = harness.claim_one()
        harness.fail(claimed, FINAL)

        assert isinstance(harness.fail(claimed, FINAL), LeaseLost)
        assert isinstance(harness.jobs.renew([claimed])[0], LeaseLost)


def _lines_until(process: object, word: str) -> Iterator[str]:
    for line in process.stderr:  # type: ignore[attr-defined]
        yield line
        if word in line:
            return
