"""Echo, and the ways in which it goes wrong on request."""

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.unit.processors import pdfs

from blobforge.domain.errors import InvalidOptions, StoreUnavailable
from blobforge.domain.json_value import JsonObject
from blobforge.ports.processor import Plan, Processor, Progress, Slice, Task
from blobforge.processors.echo.mischief import misbehave
from blobforge.processors.echo.options import EchoOptions
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.testing.processor_contract import account_of, converted, nobody

CONTENT = b"0123456789"


@pytest.fixture
def processor() -> Processor:
    return EchoProcessor()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.write_bytes(CONTENT)
    return path


def in_a_child(options: JsonObject, tmp_path: Path) -> subprocess.CompletedProcess[bytes]:
    """Runs the first slice of a task in a process of its own, as a worker would."""
    (tmp_path / "source").write_bytes(CONTENT)
    (tmp_path / "work").mkdir(exist_ok=True)
    script = """
import json, sys
from pathlib import Path
from blobforge.ports.processor import Task
from blobforge.processors.echo.plugin import EchoProcessor

folder, options = Path(sys.argv[1]), json.loads(sys.argv[2])
task = Task(source=folder / "source", source_name="s", source_hash="0", workspace=folder / "work", options=options)
plan = EchoProcessor().plan(task)
EchoProcessor().run(task, plan, plan.slices[0], lambda progress: None)
"""
    command = [sys.executable, "-c", script, str(tmp_path), json.dumps(options)]
    return subprocess.run(command, capture_output=True, timeout=60)


def test_the_source_comes_back_unchanged(processor: Processor, source: Path, tmp_path: Path) -> None:
    product = converted(processor, pdfs.a_task(source, tmp_path / "work", slices=3, units=4))

    assert zipfile.ZipFile(product.archive).read("document.bin") == CONTENT


def test_an_empty_source_comes_back_empty(processor: Processor, source: Path, tmp_path: Path) -> None:
    source.write_bytes(b"")

    product = converted(processor, pdfs.a_task(source, tmp_path / "work", slices=2))

    assert zipfile.ZipFile(product.archive).read("document.bin") == b""


@pytest.mark.parametrize(
    ("options", "slices"),
    [
        ({}, [Slice(1, 1)]),
        ({"slices": 3}, [Slice(1, 1), Slice(2, 2), Slice(3, 3)]),
        ({"slices": "2", "units": "5"}, [Slice(1, 2), Slice(3, 5)]),
    ],
)
def test_it_is_cut_as_asked(
    processor: Processor, source: Path, tmp_path: Path, options: dict[str, Any], slices: list[Slice]
) -> None:
    plan = processor.plan(pdfs.a_task(source, tmp_path / "work", **options))

    assert list(plan.slices) == slices


@pytest.mark.parametrize("stage", ["plan", "run", "join"])
def test_it_fails_with_the_error_asked_for_where_it_is_asked_for(
    processor: Processor, source: Path, tmp_path: Path, stage: str
) -> None:
    task = pdfs.a_task(source, tmp_path / "work", fail="store_unavailable", stage=stage)

    def reached() -> list[str]:
        stages = ["plan"]
        plan = processor.plan(task)
        stages.append("run")
        processor.run(task, plan, plan.slices[0], nobody)
        stages.append("join")
        processor.join(task, plan, [], nobody)
        return stages

    with pytest.raises(StoreUnavailable, match="asked to fail"):
        reached()
    copied = (task.workspace / "unit-000001").exists()
    assert copied == (stage == "join")


def test_one_unit_may_fail_by_itself(processor: Processor, source: Path, tmp_path: Path) -> None:
    product = converted(processor, pdfs.a_task(source, tmp_path / "work", units=2, slices=1, fail_unit=2))

    assert account_of(product)[2]["code"] == "engine_failed"
    assert zipfile.ZipFile(product.archive).read("document.bin") == b"01234"


def test_it_exits_with_the_code_asked_for(tmp_path: Path) -> None:
    assert in_a_child({"exit_code": 7}, tmp_path).returncode == 7


