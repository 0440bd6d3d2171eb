"""The built wheel holds the program whole; installed into an empty environment, it does the main job."""

import configparser
import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")], cwd=ROOT, check=True
    )
    (built,) = (tmp_path / "dist").glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_program_and_all_its_entry_points(wheel: Path) -> None:
    """Whoever has installed it would miss a file of words or a migration that was left out; no other test would."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        (told,) = (name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt"))
        entries = configparser.ConfigParser(delimiters=("=",))
        entries.optionxform = str  # type: ignore[assignment, method-assign]
        entries.read_string(archive.read(told).decode())

    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in (source / "blobforge").rglob("*") if path.is_file()}
    assert held == {name for name in files if "__pycache__" not in name}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {group: dict(entries[group]) for group in entries.sections()} == {
        "console_scripts": project["scripts"],
        **project["entry-points"],
    }


@pytest.mark.extended
@pytest.mark.timeout(600)
def test_the_wheel_in_an_empty_environment_converts_a_document(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=True)
    bin_folder = tmp_path / "empty" / "bin"
    install = [str(bin_folder / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--require-hashes", "-r", str(ROOT / "requirements" / "runtime.txt")], check=True)
    subprocess.run([*install, "--no-deps", str(wheel)], check=True)

    converted = run(bin_folder, "convert", str(ROOT / "examples/library/report.pdf"), "-o", "out", "--json")
    refused = run(bin_folder, "list", BLOBFORGE_QUEUE="s3://bucket/pdf/")

    assert converted.returncode == 0, converted.stderr
    assert json.loads(converted.stdout)["converted"] == 1
    assert (bin_folder.parents[1] / "out" / "report.md").read_text(encoding="utf-8").count("|") > 20
    # The default install has no SDK for buckets, and says how to get it.
    assert refused.returncode == 2, refused.stderr
    assert "install 'blobforge[s3]'" in refused.stderr


def run(bin_folder: Path, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """From another folder, so that nothing of the checkout is on the path."""
    folder = bin_folder.parents[1]
    ours = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    return subprocess.run(
        [bin_folder / "blobforge", *arguments],
        cwd=folder,
        env={**ours, "BLOBFORGE_HOME": str(folder / "home"), **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )
