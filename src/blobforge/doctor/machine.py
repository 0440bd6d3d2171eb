"""Checks of this machine: disk, clock, child processes, tools."""

import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from blobforge import durable_files, wiring
from blobforge.config.settings import Settings
from blobforge.doctor.findings import Finding, Verdict
from blobforge.domain.errors import EngineUnavailable
from blobforge.domain.needs import language_package
from blobforge.sqlite_files import has_wal_reset_defect
from blobforge.wiring.addresses import files_of_queue

MENDED_PYTHONS = {(3, 11): (3, 11, 8), (3, 12): (3, 12, 2)}
"""By minor version: the first with the mends that results need (SECURITY.md); later ones have them from the start."""
MOST_SKEW_SECONDS = 5.0
LEAST_FREE_GB = 1.0
LANDLOCK_WITH_SIGNALS = 6
_SQLITE = b"SQLite format 3\0"


def python(_settings: Settings) -> Finding:
    message = f"{platform.python_version()} on {platform.platform()}"
    if sys.version_info[:3] >= MENDED_PYTHONS.get(sys.version_info[:2], (3,)):
        return Finding(name="python", verdict=Verdict.OK, message=message)
    flaw = "its zipfile unpacks archives whose members overlap (CVE-2024-0450)"
    advice = f"use at least {mended_pythons()}, or what your distribution has mended"
    return Finding(name="python", verdict=Verdict.WARNING, message=f"{message}: {flaw}; {advice}")


def mended_pythons() -> str:
    """In words, as the documents have it: `3.11.8, 3.12.2 or 3.13`."""
    floors = [".".join(map(str, floor)) for floor in MENDED_PYTHONS.values()]
    major, minor = max(MENDED_PYTHONS)
    return f"{', '.join(floors)} or {major}.{minor + 1}"


def sqlite(settings: Settings) -> Finding:
    """The catalogue is SQLite's too, and is only a cache; what a queue loses is lost."""
    version = sqlite3.sqlite_version
    if not _is_queue_of_sqlite(settings):
        message = f"{version}, for the catalogue in {settings.home} alone; the queue is elsewhere"
        return Finding(name="sqlite", verdict=Verdict.OK, message=message)
    if not has_wal_reset_defect(sqlite3.sqlite_version_info):
        return Finding(name="sqlite", verdict=Verdict.OK, message=version)
    message = (
        f"{version} may, very rarely, damage a queue to which several processes write "
        "(sqlite.org/wal.html#walresetbug): use a Python with SQLite 3.51.3 or later (also 3.50.7, 3.44.6, or what "
        "your distribution has mended), or put the queue into PostgreSQL"
    )
    return Finding(name="sqlite", verdict=Verdict.WARNING, message=message)


def _is_queue_of_sqlite(settings: Settings) -> bool:
    """In a file of this machine, which other packages may keep, too; one that is not there yet counts."""
    files = files_of_queue(settings)
    if not files:
        return False
    try:
        with files[0].open("rb") as file:
            return file.read(len(_SQLITE)) in (b"", _SQLITE)
    except OSError:
        return True


def catalogue(settings: Settings) -> Finding:
    """What is known of the files of this machine. Raises StoreUnavailable."""
    wiring.open_catalog(settings).close()
    path = settings.home / "catalog.db"
    return Finding(name="catalogue", verdict=Verdict.OK, message=f"{path}: what is known of the files of this machine")


def home(settings: Settings) -> Finding:
    durable_files.make_folders(settings.home, rights=settings.file_rights)
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
        wiring.try_child(settings, Path(folder))
    return Finding(
        name="child processes",
        verdict=Verdict.OK,
        message=f"start and answer; at most {limits.memory_mb} MB and {limits.timeout_seconds:g} s each",
    )


def sandbox(settings: Settings) -> Finding:
    """What the kernel has to shut children in, and what of it is used."""
    support = wiring.sandbox_support()
    has = f"Landlock ABI {support.landlock}" if support.landlock else "no Landlock"
    given = f"{has}, {'seccomp' if support.seccomp else 'no seccomp'}"
    if settings.child.sandbox == "off":
        message = f"off: a document that takes over a child may do all that you may ({given} would be there)"
        return Finding(name="sandbox", verdict=Verdict.WARNING, message=message)
    if not support.is_whole:
        required = settings.child.sandbox == "required"
        message = f"{support.missing}; children have limits, and are not shut in wholly ({given}; docs/sandbox.md)"
        return Finding(name="sandbox", verdict=Verdict.PROBLEM if required else Verdict.WARNING, message=message)
    return Finding(
        name="sandbox", verdict=Verdict.OK, message=f"children are shut in: {given}{_gaps(support.landlock)}"
    )


def _gaps(version: int) -> str:
    """What an older kernel leaves open."""
    return "" if version >= LANDLOCK_WITH_SIGNALS else "; before Linux 6.12 they can signal other programs of this user"


def engine(settings: Settings) -> Finding:
    """Another machine may have it: jobs wait for one that does."""
    try:
        recipe = wiring.recipe_for(settings, wiring.PDF, {})
    except EngineUnavailable as error:
        return Finding(name="engine", verdict=Verdict.WARNING, message=str(error))
    return Finding(name="engine", verdict=Verdict.OK, message=f"{recipe.engine} {recipe.engine_version}")


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
        message = f"{program} has no data for {', '.join(missing)} (Debian: {language_package(missing[0])})"
        return Finding(name="tesseract", verdict=Verdict.WARNING, message=message)
    return Finding(name="tesseract", verdict=Verdict.OK, message=f"{program} with {', '.join(sorted(wanted or there))}")
