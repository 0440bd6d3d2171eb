"""Folders that few programs can even remove, and an ingest over parts that can be looked into."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.ingest.ingest_harness import IngestHarness, opened


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


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[IngestHarness]:
    with opened(tmp_path / "harness") as harness:
        yield harness


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"
