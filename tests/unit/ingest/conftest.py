"""Folders that few programs can even remove."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def deep_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in a folder in a folder, more than a thousand times."""
    top = deep = tmp_path / "d"
    top.mkdir()
    for _ in range(1200):
        deep = Path(f"{deep}/d")
        deep.mkdir()
    yield deep
    subprocess.run(["rm", "-rf", top], check=True)
