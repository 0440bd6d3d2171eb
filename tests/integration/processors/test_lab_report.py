"""Lab reports through a real worker and its child process."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from benchmarks.lab_reports.content import GERMAN
from benchmarks.lab_reports.layouts import LAYOUTS
from benchmarks.lab_reports.printing import print_report

MEMORY_MB = 512
SECONDS = 5
# From a process of its own: what this one has waited for before was somebody else's.
MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("peak", used.ru_maxrss, file=sys.stderr)
print("worked", used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(code)
"""


def run(folder: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "BLOBFORGE_QUEUE": f"sqlite:///{folder}/queue.db",
        "BLOBFORGE_STORE": f"file://{folder}/store",
    }
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "blobforge", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_report_goes_from_submit_to_its_result_within_its_limits(tmp_path: Path) -> None:
    """R3-13, R3-19, R3-31, R3-40, R3-41, R3-43, R3-44."""
    printed = print_report(LAYOUTS[0], GERMAN)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "report.pdf").write_bytes(printed.pdf)

    told = run(tmp_path, "submit", "documents", "--type", "lab_report")
    told += run(tmp_path, "worker", "--type", "lab_report", "--drain")

    (result,) = (tmp_path / "store").rglob("*.zip")
    with ZipFile(result) as archive:
        found = json.loads(archive.read("normalized.json"))
        assert archive.namelist() == ["info.json", "normalized.json", "raw.json"]
    assert len(found["observations"]) == len(GERMAN.results)
    assert found["second_name"] == GERMAN.second
    # What a worker says aloud holds nothing of the report.
    assert not [word for word in (GERMAN.first, GERMAN.second, GERMAN.birthday, "Leukozyten") if word in told]
    # Of the processor, with the start of the program and of its libraries; what others do counts for nothing.
    assert sum(float(seconds) for seconds in re.findall(r"^worked ([\d.]+)$", told, re.MULTILINE)) < 2 * SECONDS
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    assert max(int(peak) for peak in re.findall(r"^peak (\d+)$", told, re.MULTILINE)) / scale < MEMORY_MB
