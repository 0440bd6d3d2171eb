"""Outputs after a power cut: what the ledger knows is on the disk, and what was torn is made again."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.power_cut import PowerCut, recorded
from tests.unit.conversion.results import archive, output

from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.conversion.durable_ledger import STALE_SECONDS, DurableLedger
from blobforge.conversion.writing import is_present, read_result, write_files
from blobforge.domain.errors import OutputEdited
from blobforge.ports.output_ledger import Output


class WatchedCatalog(SqliteCatalog):
    """Notes what a power cut would leave at the moment in which something is recorded."""

    def __init__(self, path: Path, cut: PowerCut, out: Path) -> None:
        super().__init__(path)
        self._cut = cut
        self._out = out
        self.looks: list[dict[str, bytes]] = []

    def write(self, outputs: Iterable[Output]) -> None:
        self.looks += [self._cut.left(self._out), self._cut.torn(self._out)]
        super().write(outputs)


def write(page: Path, text: str, before: Output | None = None) -> Output:
    result = archive(text, {"p1.png": b"a picture"})
    files = write_files(str(page), read_result(result, str(page)), before, force=False)
    return output(page, files)


@pytest.mark.parametrize("count", [1, 3, 50])
def test_outputs_are_on_the_disk_before_they_are_recorded(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [tmp_path / "out" / f"results {number % 2}" / f"{number}.md" for number in range(count)]
    with recorded(monkeypatch, tmp_path) as cut:
        catalog = WatchedCatalog(tmp_path / "catalog.db", cut, tmp_path)
        DurableLedger(catalog).write([write(page, "text\n") for page in pages])
        catalog.close()

    wanted = {str(page.relative_to(tmp_path)): b"text\n" for page in pages}
    wanted |= {str(page.with_suffix(".assets").relative_to(tmp_path) / "p1.png"): b"a picture" for page in pages}
    # Whenever something is recorded: what is written twice must be there before the first time.
    assert [{name: look.get(name) for name in wanted} for look in catalog.looks] == [wanted, wanted]


def test_many_outputs_cost_few_syncs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with recorded(monkeypatch, tmp_path) as cut:
        catalog = SqliteCatalog(tmp_path / "catalog.db")
        outputs = [write(tmp_path / "out" / f"{number}.md", "text\n") for number in range(200)]
        before = cut.syncs
        DurableLedger(catalog).write(outputs)
        catalog.close()

    assert cut.syncs - before == 1


@pytest.mark.parametrize("length", [0, 3])
def test_a_recorded_file_that_a_power_cut_left_short_is_not_current_and_is_made_again(
    length: int, tmp_path: Path
) -> None:
    page = tmp_path / "one.md"
    written = write(page, "a longer text\n")
    facts = page.stat()
    os.truncate(page, length)
    os.utime(page, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    assert not is_present(written)
    assert is_present(write(page, "a longer text\n", written))
    assert page.read_text() == "a longer text\n"


def test_a_file_that_a_power_cut_left_short_before_it_was_recorded_is_made_again(tmp_path: Path) -> None:
    page = tmp_path / "one.md"
    page.write_text("a longer")

    assert is_present(write(page, "a longer text\n"))
    assert page.read_text() == "a longer text\n"


def test_a_file_that_a_person_made_shorter_stays(tmp_path: Path) -> None:
    page = tmp_path / "one.md"
    written = write(page, "a longer text\n")
    page.write_text("mine")

    assert is_present(written)
    with pytest.raises(OutputEdited):
        write(page, "another text\n", written)
    assert page.read_text() == "mine"


def test_what_a_crash_left_beside_an_output_is_swept_when_it_is_old(tmp_path: Path) -> None:
    page = tmp_path / "out" / "one.md"
    written = write(page, "text\n")
    folders = [page.parent, page.with_suffix(".assets")]
    old, new = ([folder / f".blobforge-{digit * 16}" for folder in folders] for digit in "01")
    others = [page.parent / ".blobforge-notes", page.parent / ".blobforge-00112233445566778"]
    for path in (*old, *new, *others):
        path.write_text("half")
    for path in (*old, *others):
        os.utime(path, (time.time() - STALE_SECONDS - 60,) * 2)

    catalog = SqliteCatalog(tmp_path / "catalog.db")
    DurableLedger(catalog).write([written])
    catalog.close()

    assert [path.exists() for path in old] == [False, False]
    assert all(path.exists() for path in (*new, *others, page))
