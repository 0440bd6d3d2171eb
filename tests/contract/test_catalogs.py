"""Every hash cache and output ledger under its contract."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.ports.hash_cache import HashCache
from blobforge.ports.output_ledger import OutputLedger
from blobforge.testing.hash_cache_contract import HashCacheContract
from blobforge.testing.output_ledger_contract import OutputLedgerContract


@pytest.fixture
def open_catalog(tmp_path: Path) -> Iterator[Callable[[], SqliteCatalog]]:
    opened: list[SqliteCatalog] = []

    def open_another() -> SqliteCatalog:
        opened.append(SqliteCatalog(tmp_path / "catalog.db"))
        return opened[-1]

    yield open_another
    for catalog in opened:
        catalog.close()


class TestSqliteHashCache(HashCacheContract):
    @pytest.fixture
    def open_cache(self, open_catalog: Callable[[], SqliteCatalog]) -> Callable[[], HashCache]:
        return open_catalog


class TestSqliteOutputLedger(OutputLedgerContract):
    @pytest.fixture
    def open_ledger(self, open_catalog: Callable[[], SqliteCatalog]) -> Callable[[], OutputLedger]:
        return open_catalog
