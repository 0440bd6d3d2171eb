"""The built wheel, installed into an empty environment, does the main job."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(600)
def test_the_wheel_in_an_empty_environment_converts_a_document(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")], cwd=ROOT, check=True
    )
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    bin_folder = tmp_path / "empty" / "bin"
    install = [str(bin_folder / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--require-hashes", "-r", str(ROOT / "requirements" / "runtime.txt")], check=True)
    subprocess.run([*install, "--no-deps", str(wheel)], check=True)

    # From another folder, so that nothing of the checkout is on the path.
    done = subprocess.run(
        [bin_folder / "blobforge", "convert", ROOT / "examples/library/report.pdf", "-o", tmp_path / "out", "--json"],
        cwd=tmp_path,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")},
            "BLOBFORGE_HOME": str(tmp_path / "home"),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["converted"] == 1
    assert (tmp_path / "out" / "report.md").read_text(encoding="utf-8").count("|") > 20