def test_it_kills_itself_with_the_signal_asked_for(tmp_path: Path) -> None:
    assert in_a_child({"crash": int(signal.SIGKILL)}, tmp_path).returncode == -signal.SIGKILL


def test_it_crashes_on_one_unit_only(tmp_path: Path) -> None:
    options: JsonObject = {"slices": 1, "units": 3, "crash_unit": 2, "crash": int(signal.SIGKILL)}

    done = in_a_child(options, tmp_path)

    assert done.returncode == -signal.SIGKILL
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["unit-000001"]


def test_it_floods_both_streams(tmp_path: Path) -> None:
    done = in_a_child({"flood_bytes": 100_000}, tmp_path)

    assert (len(done.stdout), len(done.stderr)) == (100_000, 100_000)


def test_it_eats_memory(tmp_path: Path) -> None:
    before = peak_memory_of_children()

    in_a_child({"eat_bytes": 300_000_000}, tmp_path)

    assert peak_memory_of_children() >= max(before, 300_000_000)


def peak_memory_of_children() -> int:
    import resource

    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def test_it_fills_the_workspace(tmp_path: Path) -> None:
    in_a_child({"write_bytes": 70_000}, tmp_path)

    assert (tmp_path / "work" / "write_bytes").stat().st_size == 70_000


def test_it_leaves_a_process_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("blobforge.processors.echo.mischief.subprocess.Popen", started.append)

    misbehave(EchoOptions(orphan_seconds=5), tmp_path, nobody)

    assert started == [[sys.executable, "-c", "import time; time.sleep(5)"]]


def test_it_turns_deaf_to_a_request_to_end(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        misbehave(EchoOptions(deaf=True), tmp_path, nobody)
        os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


class FakeTime:
    """A clock that moves only when someone sleeps or looks at the processor's time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept = 0

    def monotonic(self) -> float:
        return self.now

    def process_time(self) -> float:
        self.now += 1
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += 1
        if self.slept > 100:
            raise TimeoutError


@pytest.fixture
def fake_time(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    fake = FakeTime()
    monkeypatch.setattr("blobforge.processors.echo.mischief.time", fake)
    return fake


def test_it_hangs_with_signs_of_life(tmp_path: Path, fake_time: FakeTime) -> None:
    heard: list[Progress] = []

    misbehave(EchoOptions(hang_seconds=1), tmp_path, heard.append)

    assert fake_time.now >= 1
    assert len(heard) == fake_time.slept


def test_it_stalls_for_ever_without_a_word(tmp_path: Path, fake_time: FakeTime) -> None:
    heard: list[Progress] = []

    with pytest.raises(TimeoutError):
        misbehave(EchoOptions(stall=True), tmp_path, heard.append)

    assert heard == []


def test_it_burns_a_processor(tmp_path: Path, fake_time: FakeTime) -> None:
    misbehave(EchoOptions(burn_seconds=5), tmp_path, nobody)

    assert fake_time.now >= 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slice": 3}, "did you mean 'slices'"),
        ({"zzz": 3}, "known are slices"),
        ({"slices": 0}, "at least 1"),
        ({"slices": "many"}, "slices='many'"),
        ({"stall": "perhaps"}, "stall='perhaps'"),
        ({"fail": "no_such_code"}, "no error code"),
        ({"stage": "later"}, "plan, run or join"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(processor: Processor, options: JsonObject, message: str) -> None:
    with pytest.raises(InvalidOptions, match=message):
        processor.recipe(options)


def test_nothing_that_it_did_wrong_is_mended(processor: Processor) -> None:
    assert processor.mended({"fail": "store_unavailable"}) == frozenset()


def test_it_is_a_plan_of_one_unit_without_options(processor: Processor, source: Path, tmp_path: Path) -> None:
    task: Task = pdfs.a_task(source, tmp_path / "work")

    assert processor.plan(task) == Plan(slices=(Slice(1, 1),))
