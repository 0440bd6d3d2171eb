"""Claims of rows: one at a time, in order, past what others hold, and back again when a worker is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from tests.integration.pdf_jobs.application import STAMP, Application, conninfo
from tests.integration.pdf_jobs.queue_harness import FINAL, QueueHarness, opened
from tests.postgres import Databases

from blobforge.coordination.pdf_jobs.rows import LONGEST_MESSAGE
from blobforge.domain.endings import Released
from blobforge.domain.errors import LeaseLost
from blobforge.domain.job import Failure, Job


@pytest.fixture
def harness(application: Application, tmp_path: Path) -> Iterator[QueueHarness]:
    with opened(application, tmp_path / "worker") as harness:
        yield harness


def test_rows_are_claimed_one_at_a_time_in_the_order_of_their_ids(
    application: Application, harness: QueueHarness
) -> None:
    """R3-9, R3-10, R3-12, R3-29."""
    first, second = application.upload(b""), application.upload(b"")

    job = harness.claim_one()

    assert job.id == first
    row = application.job(first)
    assert (row["status"], row["attempts"]) == ("processing", 1)
    assert row["locked_at"] is not None
    assert application.job(second)["status"] == "pending"


@pytest.mark.parametrize("until_drained", [True, False])
def test_an_empty_table_is_the_end_for_a_drain_alone(
    enum_application: Application, tmp_path: Path, until_drained: bool
) -> None:
    """R3-1, R3-12."""
    with opened(enum_application, tmp_path, until_drained=until_drained) as harness:
        assert harness.claim() is None

        assert harness.jobs.exhausted(running=0) is until_drained


def test_a_row_that_another_transaction_holds_is_passed_over(application: Application, harness: QueueHarness) -> None:
    """R3-9, R3-26, R3-29."""
    first, second = application.upload(b""), application.upload(b"")
    with psycopg.connect(application._url) as other:
        other.execute("SELECT 1 FROM pdf_jobs WHERE id = %s FOR UPDATE", (first,))

        assert harness.claim_one().id == second


def test_the_job_knows_where_its_file_is(application: Application, harness: QueueHarness) -> None:
    """R3-5, R3-13."""
    job = application.upload(b"", user_id=12)

    claimed = harness.claim_one()

    assert claimed.source_path == str(application.path_of(job).relative_to(application.uploads))


def test_the_tables_are_those_of_the_contract(application: Application) -> None:
    """R3-4, R3-6: what all these tests run on has the documented columns, and no others."""
    assert application.columns("uploaded_documents") == [
        *("id", "uuid", "user_id", "storage_disk", "file_size_bytes", "mime_type", "file_hash_sha256"),
        *("ml_raw_result", "ml_normalized_result", "processed_at", "created_at", "updated_at"),
    ]
    assert application.columns("pdf_jobs") == [
        *("id", "uploaded_document_id", "status", "attempts", "error_message", "locked_at"),
        *("created_at", "updated_at"),
    ]


def test_only_the_documented_columns_are_written(application: Application, harness: QueueHarness) -> None:
    """R3-5, R3-7, R3-8."""
    job = application.upload(b"")
    before = {**application.document(job), **application.job(job)}

    harness.complete(harness.claim_one())

    after = {**application.document(job), **application.job(job)}
    changed = {name for name in before if before[name] != after[name]}
    documented = {"status", "attempts", "ml_raw_result", "ml_normalized_result", "processed_at"}
    assert changed == documented
    assert str(after["updated_at"]) == STAMP


@pytest.mark.parametrize(
    ("end", "changed"),
    [
        (lambda harness, job: harness.fail(job), {"attempts", "error_message"}),
        (lambda harness, job: harness.fail(job, FINAL), {"status", "attempts", "error_message"}),
        (lambda harness, job: harness.end(Released(job)), set()),
    ],
    ids=["failed for now", "failed for good", "released"],
)
def test_a_job_that_did_not_work_out_changes_only_the_documented_columns_too(
    application: Application,
    harness: QueueHarness,
    end: Callable[[QueueHarness, Job], object],
    changed: set[str],
) -> None:
    """R3-7, R3-8."""
    job = application.upload(b"")
    before = {**application.document(job), **application.job(job)}

    held = harness.claim_one()
    claimed = {**application.document(job), **application.job(job)}
    end(harness, held)

    after = {**application.document(job), **application.job(job)}
    assert {name for name in before if before[name] != claimed[name]} == {"status", "attempts", "locked_at"}
    assert {name for name in before if before[name] != after[name]} == changed
    assert str(after["updated_at"]) == STAMP


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE pdf_jobs SET updated_at = now()",
        "UPDATE uploaded_documents SET file_hash_sha256 = ''",
        "SELECT file_hash_sha256 FROM uploaded_documents",
        "SELECT ml_raw_result FROM uploaded_documents",
        "DELETE FROM pdf_jobs",
        "ALTER TABLE pdf_jobs ADD COLUMN token text",
    ],
)
def test_the_role_of_the_how_to_may_do_nothing_else(enum_application: Application, statement: str) -> None:
    """R3-8."""
    with psycopg.connect(conninfo(enum_application)) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(statement.encode())


def test_a_stale_row_is_claimed_again_and_counts_an_attempt(application: Application, harness: QueueHarness) -> None:
    """R3-30: AC-2."""
    job = application.upload(b"")
    harness.claim_one()
    application.age_lock(job, seconds=601)

    assert harness.claim_one().attempts == 2


def test_a_row_whose_lock_is_fresh_is_left_alone(application: Application, harness: QueueHarness) -> None:
    application.upload(b"")
    harness.claim_one()

    assert harness.claim() is None


def test_a_stale_row_without_attempts_left_fails_and_says_why(application: Application, harness: QueueHarness) -> None:
    """R3-21, R3-34: AC-6."""
    job = application.upload(b"")
    application.set_back(job, status="processing", attempts=3, locked_at="2026-01-01")

    assert harness.claim() is None
    row = application.job(job)
    assert (row["status"], row["attempts"], row["locked_at"]) == ("failed", 3, None)
    assert row["error_message"].startswith("worker_lost:")


@pytest.mark.parametrize("locked_at", ["timestamp", "timestamp(0)", "timestamptz"])
def test_signs_of_life_keep_a_long_job(postgres_server: Databases, tmp_path: Path, locked_at: str) -> None:
    application = Application(postgres_server, tmp_path / "uploads", locked_at=locked_at)
    job = application.upload(b"")
    with opened(application, tmp_path / "worker", stale_seconds=60) as harness:
        claimed = harness.claim_one()
        for _ in range(2):
            harness.hold_since(application, job, "2026-01-01 00:00:00+00")

            assert harness.jobs.renew([claimed]) == [claimed]

        assert harness.claim() is None
        assert harness.jobs.get_many([claimed.id]) == [claimed]
        assert isinstance(harness.complete(claimed), Job)


def test_a_zombie_writes_neither_results_nor_its_end(
    application: Application, harness: QueueHarness, tmp_path: Path
) -> None:
    job = application.upload(b"")
    zombie = harness.claim_one()
    application.age_lock(job, seconds=601)
    with opened(application, tmp_path / "other") as other:
        heir = other.claim_one()

        assert isinstance(harness.jobs.renew([zombie])[0], LeaseLost)
        assert harness.jobs.get_many([zombie.id]) == []
        assert isinstance(harness.complete(zombie, normalized={"of": "the zombie"}), LeaseLost)

        assert application.document(job)["ml_normalized_result"] is None
        assert application.job(job)["status"] == "processing"
        assert isinstance(other.complete(heir), Job)
    assert harness.left_behind() == []


def test_a_row_that_its_owner_set_back_is_lost_although_it_has_the_same_count(
    application: Application, harness: QueueHarness, tmp_path: Path
) -> None:
    job = application.upload(b"")
    first = harness.claim_one()
    # A column of whole seconds does not tell two claims within one of them apart.
    harness.hold_since(application, job, "2026-01-01 00:00:00+00")
    application.set_back(job, status="pending", attempts=0, locked_at=None)
    with opened(application, tmp_path / "other") as other:
        second = other.claim_one()
        assert second.attempts == first.attempts

        assert isinstance(harness.complete(first), LeaseLost)
        assert isinstance(other.complete(second), Job)


def test_a_release_gives_the_attempt_back(application: Application, harness: QueueHarness) -> None:
    job = application.upload(b"")

    harness.end(Released(harness.claim_one()))

    row = application.job(job)
    assert (row["status"], row["attempts"], row["locked_at"]) == ("pending", 0, None)


def test_what_failed_here_rests_while_others_are_done(application: Application, tmp_path: Path) -> None:
    first, second = application.upload(b""), application.upload(b"")
    with opened(application, tmp_path, rest_seconds=10) as harness:
        harness.fail(harness.claim_one())

        assert harness.claim_one().id == second
        assert harness.claim() is None
        harness.now += 11
        assert harness.claim_one().id == first


def test_the_third_failure_is_the_last(application: Application, harness: QueueHarness) -> None:
    """R3-21, R3-26, R3-34: AC-6."""
    job = application.upload(b"")
    statuses = []
    for _ in range(3):
        harness.now += 1
        harness.fail(harness.claim_one())
        statuses.append(application.job(job)["status"])

    assert statuses == ["pending", "pending", "failed"]
    assert application.job(job)["error_message"].startswith("source_missing: document 1")
    assert harness.claim() is None


def test_what_another_attempt_cannot_change_fails_at_once(application: Application, harness: QueueHarness) -> None:
    """R3-16."""
    job = application.upload(b"")

    harness.fail(harness.claim_one(), FINAL)

    assert application.job(job)["status"] == "failed"
    assert application.job(job)["attempts"] == 1


def test_an_error_that_says_much_is_cut(enum_application: Application, tmp_path: Path) -> None:
    """R3-22."""
    job = enum_application.upload(b"")

    with opened(enum_application, tmp_path / "worker") as harness:
        harness.fail(
            harness.claim_one(), Failure("processing_error", "ValueError at a.py:1 f < " + "b.py:2 g < " * 1_000)
        )

    message = enum_application.job(job)["error_message"]
    assert message.startswith("processing_error: ValueError at a.py:1 f < b.py:2 g")
    assert len(message) == LONGEST_MESSAGE


def test_results_and_the_end_come_in_one_transaction(application: Application, harness: QueueHarness) -> None:
    """R3-14, R3-32, R3-33: AC-4, AC-5. A trigger of the owner refuses the results: then the job is not done either."""
    job = application.upload(b"")
    claimed = harness.claim_one()
    application.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'no: %', NEW.ml_normalized_result; END $$;"
        "CREATE TRIGGER refusing BEFORE UPDATE ON uploaded_documents FOR EACH ROW EXECUTE FUNCTION refuse()"
    )

    outcome = harness.complete(claimed, normalized={"second_name": "Mustermann"})

    assert application.job(job)["status"] == "processing"
    # The database quotes the row; nobody repeats it.
    assert "refused" in str(outcome)
    assert "Mustermann" not in str(outcome)
    assert harness.left_behind() == []


def test_results_do_not_stay_where_the_end_is_refused(application: Application, harness: QueueHarness) -> None:
    """R3-14. A trigger of the owner refuses the end: then the document has no results either."""
    job = application.upload(b"")
    claimed = harness.claim_one()
    application.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;"
        "CREATE TRIGGER refusing BEFORE UPDATE ON pdf_jobs FOR EACH ROW WHEN (NEW.status::text = 'done')"
        " EXECUTE FUNCTION refuse()"
    )

    outcome = harness.complete(claimed)

    document = application.document(job)
    assert "refused" in str(outcome)
    assert application.job(job)["status"] == "processing"
    assert [document[name] for name in ("ml_raw_result", "ml_normalized_result", "processed_at")] == [None] * 3


def test_what_jsonb_cannot_hold_is_left_out(application: Application, harness: QueueHarness) -> None:
    job = application.upload(b"")

    harness.complete(harness.claim_one(), raw={"text": "a\0b\ud800c", "rows": ["\0"]})

    assert application.document(job)["ml_raw_result"] == {"text": "ab?c", "rows": [""]}


def test_a_second_run_overwrites_the_results_of_the_first(application: Application, harness: QueueHarness) -> None:
    """R3-46."""
    job = application.upload(b"")
    harness.complete(harness.claim_one(), normalized={"run": 1})
    application.set_back(job, status="pending", attempts=0)

    harness.complete(harness.claim_one(), normalized={"run": 2})

    assert application.document(job)["ml_normalized_result"] == {"run": 2}
