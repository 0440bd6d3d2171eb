"""A home of its own for every test, and the program on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.e2e.tesseracts import Gate


@pytest.fixture
def blobforge(tmp_path: Path) -> Iterator[Blobforge]:
    blobforge = Blobforge(tmp_path, tmp_path / "home")
    yield blobforge
    blobforge.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where the tests convert to; nobody has made it yet."""
    return tmp_path / "out"


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    gate = Gate(tmp_path / "gate")
    yield gate
    gate.close()
