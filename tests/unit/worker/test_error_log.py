"""What a worker writes down of attempts that failed."""

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain import lifecycle
from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import LeaseLost, StoreUnavailable
from blobforge.domain.events import Attempt, History
from blobforge.domain.job import Failure, Job, State, lease_of
from blobforge.domain.retry import RetryPolicy
from blobforge.ports.blob_store import BlobKey, BlobStat, error_log_key
from blobforge.testing.builders import ALICE, LEASE, a_job, hash_of
from blobforge.testing.clock import START
from blobforge.worker import error_log as module
from blobforge.worker.error_log import KEPT, ErrorLog, of_history, read_error_log

TIMED_OUT = Failure("timed_out", "it took too long", retryable=True, stage="read", page=3)


@pytest.fixture
def blobs(tmp_path: Path) -> DirectoryBlobStore:
    return DirectoryBlobStore(tmp_path / "blobs", durable=False)


@pytest.fixture
def log(blobs: DirectoryBlobStore) -> Iterator[ErrorLog]:
    log = ErrorLog(lambda _: blobs)
    yield log
    log.close()


def held(*, lease: int = 1, **facts: Any) -> Job:
    job = a_job(source_path="/docs/big report.pdf", **facts)._replace(lease_number=lease - 1)
    return lifecycle.claim(job, worker_id=ALICE, now=START, until=START + LEASE)


def fail(log: ErrorLog, job: Job, failure: Failure = TIMED_OUT, *, details: str = "Traceback: …") -> Job:
    after = lifecycle.fail(job, lease_of(job), failure, policy=RetryPolicy(), roll=0, now=START + timedelta(minutes=1))
    log.note(Failed(job, failure), after, details)
    return after


def written(blobs: DirectoryBlobStore) -> dict[str, Any]:
    key = BlobKey(f"registry/logs/{hash_of('a document')}/error.json")
    with blobs.open(key) as stream:
        document: dict[str, Any] = json.loads(stream.read())
    return document


def test_an_error_is_kept_with_its_traceback_and_context(log: ErrorLog, blobs: DirectoryBlobStore) -> None:
    """R2-21."""
    fail(log, held())
    log.close()

    told = written(blobs)
    (attempt,) = told.pop("attempts")
    assert told == attempt
    assert told == {
        "job": "1",
        "project": "default",
        "type": "pdf",
        "source_hash": hash_of("a document"),
        "lease": 1,
        "time": "2026-01-01T12:01:00+00:00",
        "outcome": "failed",
        "worker": "alice",
        "code": "timed_out",
        "message": "it took too long",
        "attempt": 1,
        "stage": "read",
        "page": 3,
        "filename": "big report.pdf",
        "traceback": "Traceback: …",
    }


def test_the_newest_attempt_stands_at_the_top_and_the_others_below_it(log: ErrorLog, blobs: DirectoryBlobStore) -> None:
    fail(log, held(lease=1))
    fail(log, held(lease=2, max_attempts=1), Failure("not_a_pdf", "it is a web page"), details="")
    log.close()

    told = written(blobs)

    assert (told["lease"], told["code"], told["outcome"], told["traceback"]) == (2, "not_a_pdf", "died", None)
    assert [(attempt["lease"], attempt["code"]) for attempt in told["attempts"]] == [(1, "timed_out"), (2, "not_a_pdf")]


def test_only_the_last_attempts_are_kept(log: ErrorLog, blobs: DirectoryBlobStore) -> None:
    for lease in range(1, KEPT + 4):
        fail(log, held(lease=lease))
    log.close()

    leases = [attempt["lease"] for attempt in written(blobs)["attempts"]]

    assert leases == list(range(4, KEPT + 4))


def test_an_attempt_that_is_told_twice_is_written_once(log: ErrorLog, blobs: DirectoryBlobStore) -> None:
    fail(log, held())
    fail(log, held())
    log.close()

    assert len(written(blobs)["attempts"]) == 1


