"""A child and its parent: what they say to each other, and how long a child serves."""

import os
import zipfile
from pathlib import Path

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.workbench import LONG, Start, a_task, ask, has_ended, open_files, produced, refused

from blobforge.domain.errors import ChildExited, ChildTimedOut
from blobforge.ports.processor import Gap, Plan, Progress, Slice
from blobforge.worker.messages import Operation, Planned, Reply, Request, SliceDone


def test_a_small_document_is_one_exchange(start: Start, tmp_path: Path) -> None:
    reply = ask(start(), a_task(tmp_path, b"some bytes"))

    made = produced(reply)
    with zipfile.ZipFile(made.product.archive) as archive:
        assert archive.read("document.bin") == b"some bytes"
    assert made.product.summary["pages"] == 1
    assert reply.peak_memory > 1024 * 1024


def test_a_large_document_comes_back_as_a_plan_and_is_run_and_joined_by_it(start: Start, tmp_path: Path) -> None:
    child, task = start(), a_task(tmp_path, b"abcdef", slices=3)

    plan = Plan(slices=(Slice(1, 1), Slice(2, 2), Slice(3, 3)))
    gap = Gap(plan.slices[0], "child_killed", "it died")

    def answer(operation: Operation, part: Slice | None = None, gaps: tuple[Gap, ...] = ()) -> Reply:
        return child.ask(Request(operation, task, plan, part, gaps), seconds=LONG, on_progress=lambda _: None)

    assert answer(Operation.CONVERT).answer == answer(Operation.PLAN).answer == Planned(plan)
    for part in plan.slices[1:]:
        assert answer(Operation.RUN, part).answer == SliceDone(part)
    joined = answer(Operation.JOIN, gaps=(gap,))
    with zipfile.ZipFile(produced(joined).product.archive) as archive:
        assert archive.read("document.bin") == b"cdef"


def test_progress_is_heard_while_it_works(start: Start, tmp_path: Path) -> None:
    heard: list[Progress] = []

    ask(start(), a_task(tmp_path, units=3), on_progress=heard.append)

    assert Progress("copying", 3, 3) in heard
    assert heard[-1] == Progress("writing", 3, 3)


def test_what_libraries_print_or_read_does_not_break_the_protocol(start: Start, tmp_path: Path) -> None:
    child, task = start(strange.Printer), a_task(tmp_path)

    first = produced(ask(child, task)).product.archive.read_bytes()
    second = produced(ask(child, task)).product.archive.read_bytes()

    assert first == second


@pytest.mark.parametrize("code", ["damaged_pdf", "disk_full", "engine_failed"])
def test_an_error_of_the_processor_comes_back_with_its_code_and_the_child_lives(
    start: Start, tmp_path: Path, code: str
) -> None:
    child = start()

    answer = refused(ask(child, a_task(tmp_path, fail=code)))

    assert answer.failure.code == code
    assert answer.failure.message == f"echo was asked to fail with {code}"
    assert not child.needs_replacing


def test_an_exception_that_nobody_expected_is_a_processing_error_and_the_child_is_not_used_again(
    start: Start, tmp_path: Path
) -> None:
    child = start(strange.Clumsy)

    answer = refused(ask(child, a_task(tmp_path, secrets={"password": ""})))

    assert answer.failure.code == "processing_error"
    assert answer.failure.message.startswith("RuntimeError: could not open it")
    assert "Traceback" in answer.details
    assert child.needs_replacing


def test_what_a_library_says_of_a_password_is_not_told(start: Start, tmp_path: Path) -> None:
    answer = refused(ask(start(strange.Clumsy), a_task(tmp_path, secrets={"password": "open sesame"})))

    assert answer.failure.message.startswith("RuntimeError at child_main.py:")
    assert "open sesame" not in answer.failure.message + answer.details


def test_a_result_that_is_no_json_is_the_processors_error(start: Start, tmp_path: Path) -> None:
    answer = refused(ask(start(strange.Unspeakable), a_task(tmp_path)))

    assert answer.failure.code == "processing_error"
    assert "JSON serializable" in answer.failure.message


