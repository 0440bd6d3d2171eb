"""How busy this machine is: processor, memory and disk, as far as it can be measured."""

import shutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

from blobforge.domain.worker_report import Machine

_FIRST_INTERVAL_SECONDS = 0.1


class MachineWatch:
    """Processor and memory need psutil (`pip install 'blobforge[metrics]'`); without it only the disk is told."""

    def __init__(self, folder: Path, *, meter: str = "psutil") -> None:
        self._folder = folder
        self._meter_name = meter
        self._meter: ModuleType | None = None
        self._is_first = True

    def measure(self) -> Machine:
        if self._is_first:
            # Imported late: a run of less than a second reports no measurements.
            self._meter = _imported(self._meter_name)
        try:
            disk = shutil.disk_usage(self._folder)
            measured = Machine(disk_used=disk.used, disk_total=disk.total)
        except OSError:
            measured = Machine()
        return measured if self._meter is None else self._with_meter(self._meter, measured)

    def _with_meter(self, meter: ModuleType, measured: Machine) -> Machine:
        # The share of time since the last measurement; the first one needs an interval.
        cpu = meter.cpu_percent(interval=_FIRST_INTERVAL_SECONDS if self._is_first else None)
        self._is_first = False
        memory = meter.virtual_memory()
        return Machine(
            cpu_percent=float(cpu),
            memory_used=int(memory.total - memory.available),
            memory_total=int(memory.total),
            disk_used=measured.disk_used,
            disk_total=measured.disk_total,
        )


def _imported(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None
