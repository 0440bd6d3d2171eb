"""The dashboard as text, on a narrow and on a wide terminal."""

import io
from dataclasses import replace
from datetime import timedelta

import pytest
from rich.console import Console, RenderableType
from tests.unit.cli.reports import queue_with, running_job, seen, worker

from blobforge.cli.overview.board import ALL, SHORT, Rows, board, rows_for, verbose_board
from blobforge.cli.overview.facts import Overview
from blobforge.cli.overview.paper import PLAIN, Paper
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.job import Failure
from blobforge.domain.worker_report import Machine
from blobforge.ports.job_store import Queue
from blobforge.telemetry.safe_text import on_one_line
from blobforge.testing.builders import ALICE, new_job
from blobforge.testing.clock import START

LONG_NAME = "annual-report-2025-consolidated-financial-statements.pdf"


def lines_of(what: RenderableType, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None, force_terminal=True)
    with console.capture() as captured:
        console.print(what)
    return [line.rstrip() for line in captured.get().splitlines()]


def drawn(overview: Overview, width: int, rows: Rows = SHORT) -> str:
    return "\n".join(lines_of(board(overview, Paper(width), rows), width))


@pytest.fixture
def queue() -> CoordinationService:
    jobs = [
        running_job(),
        running_job(job_id=8, name=LONG_NAME, stage="converting", current=130, total=412, rate=8.2, eta_seconds=162.0),
        running_job(job_id=9, name="new.pdf", stage=None, current=0, total=0, rate=None, eta_seconds=None),
    ]
    queue = queue_with(
        worker("rack4-left-9f3c1a20", jobs=jobs),
        worker("nightshift", run_windows=("22:00-06:00",), opens_at=START + timedelta(hours=10)),
        worker("old-laptop", ago=4000, jobs=[running_job(name="lost.pdf")]),
    )
    queue.submit([new_job(f"{number}", source_path=f"/docs/document-{number}.pdf") for number in range(8)])
    held = queue.claim(Queue("default", ("pdf",)), worker_id=ALICE, limit=6)
    queue.end([Completed(job, "{}") for job in held[:4]])
    queue.end([Failed(held[4], Failure("not_a_pdf", "document-4.pdf: this is HTML"))])
    return queue


@pytest.mark.parametrize("width", [80, 120, 200])
def test_no_line_is_wider_than_the_terminal(queue: CoordinationService, width: int) -> None:
    lines = lines_of(verbose_board(seen(queue), Paper(width)), width)

    assert max(map(len, lines)) <= width
    assert lines[0].endswith(f"{START.astimezone():%H:%M:%S}")


@pytest.mark.parametrize("width", [80, 200])
def test_running_documents_have_a_bar_a_stage_and_their_times(queue: CoordinationService, width: int) -> None:
    """R2-17, R2-18, R2-33, R0-73."""
    (line,) = [line for line in drawn(seen(queue), width).splitlines() if line.startswith("annual-report.pdf")]

    assert "━━━━" in line
    assert "Recognizing Text: 5/12" in line
    assert "1m12s" in line
    assert "~45s" in line


@pytest.mark.parametrize(("ago", "title"), [(41, "Running, as told up to 41s ago"), (2, "Running")])
def test_it_is_said_how_old_the_news_of_running_documents_are(ago: float, title: str) -> None:
    overview = seen(queue_with(worker(ago=1, jobs=[running_job()]), worker("slow", ago=ago, jobs=[running_job()])))

    assert title in drawn(overview, 80).splitlines()


@pytest.mark.parametrize("width", [80, 200])
def test_counts_by_state_and_how_much_is_done_are_told(queue: CoordinationService, width: int) -> None:
    """R2-18."""
    text = drawn(seen(queue), width)

    assert "2 pending  1 running  4 completed  0 failed  1 dead  0 cancelled" in text
    assert "50%, ~" in text


@pytest.mark.parametrize("width", [80, 200])
def test_workers_are_told_with_their_state_their_machine_and_all_together(
    queue: CoordinationService, width: int
) -> None:
    """R2-18, R2-20."""
    lines = drawn(seen(queue), width).splitlines()

    (busy,) = [line for line in lines if line.startswith("● rack4-left-9f3c1a20")]
    assert busy.split()[2:6] == ["working", "3/4", "87%", "41%"]
    (asleep,) = [line for line in lines if line.startswith("○ nightshift")]
    assert f"until {(START + timedelta(hours=10)).astimezone():%H:%M}" in asleep
    (total,) = [line for line in lines if line.startswith("2 workers")]
    assert total.startswith("2 workers · 1 lost · 3 of 8 slots busy · 824 an hour · 4,020 done, 36 failed")


def test_a_lost_worker_is_shown_as_lost_and_its_job_not_at_all(queue: CoordinationService) -> None:
    text = drawn(seen(queue), 80)

    (lost,) = [line for line in text.splitlines() if line.startswith("✗ old-laptop")]
    assert lost.split()[2] == "lost"
    assert lost.endswith("1h06m ago")
    assert "87%" not in lost, "what was measured an hour ago says nothing"
    assert "lost.pdf" not in text


