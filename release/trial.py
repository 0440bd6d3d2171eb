"""Tries a wheel as a stranger would: in an empty environment, away from the sources, on a document."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements" / "runtime.txt"
DOCUMENT = ROOT / "examples" / "library" / "rulebook.pdf"
HEADING = "# Travelling the Long Water\n"
"""Stands in the document, so it has to stand in the Markdown."""
_NOT_OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


def main(wheel: Path) -> None:
    """Raises SystemExit where the wheel cannot be installed or does not convert."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        programs = folder / "venv" / "bin"
        run(folder, sys.executable, "-m", "venv", "venv")
        pip = (str(programs / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
        run(folder, *pip, "--require-hashes", "-r", str(LOCK))
        run(folder, *pip, "--no-deps", str(wheel))
        said = run(folder, str(programs / "blobforge"), "convert", str(DOCUMENT), "-o", "out", "--json")
        flaw = flaw_in(json.loads(said), folder / "out" / f"{DOCUMENT.stem}.md")
    if flaw:
        raise SystemExit(f"{wheel.name} is installed, but does not convert {DOCUMENT.name}: {flaw}")
    print(f"{wheel.name} was installed in an empty environment and converted {DOCUMENT.name}")


def flaw_in(said: Mapping[str, Any], output: Path) -> str | None:
    if said["converted"] != 1 or said["pages_failed"]:
        return json.dumps(said)
    if not output.is_file():
        return f"there is no {output.name}"
    if HEADING not in output.read_text(encoding="utf-8"):
        return f"{output.name} lacks the heading {HEADING.strip()!r}"
    return None


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, env=_environment(folder), check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _environment(folder: Path) -> dict[str, str]:
    """Neither the sources nor the settings of whoever builds the release; proxies and indexes stay."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _NOT_OURS and not name.startswith(("BLOBFORGE_", "XDG_"))
    }
    return {**kept, "BLOBFORGE_HOME": str(folder / "home")}
