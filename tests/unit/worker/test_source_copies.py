"""Documents for children that see nothing but their workspace."""

import errno
import shutil
from pathlib import Path

import pytest

from blobforge.domain.errors import DiskFull, DiskTooSmall, SourceChanged, SourceMissing
from blobforge.domain.job import Job
from blobforge.testing.builders import a_job
from blobforge.worker.source_copies import CopiedSources


class At:
    """Finds it where it was put."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def locate(self, job: Job, workspace: Path) -> Path:
        return self._path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "Report.PDF"
    path.write_bytes(b"%PDF")
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


def locate(source: Path, workspace: Path) -> Path:
    return CopiedSources(At(source)).locate(a_job(source_path=str(source)), workspace)


def test_a_child_gets_a_copy_with_the_extension_of_the_document(source: Path, workspace: Path) -> None:
    copy = locate(source, workspace)

    assert copy == workspace / "source.pdf"
    assert copy.read_bytes() == b"%PDF"


def test_the_original_is_not_touched(source: Path, workspace: Path) -> None:
    before = source.stat()

    copy = locate(source, workspace)
    copy.write_bytes(b"changed by a child")

    after = source.stat()
    assert source.read_bytes() == b"%PDF"
    assert (after.st_nlink, after.st_ctime_ns) == (before.st_nlink, before.st_ctime_ns)


def test_what_lies_in_the_workspace_already_is_not_copied_again(workspace: Path) -> None:
    fetched = workspace / "source"
    fetched.touch()

    assert locate(fetched, workspace) == fetched


def test_a_document_that_changes_while_it_is_copied_is_not_converted(
    source: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copyfile

    def change_and_copy(given: Path, target: Path) -> Path:
        given.write_bytes(b"%PDF, and more")
        return copy(given, target)

    monkeypatch.setattr(shutil, "copyfile", change_and_copy)

    with pytest.raises(SourceChanged, match="was changed while it was read"):
        locate(source, workspace)


def test_a_document_that_is_gone_is_missing(source: Path, workspace: Path) -> None:
    source.unlink()

    with pytest.raises(SourceMissing, match="is not there any more"):
        locate(source, workspace)


@pytest.mark.parametrize("names", ["none", "both"])
def test_a_full_disk_is_the_disks_fault(
    names: str, source: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(given: Path, target: Path) -> None:
        told = (str(given), None, str(target)) if names == "both" else ()
        raise OSError(errno.ENOSPC, "No space left on device", *told)

    monkeypatch.setattr(shutil, "copyfile", full)

    with pytest.raises(DiskFull):
        locate(source, workspace)


def test_a_document_that_is_larger_than_the_whole_disk_is_not_waited_for(
    source: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    size = source.stat().st_size
    monkeypatch.setattr(shutil, "copyfile", full)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(size - 1, size - 1, 0))

    with pytest.raises(DiskTooSmall, match=r"Report\.PDF has .* bytes, and the whole disk of .* no more than"):
        locate(source, workspace)
