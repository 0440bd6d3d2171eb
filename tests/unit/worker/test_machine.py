"""How busy this machine is."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from blobforge.worker.machine import MachineWatch


class Meter(ModuleType):
    """Stands for psutil on a machine of a known size."""

    def __init__(self) -> None:
        super().__init__("a_meter")
        self.intervals: list[float | None] = []

    def cpu_percent(self, *, interval: float | None) -> float:
        self.intervals.append(interval)
        return 42.0

    def virtual_memory(self) -> SimpleNamespace:
        return SimpleNamespace(total=8_000, available=3_000)


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> Meter:
    meter = Meter()
    monkeypatch.setitem(sys.modules, "a_meter", meter)
    return meter


def test_processor_memory_and_disk_are_told(tmp_path: Path, meter: Meter) -> None:
    """R2-16."""
    measured = MachineWatch(tmp_path, meter="a_meter").measure()

    assert (measured.cpu_percent, measured.memory_used, measured.memory_total) == (42.0, 5_000, 8_000)
    assert measured.disk_used is not None
    assert measured.disk_total is not None
    assert 0 < measured.disk_used <= measured.disk_total


def test_only_the_first_look_waits_for_the_processor(tmp_path: Path, meter: Meter) -> None:
    watch = MachineWatch(tmp_path, meter="a_meter")

    watch.measure()
    watch.measure()

    assert [interval is None for interval in meter.intervals] == [False, True]


def test_psutil_itself_has_what_is_asked_of_it(tmp_path: Path) -> None:
    """R2-16."""
    pytest.importorskip("psutil")

    measured = MachineWatch(tmp_path).measure()

    assert measured.cpu_percent is not None
    assert measured.memory_total is not None
    assert measured.memory_used is not None
    assert 0 <= measured.memory_used <= measured.memory_total


def test_without_psutil_the_disk_is_told_alone(tmp_path: Path) -> None:
    """R2-16."""
    watch = MachineWatch(tmp_path, meter="a_module_that_is_not_installed")

    first, second = watch.measure(), watch.measure()

    assert (first.cpu_percent, first.memory_used, first.memory_total) == (None, None, None)
    assert first.disk_total == second.disk_total is not None


def test_a_folder_that_is_not_there_yet_is_no_error(tmp_path: Path) -> None:
    measured = MachineWatch(tmp_path / "nothing", meter="a_module_that_is_not_installed").measure()

    assert measured.disk_total is None