def test_a_narrow_terminal_cuts_names_and_leaves_out_what_matters_least(queue: CoordinationService) -> None:
    narrow, wide = drawn(seen(queue), 80), drawn(seen(queue), 200)

    assert "annual-report-2025-" in narrow
    assert LONG_NAME not in narrow
    assert LONG_NAME in wide
    assert "RATE" not in narrow
    assert {"RATE", "SIZE", "HASH", "WINDOWS", "PROCESS"} <= set(wide.split())
    assert "8.2/s" in wide
    assert "6.6/min" in wide


def test_dead_jobs_are_told_with_their_code_and_on_a_wide_terminal_with_the_reason(
    queue: CoordinationService,
) -> None:
    narrow, wide = drawn(seen(queue), 80), drawn(seen(queue), 200)

    assert "✗ document-4.pdf  not_a_pdf" in narrow
    assert "document-4.pdf: this is HTML" in wide


def test_an_empty_queue_says_how_to_begin() -> None:
    text = drawn(seen(queue_with()), 80)

    assert "blobforge submit PATH" in text
    assert "blobforge worker" in text


def test_what_does_not_fit_is_counted(queue: CoordinationService) -> None:
    text = drawn(seen(queue), 80, Rows(running=1, workers=1, failures=1))

    assert text.count("and 2 more") == 2


@pytest.mark.parametrize(("claimed", "line"), [(1, "1 runs"), (2, "2 run")])
def test_what_runs_and_was_not_told_of_is_counted_below_the_list(claimed: int, line: str) -> None:
    queue = queue_with(worker())
    queue.submit([new_job("a"), new_job("b")])
    queue.claim(Queue("default", ("pdf",)), worker_id=ALICE, limit=claimed)

    assert f"{line} of which no worker has told yet" in drawn(seen(queue), 80)


def test_what_a_lost_worker_held_is_told_as_such() -> None:
    queue = queue_with()
    queue.submit([new_job("held")])
    (held,) = queue.claim(Queue("default", ("pdf",)), worker_id=ALICE)
    queue.register_worker(worker(jobs=[running_job(job_id=held.id, source_hash=held.source_hash)], ago=3600))

    said = drawn(seen(queue), 80)

    assert "1 is held by lost workers, until their leases end: blobforge why HASH" in said
    assert "no worker has told yet" not in said


def test_a_screen_is_filled_and_never_more_than_filled(queue: CoordinationService) -> None:
    for number in range(30):
        queue.register_worker(worker(f"w{number}", jobs=[running_job(job_id=number)] * 4))
    overview = seen(queue)

    for height in (24, 50):
        lines = drawn(overview, 80, rows_for(overview, height=height)).splitlines()
        assert height - 2 <= len(lines) <= height

    assert rows_for(overview, height=1) == Rows(1, 1, 1)


def test_all_rows_are_shown_where_there_is_room(queue: CoordinationService) -> None:
    assert rows_for(seen(queue), height=60) == Rows(running=3, workers=3, failures=1)


def test_where_nobody_measures_it_is_said_how_to(queue: CoordinationService) -> None:
    """R2-16."""
    blind = worker("blind", machine=Machine(disk_used=1, disk_total=2))

    assert "blobforge[metrics]" in drawn(seen(queue_with(blind)), 80)
    assert "blobforge[metrics]" not in drawn(seen(queue_with(blind, worker())), 80)
    assert "blobforge[metrics]" not in drawn(seen(queue_with(worker(machine=Machine()))), 80)


def test_a_terminal_without_these_signs_gets_plain_ones(queue: CoordinationService) -> None:
    lines = lines_of(board(seen(queue), Paper(80, PLAIN), ALL), 80)

    text = "\n".join(line for line in lines if "…" not in line)
    assert text.isascii()
    assert "####" in text


def test_a_name_cannot_steer_the_terminal() -> None:
    overview = seen(queue_with(worker(jobs=[running_job(name="a\x1b[2Jb.pdf")])))

    text = "\n".join(lines_of(board(overview, Paper(80, clean=on_one_line), SHORT), 80))

    assert "\x1b" not in text
    assert "a\\x1b[2Jb.pdf" in text


def test_verbose_counts_each_type(queue: CoordinationService) -> None:
    """R0-73."""
    queue.submit([new_job("other", type="echo")])

    lines = lines_of(verbose_board(seen(queue), Paper(80)), 80)

    assert [line.split() for line in lines if line.startswith(("echo", "pdf"))] == [
        ["echo", "1", "0", "0", "0", "0", "0"],
        ["pdf", "2", "1", "4", "0", "1", "0"],
    ]


@pytest.mark.parametrize("width", [60, 80, 140])
def test_results_with_flaws_are_told_below_the_bar_and_fit_on_the_screen(
    queue: CoordinationService, width: int
) -> None:
    overview = replace(seen(queue), gaps={"pdf": 2, "echo": 1}, doubts={"pdf": 1})

    lines = lines_of(board(overview, Paper(width), rows_for(overview, height=24)), width)

    assert "3 results have gaps: blobforge list --gaps" in lines
    assert "1 result has doubts: blobforge list --doubts" in lines
    assert len(lines) <= 24
