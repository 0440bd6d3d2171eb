"""Locks the dependencies with hashes and without the address of any index."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SETS: dict[str, list[str]] = {
    "build.txt": ["requirements/build.in"],
    "runtime.txt": ["pyproject.toml"],
    "lab.txt": ["pyproject.toml", "--extra", "lab", "--constraint", "requirements/runtime.txt"],
    "dev.txt": ["pyproject.toml", "--group", "dev", "--constraint", "requirements/runtime.txt"],
    "bench.txt": ["pyproject.toml", "--group", "bench", "--constraint", "requirements/dev.txt"],
}


def lock(name: str, inputs: list[str]) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--upgrade", *inputs),
            *("--universal", "--python-version", "3.11", "--generate-hashes"),
            *("--no-emit-index-url", "--no-header", "--output-file", str(HERE / name)),
        ],
        cwd=HERE.parent,
        check=True,
    )


if __name__ == "__main__":
    for name, inputs in SETS.items():
        lock(name, inputs)
