"""Folders to work in."""

import errno
from pathlib import Path

import pytest

from blobforge.domain.errors import DiskFull, OutputUnwritable
from blobforge.testing.builders import a_job
from blobforge.worker.workspace import Workspace, writing_failed


def test_a_job_gets_an_empty_folder_also_where_a_crash_left_one(tmp_path: Path) -> None:
    workspaces, job = Workspace(tmp_path / "work"), a_job(lease_number=1)
    (workspaces.create(job) / "left over").touch()

    assert list(workspaces.create(job).iterdir()) == []


def test_two_claims_of_one_job_never_share_a_folder(tmp_path: Path) -> None:
    workspaces = Workspace(tmp_path)

    assert workspaces.create(a_job(lease_number=1)) != workspaces.create(a_job(lease_number=2))


def test_a_folder_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    workspaces = Workspace(tmp_path)
    path = workspaces.create(a_job())
    (path / "a" / "b").mkdir(parents=True)

    workspaces.remove(path)
    workspaces.remove(path)

    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "work").touch()

    with pytest.raises(OutputUnwritable, match=r"work/1-0 cannot be written: Not a directory"):
        Workspace(tmp_path / "work").create(a_job())


def test_a_full_disk_has_its_own_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.mkdir", full)

    with pytest.raises(DiskFull, match="no space left on the disk"):
        Workspace(tmp_path / "work").create(a_job())


def test_an_error_without_words_is_told_as_it_is() -> None:
    assert str(writing_failed(OSError("strange"), Path("out"))) == "out cannot be written: strange"
