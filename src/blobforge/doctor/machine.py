"""Checks of this machine: disk, clock, child processes, tools."""

import platform
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.doctor.findings import Finding, Verdict

MOST_SKEW_SECONDS = 5.0
LEAST_FREE_GB = 1.0


def python(_settings: Settings) -> Finding:
    message = f"{platform.python_version()} on {platform.platform()}"
    return Finding(name="python", verdict=Verdict.OK, message=message)


def home(settings: Settings) -> Finding:
    settings.home.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(settings.home).free / 1e9
    if free < LEAST_FREE_GB:
        message = f"only {free:.1f} GB are free in {settings.home}: make room, or set BLOBFORGE_HOME to another disk"
        return Finding(name="home", verdict=Verdict.WARNING, message=message)
    return Finding(name="home", verdict=Verdict.OK, message=f"{settings.home}, {free:.0f} GB free")


def clock(settings: Settings) -> Finding:
    """A disk on another machine has that machine's clock: leases compare the two."""
    with tempfile.NamedTemporaryFile(dir=settings.home) as file:
        there = datetime.fromtimestamp(Path(file.name).stat().st_mtime, UTC)
    skew = abs((datetime.now(UTC) - there).total_seconds())
    if skew > MOST_SKEW_SECONDS:
        message = f"this machine and the disk of {settings.home} differ by {skew:.0f} s: set the clocks (NTP)"
        return Finding(name="clock", verdict=Verdict.PROBLEM, message=message)
    return Finding(name="clock", verdict=Verdict.OK, message=f"agrees with the disk's within {MOST_SKEW_SECONDS:.0f} s")


def children(settings: Settings) -> Finding:
    limits = wiring.child_limits(settings)
    with tempfile.TemporaryDirectory(dir=settings.home) as folder:
        wiring.try_child(Path(folder), limits)
    return Finding(
        name="child processes",
        verdict=Verdict.OK,
        message=f"start and answer; at most {limits.memory_mb} MB and {limits.timeout_seconds:g} s each",
    )


def tesseract(settings: Settings) -> Finding:
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