def test_a_name_that_is_no_text_can_be_kept(log: ErrorLog, blobs: DirectoryBlobStore) -> None:
    job = held()._replace(source_path="/docs/caf\udce9.pdf")
    fail(log, job)
    log.close()

    assert written(blobs)["filename"] == "caf\\udce9.pdf"
    assert read_error_log(blobs, job)[0].filename == "caf\\udce9.pdf"


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        (Completed(held(), "{}"), held()),
        (Released(held()), held()),
        (Failed(held(), TIMED_OUT), LeaseLost("another worker has it")),
    ],
    ids=["completed", "released", "lost"],
)
def test_what_did_not_fail_or_is_not_ours_any_more_is_not_written(
    log: ErrorLog, blobs: DirectoryBlobStore, ending: Ending, outcome: Job | LeaseLost
) -> None:
    log.note(ending, outcome, "")
    log.close()

    assert list(blobs.list("registry/")) == []


def test_what_was_written_is_read_again(log: ErrorLog, blobs: DirectoryBlobStore) -> None:
    job = held()
    fail(log, job)
    log.close()

    (attempt,) = read_error_log(blobs, job)

    assert (attempt.attempt, attempt.stage, attempt.page, attempt.traceback) == (1, "read", 3, "Traceback: …")
    assert attempt.time == START + timedelta(minutes=1)


def test_the_attempts_of_another_job_of_the_same_document_are_not_told(
    log: ErrorLog, blobs: DirectoryBlobStore
) -> None:
    fail(log, held())
    log.close()

    assert read_error_log(blobs, held()._replace(id=2, type="echo")) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content", ["", "no JSON", "[]", '{"attempts": 7}', '{"attempts": [7, {"job": 1}, {"job": 1, "lease": 1}]}']
)
def test_a_damaged_file_tells_nothing_and_is_replaced(
    log: ErrorLog, blobs: DirectoryBlobStore, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "damaged"
    path.write_text(content)
    blobs.put(error_log_key(hash_of("a document")), path)
    assert read_error_log(blobs, held()) == []

    fail(log, held())
    log.close()

    assert len(written(blobs)["attempts"]) == 1


class StoreThatIsAway(DirectoryBlobStore):
    def put(self, key: BlobKey, path: Path, **_: Any) -> BlobStat:
        raise StoreUnavailable("nobody answers")


def test_a_log_that_cannot_be_written_is_a_warning_and_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = ErrorLog(lambda _: StoreThatIsAway(tmp_path))

    after = fail(log, held())
    log.close()

    assert after.state is State.FAILED
    (line,) = caplog.records
    assert line.levelname == "WARNING"
    assert "the error log could not be written" in line.getMessage()
    assert "nobody answers" in line.getMessage()


def test_a_worker_does_not_wait_for_ever_for_a_store_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answers = threading.Event()

    class StoreThatHangs(DirectoryBlobStore):
        def put(self, key: BlobKey, path: Path, **_: Any) -> BlobStat:
            answers.wait(30)
            raise StoreUnavailable("too late")

    monkeypatch.setattr(module, "CLOSE_TIMEOUT_SECONDS", 0.05)
    log = ErrorLog(lambda _: StoreThatHangs(tmp_path))
    fail(log, held())

    log.close()
    answers.set()

    assert "error logs are not written: the store does not answer" in caplog.records[0].getMessage()


def test_the_history_tells_the_attempts_that_failed() -> None:
    attempts = [
        Attempt(a_job().id, number, ALICE, START, START, outcome, "code", "message")
        for number, outcome in enumerate(("failed", "released", "expired", "completed", "died"), start=1)
    ]

    told = of_history(History(attempts, []))

    assert [(attempt.lease, attempt.outcome) for attempt in told] == [(1, "failed"), (3, "expired"), (5, "died")]
    assert (told[0].worker, told[0].code, told[0].message, told[0].traceback) == ("alice", "code", "message", None)
