"""Folders to work in."""

import errno
from pathlib import Path

import pytest

from blobforge.domain.errors import DiskFull, OutputUnwritable
from blobforge.worker.workspace import Workspace, writing_failed


def test_a_run_gets_an_empty_folder_also_where_a_crash_left_one(tmp_path: Path) -> None:
    workspaces = Workspace(tmp_path)
    number = int(workspaces.take().name)
    (tmp_path / f"{number + 1}" / "left over").mkdir(parents=True)

    path = workspaces.take()

    assert (path.name, list(path.iterdir())) == (f"{number + 1}", [])


def test_two_runs_never_share_a_folder(tmp_path: Path) -> None:
    """R0-47."""
    workspaces, another = Workspace(tmp_path), Workspace(tmp_path)

    assert len({workspaces.take(), workspaces.take(), another.take()}) == 3


def test_a_folder_left_in_peace_is_emptied_and_used_again(tmp_path: Path) -> None:
    workspaces = Workspace(tmp_path)
    path = workspaces.take()
    (path / "part").touch()

    workspaces.give_back(path, is_clean=True)

    assert workspaces.take() == path
    assert list(path.iterdir()) == []


@pytest.mark.parametrize("is_clean", [True, False])
def test_a_folder_with_folders_in_it_or_where_a_child_died_is_removed(tmp_path: Path, is_clean: bool) -> None:
    workspaces = Workspace(tmp_path)
    path = workspaces.take()
    (path / "a" / "b").mkdir(parents=True)

    workspaces.give_back(path, is_clean=is_clean)

    assert list(tmp_path.iterdir()) == []
    assert workspaces.take() != path


def test_what_a_child_left_astray_goes_with_it_and_the_folders_of_others_stay(tmp_path: Path) -> None:
    workspaces, another = Workspace(tmp_path), Workspace(tmp_path)
    its_own, spare, others = workspaces.take(), workspaces.take(), another.take()
    workspaces.give_back(spare, is_clean=True)
    for place in (spare, others, tmp_path / "astray"):
        place.mkdir(exist_ok=True)
        (place / "file").touch()
    (tmp_path / "stray").touch()

    workspaces.give_back(its_own, is_clean=False)

    assert list(tmp_path.iterdir()) == [others]
    assert (others / "file").exists()
    assert list(workspaces.take().iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "work").touch()

    with pytest.raises(OutputUnwritable, match=r"work/[0-9]+ cannot be written: Not a directory"):
        Workspace(tmp_path / "work").take()


def test_a_full_disk_has_its_own_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.mkdir", full)

    with pytest.raises(DiskFull, match="no space left on the disk"):
        Workspace(tmp_path / "work").take()


def test_an_error_without_words_is_told_as_it_is() -> None:
    assert str(writing_failed(OSError("strange"), Path("out"))) == "out cannot be written: strange"
