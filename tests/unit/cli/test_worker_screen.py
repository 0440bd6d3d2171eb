"""The lines that a worker shows on a terminal."""

import logging
from datetime import timedelta

import pytest
from rich.cells import cell_len

from blobforge.cli.worker_screen import Fate, WorkerScreen, document_lines, fate_of
from blobforge.domain import lifecycle
from blobforge.domain.endings import Completed, Declined, Ending, Failed, Released
from blobforge.domain.errors import BlobForgeError, JobCancelled, LeaseLost
from blobforge.domain.job import Failure, Job, lease_of
from blobforge.domain.retry import RetryPolicy
from blobforge.testing.builders import ALICE, LEASE, a_job
from blobforge.testing.clock import START

NOT_A_PDF = Failure("not_a_pdf", "this is not a PDF (there is no %PDF in its first 1024 bytes)", retryable=False)
END = START + timedelta(seconds=3.4)


def held(path: str) -> Job:
    return lifecycle.claim(a_job(source_path=path), worker_id=ALICE, now=START, until=START + LEASE)


def shown(job: Job, outcome: Job | BlobForgeError, fate: Fate, *, width: int = 80) -> list[str]:
    return "\n".join(document_lines(job, outcome, fate, took=timedelta(seconds=3.4), now=END, width=width)).splitlines()


def completed(job: Job, result: str) -> Job:
    return lifecycle.complete(job, lease_of(job), result=result, now=END)


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("name", ["report.pdf", "Annual report of the harbour board 2022.pdf", "年度報告" * 9 + ".pdf"])
def test_a_document_is_one_line_with_its_hash_name_pages_seconds_and_fate(name: str, width: int) -> None:
    job = held(f"/library/{name}")
    done = completed(job, '{"pages": 1612}')

    (line,) = shown(job, done, fate_of(Completed(job, "{}"), done), width=width)

    assert cell_len(line) <= width
    assert line.split()[1] == job.source_hash[:8]
    assert line.endswith("  1612 pages       3.4 s  completed")
    assert name[:8] in line
    assert "/library" not in line


def test_a_failure_is_told_below_its_document_and_broken_between_words() -> None:
    job = held("/library/letter.pdf")
    dead = lifecycle.fail(
        job._replace(result='{"pages": 9}'), lease_of(job), NOT_A_PDF, policy=RetryPolicy(jitter=0), roll=0, now=END
    )

    first, *remarks = shown(job, dead, fate_of(Failed(job, NOT_A_PDF), dead))

    assert first.endswith(" 3.4 s  dead")
    assert "9 pages" not in first
    assert all(len(line) <= 80 and line.startswith(" " * 19) for line in remarks)
    assert " ".join(line.strip() for line in remarks) == f"not_a_pdf: {NOT_A_PDF.message} (attempt 1 of 3)"


@pytest.mark.parametrize(
    ("ending", "outcome", "word", "remark"),
    [
        (Released(held("a.pdf")), JobCancelled("job 1: it is cancelled"), "cancelled", ""),
        (Completed(held("a.pdf"), "{}"), LeaseLost("superseded by 2"), "lost", "superseded by 2"),
        (Released(held("a.pdf")), a_job(), "released", ""),
        (
            Declined(held("a.pdf"), frozenset({"engine:marker"}), Failure("engine_unavailable", "no", retryable=False)),
            a_job(),
            "left",
            "for a worker that has the engine marker: engine_unavailable: no",
        ),
        (
            Completed(held("a.pdf"), "{}"),
            completed(held("a.pdf"), '{"pages": 3, "pages_failed": 2, "codes": {"ocr_unavailable": 2}}'),
            "completed",
            "2 of 3 pages are missing (ocr_unavailable)",
        ),
    ],
    ids=["cancelled", "lost", "released", "declined", "gaps"],
)
def test_what_became_of_it_is_a_word_and_a_reason(
    ending: Ending, outcome: Job | BlobForgeError, word: str, remark: str
) -> None:
    fate = fate_of(ending, outcome)

    assert (fate.word, " ".join(fate.remarks)) == (word, remark)


def test_a_name_cannot_steer_the_terminal() -> None:
    job = held("/library/a\x1b[2Jb.pdf")
    done = completed(job, "{}")

    (line,) = shown(job, done, fate_of(Completed(job, "{}"), done))

    assert "\x1b" not in line


def test_the_seconds_are_measured_here_and_not_by_a_queue_that_tells_whole_ones(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("blobforge"), "level", logging.INFO)
    now = [100.0]
    screen = WorkerScreen(monotonic=lambda: now[0])
    job = held("a.pdf")
    done = completed(job, "{}")._replace(updated_at=START + timedelta(seconds=9))

    screen.claimed(job)
    now[0] = 102.5
    screen.ended([(Completed(job, "{}"), done)])
    screen.ended([(Completed(job, "{}"), done)])

    first, unknown = capsys.readouterr().err.splitlines()
    assert first.endswith(" 2.5 s  completed")
    assert unknown.endswith(" 0.0 s  completed")
