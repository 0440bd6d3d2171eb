"""A catalogue of its own for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from blobforge.catalog.sqlite import SqliteCatalog


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqliteCatalog]:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    yield catalog
    catalog.close()
