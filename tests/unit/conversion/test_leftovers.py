"""Outputs whose documents are gone."""

import hashlib
import os
from pathlib import Path

import pytest

from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.conversion.leftovers import emptied, left_behind, prune
from blobforge.domain.ids import RecipeId
from blobforge.ports.output_ledger import Output, WrittenFile
from blobforge.testing.builders import hash_of


class OutputFolder:
    """An output folder with its ledger."""

    def __init__(self, folder: Path) -> None:
        self.docs, self.out = folder / "docs", folder / "out"
        self.docs.mkdir()
        self.ledger = SqliteCatalog(folder / "catalog.db")

    def add(self, name: str, *pictures: str) -> Path:
        """A document that is there, with its output."""
        source, markdown = self.docs / f"{name}.pdf", self.out / f"{name}.md"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.touch()
        names = [markdown.name, *(f"{markdown.stem}.assets/{picture}" for picture in pictures)]
        files = tuple(self._write(markdown.parent / file, file) for file in names)
        self.ledger.write(
            [Output(str(markdown), hash_of(name), RecipeId("0123456789abcdef"), 1, 0, (), files, str(source))]
        )
        return markdown

    def lose(self, name: str) -> None:
        (self.docs / f"{name}.pdf").unlink()

    def _write(self, path: Path, name: str) -> WrittenFile:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"text")
        return WrittenFile(name, 4, path.stat().st_mtime_ns, hashlib.sha256(b"text").hexdigest())

    def sources(self) -> dict[str, str]:
        return self.ledger.sources_below(str(self.out))

    def left_behind(self, *wanted: Path) -> list[str]:
        return left_behind(self.sources(), wanted=set(map(str, wanted)))


@pytest.fixture
def results(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path)


def test_an_output_whose_document_is_gone_stays_behind(results: OutputFolder) -> None:
    gone, _there = results.add("deep/gone"), results.add("there")
    results.lose("deep/gone")

    assert results.left_behind() == [str(gone)]


def test_an_output_that_this_run_wants_is_not_left_behind(results: OutputFolder) -> None:
    """As when a document was moved in such a way that its output keeps its place."""
    gone = results.add("gone")
    results.lose("gone")

    assert results.left_behind(gone) == []


def test_an_output_that_somebody_removed_is_not_spoken_of(results: OutputFolder) -> None:
    results.add("gone").unlink()
    results.lose("gone")

    assert results.left_behind() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="a link to itself stands for what cannot be looked at")
def test_a_document_that_cannot_be_looked_at_is_not_gone(results: OutputFolder) -> None:
    results.add("loop/one")
    results.lose("loop/one")
    (results.docs / "loop").rmdir()
    (results.docs / "loop").symlink_to("loop")

    assert results.left_behind() == []


def test_pruning_removes_the_files_and_the_folders_that_are_empty_then(results: OutputFolder) -> None:
    gone = results.add("deep/er/gone", "p1.png", "p2.png")
    results.add("deep/there")

    pruned = prune(results.ledger, str(results.out), [str(gone)])

    assert pruned == ([str(gone)], [])
    assert sorted(path.name for path in results.out.rglob("*")) == ["deep", "there.md"]
    assert results.ledger.written([str(gone)]) == {}


def test_the_output_folder_itself_stays(results: OutputFolder) -> None:
    prune(results.ledger, str(results.out), [str(results.add("gone"))])

    assert list(results.out.iterdir()) == []


@pytest.mark.parametrize("edited", ["gone.md", "gone.assets/p1.png"])
def test_what_a_person_has_edited_is_never_removed(results: OutputFolder, edited: str) -> None:
    gone = results.add("gone", "p1.png")
    (results.out / edited).write_text("edited", encoding="utf-8")

    pruned = prune(results.ledger, str(results.out), [str(gone)])

    assert pruned == ([], [str(gone)])
    assert len(list(results.out.rglob("*.*"))) == 3
    assert str(gone) in results.ledger.written([str(gone)])


def test_what_a_person_has_added_is_never_removed(results: OutputFolder) -> None:
    gone = results.add("gone", "p1.png")
    (results.out / "gone.assets" / "mine.png").touch()

    prune(results.ledger, str(results.out), [str(gone)])

    assert [path.name for path in results.out.rglob("*")] == ["gone.assets", "mine.png"]


def test_a_folder_in_the_place_of_a_file_stays(results: OutputFolder) -> None:
    gone = results.add("gone")
    gone.unlink()
    gone.mkdir()

    assert prune(results.ledger, str(results.out), [str(gone)]) == ([], [str(gone)])


@pytest.mark.parametrize(
    ("met", "told"),
    [([], ["docs"]), (["docs/deep/other.pdf"], []), (["docs and more/one.pdf"], ["docs"])],
    ids=["nothing", "something", "something beside it"],
)
def test_a_folder_without_any_document_is_named_where_outputs_come_from_it(
    results: OutputFolder, tmp_path: Path, met: list[str], told: list[str]
) -> None:
    gone = str(results.add("gone"))
    results.lose("gone")
    paths = [tmp_path / "docs", tmp_path / "never had any"]

    found = emptied(results.sources(), [gone], paths=paths, met=[str(tmp_path / name) for name in met])

    assert found == [str(tmp_path / name) for name in told]
