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


def measured(told: str, what: str) -> float:
    (figure,) = re.findall(rf"^{what} ([\d.]+)$", told, re.MULTILINE)
    return float(figure)


def test_reports_go_from_submit_to_their_results_within_their_limits(tmp_path: Path) -> None:
    """R3-13, R3-19, R3-31, R3-40, R3-41, R3-43, R3-44."""
    (tmp_path / "documents").mkdir()
    layouts = LAYOUTS[:3]
    for layout in layouts:
        (tmp_path / "documents" / f"{layout.name}.pdf").write_bytes(print_report(layout, GERMAN).pdf)

    submitted = run(tmp_path, "submit", "documents", "--type", "lab_report")
    worked = run(tmp_path, "worker", "--type", "lab_report", "--drain", "--slots", "1")

    results = list((tmp_path / "store").rglob("*.zip"))
    assert len(results) == len(layouts)
    for result in results:
        with ZipFile(result) as archive:
            found = json.loads(archive.read("normalized.json"))
            assert archive.namelist() == ["info.json", "normalized.json", "raw.json"]
        assert len(found["observations"]) == len(GERMAN.results)
        assert found["second_name"] == GERMAN.second
    # What a worker says aloud holds nothing of the reports.
    told = submitted + worked
    assert not [word for word in (GERMAN.first, GERMAN.second, GERMAN.birthday, "Leukozyten") if word in told]
    # Time of the processors, so that what others do counts for nothing; the start of the worker is shared by them.
    assert measured(worked, "worked") / len(layouts) < SECONDS
    scale = 1024 if sys.platform != "darwin" else 1024 * 1024
    assert measured(worked, "peak") / scale < MEMORY_MB
