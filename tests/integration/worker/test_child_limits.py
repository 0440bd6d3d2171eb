"""What a child may use: each limit, and the error that it becomes."""

import resource
import sys
from pathlib import Path

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.workbench import LONG, PATH, Numbers, Start, a_task, ask, has_ended, produced, refused

from blobforge.domain.errors import ChildStalled, ChildTimedOut, CpuLimit, MemoryLimit, OutputLimit
from blobforge.domain.json_value import JsonObject
from blobforge.worker.limits import MEGABYTE
from blobforge.worker.messages import Operation, Request

# What a system looks like that knows no limit of address space, as macOS does.
WITHOUT_ADDRESS_LIMIT = """
import resource
_setrlimit = resource.setrlimit

def setrlimit(kind, limits):
    if kind == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    _setrlimit(kind, limits)

resource.setrlimit = setrlimit
"""


@pytest.fixture
def limits(start: Start, tmp_path: Path) -> JsonObject:
    child = start(strange.Confession, memory_mb=1500, cpu_seconds=100, open_files=99, output_mb=7)
    limits = produced(ask(child, a_task(tmp_path))).product.summary["limits"]
    assert isinstance(limits, dict)
    return limits


def test_a_child_has_a_session_and_a_group_of_its_own(start: Start, tmp_path: Path) -> None:
    summary = produced(ask(start(strange.Confession), a_task(tmp_path))).product.summary

    assert summary["pid"] == summary["group"] == summary["session"]


def test_memory_files_output_and_core_dumps_are_limited_for_good(limits: JsonObject) -> None:
    assert limits["RLIMIT_AS"] == [1500 * MEGABYTE, 1500 * MEGABYTE]
    assert limits["RLIMIT_NOFILE"] == [99, 99]
    assert limits["RLIMIT_FSIZE"] == [7 * MEGABYTE, 7 * MEGABYTE]
    assert limits["RLIMIT_CORE"] == [0, 0]


def test_processor_time_is_limited_anew_for_each_document(limits: JsonObject) -> None:
    allowed, most = resource.getrlimit(resource.RLIMIT_CPU)

    assert limits["RLIMIT_CPU"] in ([101, most], [102, most])
    assert allowed == most


def test_a_limit_of_the_system_that_is_lower_stays(start: Start, tmp_path: Path) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)

    limits = produced(ask(start(strange.Confession, open_files=most * 2), a_task(tmp_path))).product.summary["limits"]

    assert isinstance(limits, dict)
    assert limits["RLIMIT_NOFILE"] == [most, most]


@pytest.mark.skipif(sys.platform != "linux", reason="the system chooses by itself elsewhere")
def test_when_the_machine_runs_out_of_memory_the_child_goes_first(start: Start, tmp_path: Path) -> None:
    assert produced(ask(start(strange.Confession), a_task(tmp_path))).product.summary["first_to_go"] == 500


def test_a_child_opens_with_nothing_but_its_pipes(start: Start, tmp_path: Path) -> None:
    with (tmp_path / "secret").open("wb"):
        summary = produced(ask(start(strange.Confession), a_task(tmp_path))).product.summary

    # The standard streams, the pipes for requests and answers, and the lifeline.
    assert isinstance(summary["open_files"], list)
    assert len(summary["open_files"]) == 6


def test_a_memory_bomb_is_refused_with_its_code_and_the_child_is_not_used_again(start: Start, tmp_path: Path) -> None:
    child = start(memory_mb=300)

    answer = refused(ask(child, a_task(tmp_path, eat_bytes=1_000_000_000)))

    assert answer.failure.code == "memory_limit"
    assert answer.failure.retryable
    assert child.needs_replacing


def test_a_system_without_a_limit_of_memory_does_no_harm(start: Start, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_ADDRESS_LIMIT)

    produced(ask(start(environment={"PYTHONPATH": f"{tmp_path}:{PATH}"}), a_task(tmp_path)))


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc to see what a process holds now")
def test_where_the_system_has_no_limit_of_memory_the_childs_own_watch_ends_it(start: Start, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_ADDRESS_LIMIT)
    child = start(memory_mb=150, environment={"PYTHONPATH": f"{tmp_path}:{PATH}"})

    with pytest.raises(MemoryLimit, match=r"more memory than child_memory_mb .* allows"):
        ask(child, a_task(tmp_path, eat_bytes=200_000_000, hang_seconds=60))


def test_an_endless_computation_is_ended_by_its_processor_time(start: Start, tmp_path: Path) -> None:
    with pytest.raises(CpuLimit, match="more processor time than it may"):
        ask(start(cpu_seconds=0), a_task(tmp_path, burn_seconds=60))


def test_a_file_that_grows_too_large_is_refused_with_its_code(start: Start, tmp_path: Path) -> None:
    answer = refused(ask(start(output_mb=1), a_task(tmp_path, write_bytes=3_000_000)))

    assert (answer.failure.code, answer.failure.message) == (
        "output_limit",
        "a file grew beyond the size that a child may write",
    )


def test_a_full_disk_is_refused_with_its_code(start: Start, tmp_path: Path) -> None:
    answer = refused(ask(start(strange.LetterBox), a_task(tmp_path, b"/dev/full")))

    assert answer.failure.code == "disk_full"
    assert "No space left on device" in answer.failure.message
    assert answer.failure.retryable


@pytest.mark.parametrize(
    ("number", "code"),
    [("EDQUOT", "disk_full"), ("EFBIG", "output_limit"), ("ENOMEM", "memory_limit"), ("EIO", "processing_error")],
)
def test_what_the_system_refuses_has_its_code(start: Start, tmp_path: Path, number: str, code: str) -> None:
    assert refused(ask(start(strange.Refuser), a_task(tmp_path, number.encode()))).failure.code == code


def test_a_flood_of_messages_ends_the_child(start: Start, tmp_path: Path) -> None:
    child = start()

    with pytest.raises(OutputLimit, match="printed more than 64 MB"):
        ask(child, a_task(tmp_path, flood_bytes=40_000_000))

    assert has_ended(child.pid)


def test_many_messages_of_one_document_are_not_held_against_the_next(start: Start, tmp_path: Path) -> None:
    child, task = start(), a_task(tmp_path, flood_bytes=20_000_000)

    for _ in range(2):
        produced(ask(child, task))


def test_the_hard_timeout_kills_the_whole_group(start: Start, tmp_path: Path) -> None:
    """R0-65, R2-47."""
    child, task, numbers = start(strange.Grandparent), a_task(tmp_path), Numbers()
    child.ask(Request(Operation.PLAN, task), seconds=LONG, on_progress=numbers)  # it is loaded by now

    with pytest.raises(ChildTimedOut, match=r"did not finish in 1\.5 s"):
        ask(child, task, seconds=1.5, on_progress=numbers)

    assert has_ended(numbers.told["child"])
    assert has_ended(numbers.told["grandchild"])


def test_signs_of_life_do_not_save_a_child_from_the_hard_timeout(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ChildTimedOut):
        ask(start(), a_task(tmp_path, hang_seconds=60), seconds=0.5)


def test_a_child_without_progress_is_ended_by_the_watchdog(start: Start, tmp_path: Path) -> None:
    child = start(stall_seconds=0.5)

    with pytest.raises(ChildStalled, match=r"no progress for 0\.5 s"):
        ask(child, a_task(tmp_path, stall=True, deaf=True))

    assert has_ended(child.pid)


def test_progress_keeps_the_watchdog_quiet(start: Start, tmp_path: Path) -> None:
    child = start(stall_seconds=1.5)

    produced(ask(child, a_task(tmp_path, hang_seconds=2)))