def test_a_processor_that_cannot_be_loaded_is_named_in_the_error(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ChildExited, match=r"exit code 1 .*libhorn\.so"):
        ask(start(strange.missing_library), a_task(tmp_path))


def test_a_request_larger_than_a_pipe_arrives_whole(start: Start, tmp_path: Path) -> None:
    task = a_task(tmp_path, secrets={"password": "x" * 3_000_000})

    summary = produced(ask(start(strange.Confession), task)).product.summary

    assert summary["secrets"] == task.secrets


def test_a_child_that_never_reads_its_request_is_ended_by_the_clock(start: Start, tmp_path: Path) -> None:
    child = start(strange.slow_to_load)

    with pytest.raises(ChildTimedOut):
        ask(child, a_task(tmp_path, secrets={"password": "x" * 3_000_000}), seconds=0.5)

    assert has_ended(child.pid)


def test_a_listener_that_fails_does_not_leave_a_child_at_work(start: Start, tmp_path: Path) -> None:
    child = start(strange.Sleeper)

    def listener(_progress: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(child, a_task(tmp_path), on_progress=listener)

    assert has_ended(child.pid)


def test_a_module_in_the_present_folder_is_not_taken_for_ours(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('a stranger')")
    monkeypatch.chdir(tmp_path)

    summary = produced(ask(start(strange.Confession), a_task(tmp_path))).product.summary

    path = summary["path"]
    assert isinstance(path, list)
    assert not {"", str(tmp_path)} & set(path)


def test_a_child_is_replaced_after_so_many_documents(start: Start, tmp_path: Path) -> None:
    child, task = start(max_jobs=2), a_task(tmp_path)

    ask(child, task)
    after_one = child.needs_replacing
    ask(child, task)

    assert (after_one, child.needs_replacing) == (False, True)


def test_a_child_is_replaced_once_it_has_held_much_memory(start: Start, tmp_path: Path) -> None:
    child = start(recycle_mb=100)

    ask(child, a_task(tmp_path))
    after_a_small_one = child.needs_replacing
    ask(child, a_task(tmp_path, eat_bytes=120_000_000))

    assert (after_a_small_one, child.needs_replacing) == (False, True)


def test_the_memory_of_the_parent_does_not_wear_a_child_out(start: Start, tmp_path: Path) -> None:
    ballast = bytearray(b"\1") * 200_000_000

    child = start(recycle_mb=150)
    reply = ask(child, a_task(tmp_path))

    assert len(ballast) > reply.peak_memory
    assert not child.needs_replacing


def test_a_child_is_replaced_when_it_is_old(start: Start) -> None:
    assert start(max_age_seconds=0).needs_replacing
    assert not start(max_age_seconds=LONG).needs_replacing


def test_a_child_that_died_in_its_sleep_is_worn_out(start: Start, tmp_path: Path) -> None:
    child = start(strange.Nightcap)

    ask(child, a_task(tmp_path))
    assert has_ended(child.pid)

    assert child.needs_replacing


def test_a_child_leaves_when_it_is_closed_and_closing_twice_is_no_error(start: Start, tmp_path: Path) -> None:
    child = start()
    ask(child, a_task(tmp_path))

    child.close()
    child.close()
    child.kill()

    assert has_ended(child.pid)
    with pytest.raises(ChildProcessError):
        os.waitpid(child.pid, 0)


def test_a_child_that_cannot_be_started_leaves_no_pipe_open(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_files()
    monkeypatch.setattr("sys.executable", "/nowhere/python")

    with pytest.raises(FileNotFoundError):
        start()

    assert open_files() == before


def test_a_source_that_goes_away_is_told_as_missing(start: Start, tmp_path: Path) -> None:
    task = a_task(tmp_path, b"some bytes")
    task.source.unlink()

    failure = refused(ask(start(), task)).failure

    assert (failure.code, failure.retryable) == ("source_missing", True)
    assert failure.message == f"{task.source_name} is not there any more: it was moved or deleted"
