"""Trees that somebody hostile made: counted and removed, whatever they are."""

import os
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from blobforge import untrusted_tree
from blobforge.domain.errors import OutputLimit
from blobforge.untrusted_tree import MOST_DEPTH, entries_below, folder_sizes, remove

MEGABYTE = 1024 * 1024
NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """As an ordinary user, whom rights hold back."""
    with TemporaryDirectory(prefix="blobforge-test-") as made:
        folder, user = Path(made), os.geteuid()
        if user != 0:
            yield folder
            return
        os.chown(folder, NOBODY, -1)
        os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(user)
            subprocess.run(["rm", "-rf", "--", *folder.iterdir()], check=True)


def nested(folder: Path, depth: int, *, mode: int = 0o777) -> None:
    """Folders in folders: no path leads to the last ones, since it would be too long."""
    here = os.open(folder, os.O_RDONLY)
    for number in range(depth):
        os.mkdir("a" * 100, dir_fd=here)
        inner = os.open("a" * 100, os.O_RDONLY, dir_fd=here)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=inner))
        if number % 2:
            os.fchmod(here, mode)
        os.close(here)
        here = inner
    os.close(here)


@pytest.mark.parametrize("mode", [0o700, 0o000], ids=oct)
def test_folders_in_folders_are_removed_however_deep_they_are(folder: Path, mode: int) -> None:
    nested(folder, 1800, mode=mode)

    for entry in folder.iterdir():
        remove(entry)

    assert list(folder.iterdir()) == []


def test_folders_in_folders_are_no_end_of_whoever_counts_them(folder: Path) -> None:
    nested(folder, 1800)

    with pytest.raises(OutputLimit, match=f"folders lie more than {MOST_DEPTH} deep"):
        folder_sizes(folder)


@pytest.mark.parametrize("mode", [0o300, 0o600, 0o200, 0o000], ids=oct)
def test_what_lies_in_a_folder_that_lets_nobody_in_is_counted_and_removed(folder: Path, mode: int) -> None:
    shut = folder / "tree" / "shut"
    shut.mkdir(parents=True)
    (shut / "file").write_bytes(bytes(MEGABYTE))
    shut.chmod(mode)

    assert folder_sizes(folder)["tree"] > MEGABYTE

    shut.chmod(mode)
    remove(folder / "tree")
    assert list(folder.iterdir()) == []


def test_what_cannot_be_counted_is_too_much(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a folder of another owner: this one cannot give it the rights."""
    monkeypatch.setattr(untrusted_tree, "_give_rights", lambda *_: None)
    (folder / "shut").mkdir(mode=0o300)

    with pytest.raises(OutputLimit, match=r"cannot be counted: .*shut: Permission denied"):
        folder_sizes(folder)


def test_no_link_is_followed(folder: Path) -> None:
    (folder / "mine").mkdir(mode=0o500)
    (folder / "tree").mkdir()
    for name, target in (("folder", folder / "mine"), ("top", "/"), ("nothing", "nowhere")):
        (folder / "tree" / name).symlink_to(target)

    assert {found.place.name for found in entries_below(folder / "tree")} == {"folder", "nothing", "top"}
    remove(folder / "tree" / "folder")
    remove(folder / "tree")

    assert [entry.name for entry in folder.iterdir()] == ["mine"]
    assert (folder / "mine").stat().st_mode & 0o777 == 0o500


def test_names_that_are_ours_by_chance_are_no_hindrance(folder: Path) -> None:
    for name in (".1", ".2/x", ".3", "a/b/c", "a/b/d"):
        (folder / "tree" / name).mkdir(parents=True)
    (folder / "tree" / ".4").touch()

    remove(folder / "tree")

    assert list(folder.iterdir()) == []


def test_what_is_gone_counts_as_nothing_and_needs_no_removing(folder: Path) -> None:
    remove(folder / "gone")
    remove(folder / "gone" / "too")

    assert folder_sizes(folder / "gone") == {}


def test_a_file_is_counted_once_by_the_entry_that_it_lies_in(folder: Path) -> None:
    (folder / "one" / "two").mkdir(parents=True)
    (folder / "one" / "two" / "file").write_bytes(bytes(MEGABYTE))
    (folder / "file").touch()

    sizes = folder_sizes(folder)

    assert sorted(sizes) == ["file", "one"]
    assert sizes["one"] >= MEGABYTE + 2 * sizes["file"]


def test_a_look_leaves_nothing_open(folder: Path) -> None:
    nested(folder, 100)
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208

    with pytest.raises(OutputLimit):
        folder_sizes(folder)
    assert [found.place.name for found in islice(entries_below(folder), 1)] == ["a" * 100]

    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
