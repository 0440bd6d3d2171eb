"""Looks at the machine as the product will use it: tools, stores, clocks. Each finding says what to do."""

import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import WorkerId
from blobforge.ports.blob_store import BlobKey
from blobforge.telemetry.safe_text import without_passwords

MOST_SKEW_SECONDS = 5.0
LEAST_FREE_GB = 1.0
_PROBE = BlobKey("doctor/probe")


class Verdict(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """Something will be missing or slow."""
    PROBLEM = "problem"
    """Something will not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    name: str
    verdict: Verdict
    message: str


def examine(settings: Settings) -> Iterator[Finding]:
    """Every check, in the order in which a newcomer would want to mend them."""
    checks: dict[str, Callable[[Settings], Finding]] = {
        "python": _python,
        "home": _home,
        "queue": _queue,
        "store": _store,
        "clock": _clock,
        "child processes": _children,
        "tesseract": _tesseract,
    }
    for name, check in checks.items():
        try:
            yield check(settings)
        except BlobForgeError as error:
            yield Finding(name=name, verdict=Verdict.PROBLEM, message=f"{error} [{error.code}]")
        except OSError as error:
            yield Finding(name=name, verdict=Verdict.PROBLEM, message=str(error))


def _python(_settings: Settings) -> Finding:
    message = f"{platform.python_version()} on {platform.platform()}"
    return Finding(name="python", verdict=Verdict.OK, message=message)


def _home(settings: Settings) -> Finding:
    settings.home.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(settings.home).free / 1e9
    if free < LEAST_FREE_GB:
        message = f"only {free:.1f} GB are free in {settings.home}: make room, or set BLOBFORGE_HOME to another disk"
        return Finding(name="home", verdict=Verdict.WARNING, message=message)
    return Finding(name="home", verdict=Verdict.OK, message=f"{settings.home}, {free:.0f} GB free")


def _queue(settings: Settings) -> Finding:
    opened = wiring.open_coordinator(settings)
    try:
        # Reads and takes the write lock, as a worker does.
        jobs = sum(opened.coordinator.counts().values())
        opened.coordinator.deregister_worker(WorkerId("nobody"))
    finally:
        opened.close()
    return Finding(name="queue", verdict=Verdict.OK, message=f"{without_passwords(settings.queue)}, {jobs} jobs")


def _store(settings: Settings) -> Finding:
    blobs = wiring.open_blobs(settings)
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe")
        probe.write_bytes(b"a probe of blobforge doctor")
        blobs.put(_PROBE, probe)
    try:
        with blobs.open(_PROBE) as stored:
            same = stored.read() == b"a probe of blobforge doctor"
    finally:
        blobs.delete(_PROBE)
    where = without_passwords(settings.store)
    if not same or blobs.stat(_PROBE) is not None:
        message = f"{where} does not give back what was stored, or does not delete: use another disk"
        return Finding(name="store", verdict=Verdict.PROBLEM, message=message)
    return Finding(name="store", verdict=Verdict.OK, message=f"{where}: wrote, read and deleted a probe")


def _clock(settings: Settings) -> Finding:
    """A disk on another machine has that machine's clock: leases compare the two."""
    with tempfile.NamedTemporaryFile(dir=settings.home) as file:
        there = datetime.fromtimestamp(Path(file.name).stat().st_mtime, UTC)
    skew = abs((datetime.now(UTC) - there).total_seconds())
    if skew > MOST_SKEW_SECONDS:
        message = f"this machine and the disk of {settings.home} differ by {skew:.0f} s: set the clocks (NTP)"
        return Finding(name="clock", verdict=Verdict.PROBLEM, message=message)
    return Finding(name="clock", verdict=Verdict.OK, message=f"agrees with the disk's within {MOST_SKEW_SECONDS:.0f} s")


def _children(settings: Settings) -> Finding:
    limits = wiring.child_limits(settings)
    with tempfile.TemporaryDirectory(dir=settings.home) as folder:
        wiring.try_child(Path(folder), limits)
    return Finding(
        name="child processes",
        verdict=Verdict.OK,
        message=f"start and answer; at most {limits.memory_mb} MB and {limits.timeout_seconds:g} s each",
    )


def _tesseract(settings: Settings) -> Finding:
    program = shutil.which("tesseract")
    wanted = set(settings.conversion.ocr_languages.split("+")) - {"auto"}
    if program is None:
        message = "not installed: scanned pages wait for it (Debian: tesseract-ocr, macOS: brew install tesseract)"
        return Finding(name="tesseract", verdict=Verdict.WARNING, message=message)
    listed = subprocess.run([program, "--list-langs"], capture_output=True, text=True, timeout=20, check=False)
    there = set(listed.stdout.splitlines()[1:]) - {"osd", "equ"}
    missing = sorted(wanted - there) or ([] if there else ["eng"])
    if missing:
        message = f"{program} has no data for {', '.join(missing)} (Debian: tesseract-ocr-{missing[0]})"
        return Finding(name="tesseract", verdict=Verdict.WARNING, message=message)
    return Finding(name="tesseract", verdict=Verdict.OK, message=f"{program} with {', '.join(sorted(wanted or there))}")
