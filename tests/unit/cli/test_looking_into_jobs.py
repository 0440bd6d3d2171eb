"""The commands that look into jobs: search-queue, logs, why."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.conftest import Call, Terminal
from tests.unit.cli.queues import queue_at

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.clock import SystemClock
from blobforge.config.catalog import catalog
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Failed
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.remedies import REMEDIES
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.coordinator.steps import PDFS, brought_to
from blobforge.worker import surroundings
from blobforge.worker.error_log import ErrorLog

REFUSED = Failure("engine_failed", "the page is upside down", stage="read", page=7)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    with queue_at(tmp_path) as queue:
        yield queue


def told(call: Call, *args: str, exit_code: int = 0) -> dict[str, Any]:
    done = call(*args, "--json")
    assert done.exit_code == exit_code, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


# search-queue


@pytest.fixture
def library(queue: CoordinationService) -> None:
    queue.submit(
        [
            new_job("a", source_path="/Books/Annual Report 2024.pdf", tags='["Finance"]'),
            new_job("b", source_path="/books/Manual.pdf", tags='["finance","spare parts"]'),
            new_job("c", source_path=None, tags="no list"),
            new_job("d", type="echo", source_path="/annual/letter.txt"),
        ]
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("annual",), [4, 1]),
        (("REPORT", "2024"), [1]),
        (("annual report",), [1]),
        (("finance",), [2, 1]),
        (("books", "spare"), [2]),
        (("list",), [3]),
        (("annual", "--type", "echo"), [4]),
        (("finance", "--limit", "1"), [2]),
        (("nothing like it",), []),
    ],
    ids=str,
)
def test_jobs_are_found_by_words_of_their_path_and_tags(
    call: Call, library: None, words: tuple[str, ...], found: list[int]
) -> None:
    """R2-28."""
    assert [int(job["id"]) for job in told(call, "search-queue", *words)["jobs"]] == found


def test_a_search_may_be_for_one_state_and_says_when_there_is_more(
    call: Call, queue: CoordinationService, library: None
) -> None:
    queue.claim(PDFS, worker_id=ALICE)

    assert [int(job["id"]) for job in told(call, "search-queue", "finance", "--state", "running")["jobs"]] == [1]
    assert told(call, "search-queue", "finance", "--limit", "1")["more"] is True
    assert told(call, "search-queue", "finance")["more"] is False


def test_people_get_a_table_or_are_told_that_there_is_nothing(call: Call, library: None) -> None:
    found, nothing = call("search-queue", "finance", "--limit", "1"), call("search-queue", "Nowhere")

    assert found.stdout.splitlines()[1].split()[0] == hash_of("b")[:12]
    assert found.stderr == "there are more: say further words, or a larger --limit\n"
    assert nothing.stdout == ""
    assert nothing.stderr.startswith("no job matches 'nowhere'; ")
    assert nothing.stderr.endswith(": blobforge search nowhere\n")


def test_a_search_needs_a_word(call: Call) -> None:
    done = call("search-queue", "  ")

    assert done.exit_code == 2
    assert "say at least one word" in done.stderr


# logs


@pytest.fixture
def blobs(tmp_path: Path) -> DirectoryBlobStore:
    return DirectoryBlobStore(tmp_path / ".local" / "share" / "blobforge" / "blobs")


@pytest.fixture
def failed(queue: CoordinationService, blobs: DirectoryBlobStore) -> Job:
    """Its worker died first, and then it failed for good."""
    queue.submit([new_job("one", source_path="/docs/one.pdf")])
    queue.claim(PDFS, worker_id=ALICE)
    queue.expire_worker(ALICE)
    (held,) = queue.claim(PDFS, worker_id=ALICE)
    (after,) = queue.end([Failed(held, REFUSED)])
    assert isinstance(after, Job)
    log = ErrorLog(lambda _: blobs)
    log.note(Failed(held, REFUSED), after, "Traceback (most recent call last):\n  boom\n")
    log.close()
    return after


def test_programs_get_every_failed_attempt_with_what_is_known(call: Call, failed: Job) -> None:
    """R2-22."""
    answer = told(call, "logs", hash_of("one")[:10])

    lost, died = answer["attempts"]
    assert list(answer) == ["job", "attempts"]
    assert (lost["lease"], lost["outcome"], lost["code"], lost["traceback"]) == (1, "expired", "lease_expired", None)
    assert died == {
        "lease": 2,
        "time": "2026-01-01T12:00:00+00:00",
        "outcome": "died",
        "worker": "alice",
        "code": "engine_failed",
        "message": "the page is upside down",
        "attempt": 2,
        "stage": "read",
        "page": 7,
        "filename": "one.pdf",
        "traceback": "Traceback (most recent call last):\n  boom\n",
    }


def test_people_read_the_attempts_one_after_the_other(call: Call, failed: Job) -> None:
    """R2-22."""
    assert call("logs", "#1").stdout.splitlines() == [
        "claim 1, 2026-01-01 12:00:00 UTC, by worker alice: the worker was gone before it finished",
        "  worker alice was gone before it finished attempt 1 of 3 [lease_expired]",
        "",
        "attempt 2, 2026-01-01 12:00:00 UTC, by worker alice: the job failed for good",
        "  the page is upside down [engine_failed]",
        "  at stage read, page 7",
        "  | Traceback (most recent call last):",
        "  |   boom",
    ]


def test_a_job_that_never_failed_says_so(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job("one", source_path="/docs/one.pdf")])

    done = call("logs", "#1")

    assert (done.stdout, done.stderr) == ("", "job #1 (one.pdf): no attempt has failed; it is pending\n")


def test_a_store_that_is_away_leaves_the_history(call: Call, queue: CoordinationService, tmp_path: Path) -> None:
    brought_to(queue, State.DEAD)
    (tmp_path / ".local" / "share" / "blobforge" / "blobs").write_text("no folder")

    done = call("logs", "#1")

    assert done.exit_code == 0
    assert done.stderr.startswith("warning: the error log cannot be read, so that there are no tracebacks: ")
    assert "it is a web page [not_a_pdf]" in done.stdout


# why


def register(queue: CoordinationService, **facts: Any) -> None:
    given = {"type": "pdf", "status": WorkerStatus.ONLINE, "last_heartbeat": SystemClock().now(), **facts}
    queue.register_worker(Worker(id=ALICE, **given))


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (State.PENDING, "no_worker"),
        (State.RUNNING, "lease_over"),
        (State.COMPLETED, "completed"),
        (State.FAILED, "no_worker"),
        (State.DEAD, "refused"),
        (State.CANCELLED, "cancelled"),
    ],
)
def test_every_state_is_explained(call: Call, queue: CoordinationService, state: State, reason: str) -> None:
    brought_to(queue, state)

    answer = told(call, "why", "#1")

    assert list(answer) == ["job", "reason", "explanation", "commands"]
    assert (answer["job"]["state"], answer["reason"]) == (state.value, reason)


def test_a_job_is_told_how_many_are_ahead_of_it(call: Call, queue: CoordinationService) -> None:
    register(queue)
    queue.submit([new_job("urgent", priority=1), new_job("a"), new_job("b"), new_job("later", priority=5)])
    queue.submit([new_job("of another type", type="echo", priority=1)])

    done = call("why", hash_of("b")[:12])

    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        f"job #3 ({hash_of('b')[:12]}…) is pending.",
        "It waits behind 2 jobs that are more urgent or older; its own priority is normal.",
        f"  blobforge reprioritize {hash_of('b')[:12]} critical",
        "  blobforge worker --type pdf",
    ]


def test_on_a_terminal_sentences_are_broken_between_words(terminal: Terminal, queue: CoordinationService) -> None:
    dead = brought_to(queue, State.DEAD)

    narrow, wide = terminal("why", "#1", columns=60), terminal("why", "#1", columns=200)

    head, *others = narrow.lines
    assert all(len(line) <= 60 for line in others)
    assert " ".join(narrow.lines).split() == " ".join(wide.lines).split()
    assert head == f"job #1 ({dead.source_hash[:12]}…) is dead."
    assert wide.lines[1] == "It was given up, because another attempt would end in the same way."


def test_a_long_line_is_not_counted_to_its_end(
    call: Call, queue: CoordinationService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings, "PAGES_COUNTED", 1)
    register(queue)
    queue.submit([new_job(f"{number}") for number in range(1_001)])
    queue.submit([new_job("last", priority=5)])

    assert "at least 499 jobs" in told(call, "why", hash_of("last")[:12])["explanation"]


def test_a_hash_that_is_not_known_is_told_how_to_submit_it(call: Call) -> None:
    answer = told(call, "why", "abcdef12", exit_code=1)

    assert (answer["job"], answer["reason"]) == (None, "unknown")
    assert answer["commands"][0] == "blobforge submit PATH"


def test_what_is_no_job_at_all_is_a_usage_error(call: Call) -> None:
    assert told(call, "why", "xyz", exit_code=2)["error"]["code"] == "invalid_value"


def test_the_settings_that_remedies_name_exist() -> None:
    named = {word.partition("=")[0] for remedy in REMEDIES.values() for word in remedy.commands if "=MORE" in word}

    assert named <= {setting.environment for setting in catalog()}
