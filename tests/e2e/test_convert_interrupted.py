"""Runs that are broken off, and several at once: the same command goes on where they stopped."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, children_of, converted, ended, files_below, is_gone, until
from tests.e2e.tesseracts import Gate, Reader
from tests.pdfs import scanned_pdf, text_pdf

from blobforge.domain.job import State
from blobforge.ports.job_store import JobFilter

DONE = ["a0.pdf", "a1.pdf", "a2.pdf"]


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path / "reader")


@pytest.fixture
def half_done(blobforge: Blobforge, docs: Path, out: Path, gate: Gate) -> "subprocess.Popen[str]":
    """A run in the middle: three documents are written, a fourth is being read, a fifth waits."""
    for name in DONE:
        text_pdf(docs / name)
    scanned_pdf(docs / "b scan.pdf")
    text_pdf(docs / "c last.pdf")
    # What the settings say of workers is no grace time for a person who waits.
    process = blobforge.start("convert", "docs", "-o", "out", "--json", PATH=gate.path, BLOBFORGE_ON_TERM="finish")
    gate.wait_until_reached()
    until(lambda: len(list(out.glob("*.md"))) == len(DONE))
    return process


def test_kill_9_loses_nothing_and_nobody_waits_for_leases(
    blobforge: Blobforge, half_done: "subprocess.Popen[str]", reader: Reader, out: Path
) -> None:
    children = children_of(half_done.pid)
    os.kill(half_done.pid, signal.SIGKILL)
    half_done.communicate()
    until(lambda: all(is_gone(pid) for pid in children))
    began = time.monotonic()

    run = blobforge.convert("docs", "-o", "out", PATH=reader.path)

    assert time.monotonic() - began < 60  # a lease lasts 180 s
    assert run.code == 0
    assert run.outcomes == {**dict.fromkeys(DONE, "cached"), "b scan.pdf": "converted", "c last.pdf": "converted"}
    assert files_below(out) == [*(f"{Path(name).stem}.md" for name in DONE), "b scan.md", "c last.md"]
    assert files_below(blobforge.home / "workers") == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_the_run_within_5_seconds_and_the_next_one_goes_on(
    blobforge: Blobforge, half_done: "subprocess.Popen[str]", reader: Reader, out: Path, number: signal.Signals
) -> None:
    children = children_of(half_done.pid)
    began = time.monotonic()

    half_done.send_signal(number)

    stopped = converted(ended(half_done))
    assert time.monotonic() - began < 5
    assert (stopped.code, stopped.account["interrupted"]) == (130, True)
    assert stopped.outcomes == dict.fromkeys(DONE, "converted")
    assert stopped.account["left"] == 2
    assert children
    assert all(is_gone(pid) for pid in children)
    assert files_below(out) == [f"{Path(name).stem}.md" for name in DONE]
    assert files_below(blobforge.home / "workers") == []
    with blobforge.queue() as queue:
        given_back = queue.page(JobFilter(state=State.PENDING))
    assert [(Path(job.source_path or "").name, job.attempts) for job in given_back] == [
        ("c last.pdf", 0),
        ("b scan.pdf", 0),
    ]
    run = blobforge.convert("docs", "-o", "out", PATH=reader.path)
    assert run.outcomes == {**dict.fromkeys(DONE, "cached"), "b scan.pdf": "converted", "c last.pdf": "converted"}


def test_a_run_under_nohup_outlives_its_terminal(blobforge: Blobforge, docs: Path, gate: Gate) -> None:
    scanned_pdf(docs / "scan.pdf")
    process = blobforge.start("convert", "docs", "-o", "out", "--json", ignoring=[signal.SIGHUP], PATH=gate.path)
    gate.wait_until_reached()

    process.send_signal(signal.SIGHUP)
    gate.let_through()

    assert converted(ended(process)).outcomes == {"scan.pdf": "converted"}


def test_a_signal_before_the_work_begins_ends_the_run_too(blobforge: Blobforge, docs: Path) -> None:
    # A file of a terabyte that holds nothing: to hash it takes an hour.
    with (docs / "huge.pdf").open("wb") as file:
        file.truncate(1 << 40)
    process = blobforge.start("convert", "docs", "-o", "out", "--json")
    until(lambda: any(link.endswith("huge.pdf") for link in open_files(process.pid)))
    began = time.monotonic()

    process.send_signal(signal.SIGINT)

    stopped = converted(ended(process))
    assert time.monotonic() - began < 5
    assert (stopped.code, stopped.account["documents"]) == (130, 0)


def open_files(pid: int) -> list[str]:
    try:
        return [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:  # it opened or closed one while we looked
        return []


def test_two_runs_at_once_share_the_work_and_both_tell_all_of_it(
    blobforge: Blobforge, docs: Path, out: Path, gate: Gate, reader: Reader
) -> None:
    scanned_pdf(docs / "a scan.pdf")
    for number in range(6):
        text_pdf(docs / f"b{number}.pdf")
    first = blobforge.start("convert", "docs", "-o", "out", "--json", PATH=gate.path)
    gate.wait_until_reached()

    second = blobforge.start("convert", "docs", "-o", "out", "--json", PATH=reader.path)
    until(lambda: len(list(out.glob("b*.md"))) >= 5)  # what the first has not claimed ahead
    gate.let_through()

    runs = [converted(ended(process)) for process in (first, second)]
    assert [(run.code, run.account["documents"], run.account["failed"]) for run in runs] == [(0, 7, 0), (0, 7, 0)]
    converted_by = [{name for name, outcome in run.outcomes.items() if outcome == "converted"} for run in runs]
    assert converted_by[0] | converted_by[1] == {"a scan.pdf", *(f"b{number}.pdf" for number in range(6))}
    assert not converted_by[0] & converted_by[1]
    assert len(converted_by[1]) >= 5
    assert len(files_below(out)) == 7


def test_two_runs_that_want_other_results_of_one_document_both_get_theirs(
    blobforge: Blobforge, docs: Path, tmp_path: Path, gate: Gate, reader: Reader
) -> None:
    scanned_pdf(docs / "scan.pdf", text_first=True)
    whole = blobforge.start("convert", "docs", "-o", "whole", "--json", PATH=gate.path)
    gate.wait_until_reached()

    explained = blobforge.start("convert", "docs", "-o", "explained", "--explain", "--json", PATH=reader.path)
    with blobforge.queue() as queue:
        until(lambda: len(queue.workers()) == 2)
    gate.let_through()

    runs = [converted(ended(process)) for process in (whole, explained)]
    assert [(run.code, run.account["pages"]) for run in runs] == [(0, 2), (0, 2)]
    assert files_below(tmp_path / "whole") == ["scan.md"]
    assert files_below(tmp_path / "explained") == ["scan.explain.html", "scan.md"]


def test_a_run_that_was_given_anothers_order_asks_for_its_own(
    blobforge: Blobforge, docs: Path, tmp_path: Path, gate: Gate
) -> None:
    other_gate = Gate(tmp_path / "other-gate")
    for folder in ("first", "second"):
        scanned_pdf(tmp_path / folder / f"a {folder}.pdf")
        text_pdf(tmp_path / folder / f"b {folder}.pdf")
        text_pdf(tmp_path / folder / "c shared.pdf", "One", "Two")
    first = blobforge.start("convert", "first", "-o", "whole", "--json", PATH=gate.path)
    gate.wait_until_reached()
    # Each has its slot full and one more claimed, so the shared document waits, now by the second's order.
    second = blobforge.start("convert", "second", "-o", "explained", "--explain", "--json", PATH=other_gate.path)
    other_gate.wait_until_reached()

    gate.let_through()
    one = converted(ended(first))
    other_gate.let_through()
    other = converted(ended(second))

    other_gate.close()
    assert [one.code, other.code] == [0, 0]
    assert files_below(tmp_path / "whole") == ["a first.md", "b first.md", "c shared.md"]
    assert "c shared.explain.html" in files_below(tmp_path / "explained")


def test_a_job_that_is_taken_away_is_told_of_and_not_forgotten(blobforge: Blobforge, docs: Path, gate: Gate) -> None:
    scanned_pdf(docs / "scan.pdf")
    process = blobforge.start("convert", "docs", "-o", "out", "--json", PATH=gate.path)
    gate.wait_until_reached()

    with blobforge.queue() as queue:
        (job,) = queue.page(JobFilter())
        queue.cancel(job.id)

    run = converted(ended(process))
    assert (run.code, run.outcomes) == (1, {"scan.pdf": "failed"})
