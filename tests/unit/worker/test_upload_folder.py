"""Files of another application: none outside their folder, none over a link, and none that is no file."""

import errno
import os
from pathlib import Path

import pytest

from blobforge.domain.errors import (
    DiskFull,
    SourceForbidden,
    SourceMissing,
    SourceTooLarge,
    SourceUnreadable,
    StoreUnavailable,
)
from blobforge.domain.job import Job
from blobforge.domain.json_value import canonical_json
from blobforge.domain.uploaded_document import UploadedDocument, upload_of
from blobforge.testing.builders import a_job
from blobforge.worker.upload_folder import UploadFolder


@pytest.fixture
def uploads(tmp_path: Path) -> Path:
    folder = tmp_path / "uploads"
    (folder / "7").mkdir(parents=True)
    (folder / "7" / "a.pdf").write_bytes(b"%PDF of user 7")
    (tmp_path / "secret.pdf").write_bytes(b"%PDF of nobody's business")
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def job_at(path: str | None, *, disk: str | None = "local") -> Job:
    return a_job()._replace(metadata=canonical_json({"upload": UploadedDocument(42, disk, path).as_json()}))


def test_what_is_read_is_a_copy(uploads: Path, workspace: Path) -> None:
    found = UploadFolder(uploads, most_mb=1).locate(job_at("7/a.pdf"), workspace)

    assert found.is_relative_to(workspace)
    assert found.read_bytes() == b"%PDF of user 7"


def test_a_folder_of_uploads_may_itself_be_a_link(uploads: Path, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "mounted").symlink_to(uploads)

    assert UploadFolder(tmp_path / "mounted", most_mb=1).locate(job_at("7/a.pdf"), workspace).exists()


@pytest.mark.parametrize(
    "path", ["../secret.pdf", "7/../../secret.pdf", "/etc/passwd", "7//a.pdf", "./7/a.pdf", "", "7/", "7/a.pdf\0.png"]
)
def test_no_path_leads_out_of_the_folder(uploads: Path, workspace: Path, path: str) -> None:
    """R3-38."""
    with pytest.raises(SourceForbidden, match="document 42: its path leads out of the folder"):
        UploadFolder(uploads, most_mb=1).locate(job_at(path), workspace)

    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize("target", ["../../secret.pdf", "a.pdf"])
def test_a_link_in_the_place_of_a_file_is_not_followed(uploads: Path, workspace: Path, target: str) -> None:
    """R3-38."""
    (uploads / "7" / "link.pdf").symlink_to(target)

    with pytest.raises(SourceForbidden, match="links are not followed"):
        UploadFolder(uploads, most_mb=1).locate(job_at("7/link.pdf"), workspace)


def test_nor_is_one_in_the_place_of_a_folder(uploads: Path, workspace: Path) -> None:
    """R3-38."""
    (uploads / "8").symlink_to(uploads / "7")

    with pytest.raises(SourceForbidden, match="links are not followed"):
        UploadFolder(uploads, most_mb=1).locate(job_at("8/a.pdf"), workspace)


def test_a_file_that_is_missing_may_still_come(uploads: Path, workspace: Path) -> None:
    """R3-39."""
    for path in ("7/b.pdf", "9/b.pdf"):
        with pytest.raises(SourceMissing, match="may still be on its way") as caught:
            UploadFolder(uploads, most_mb=1).locate(job_at(path), workspace)
        assert caught.value.retryable


def test_a_folder_or_a_pipe_is_no_file(uploads: Path, workspace: Path) -> None:
    (uploads / "7" / "folder.pdf").mkdir()
    os.mkfifo(uploads / "7" / "pipe.pdf")

    for name, what in (("folder.pdf", "a folder"), ("pipe.pdf", "no file")):
        with pytest.raises(SourceForbidden, match=what):
            UploadFolder(uploads, most_mb=1).locate(job_at(f"7/{name}"), workspace)


def test_a_file_that_is_too_large_is_not_read(uploads: Path, workspace: Path) -> None:
    with (uploads / "7" / "large.pdf").open("wb") as large:
        large.truncate(1_000_001)

    with pytest.raises(SourceTooLarge, match="MAX_FILE_MB allows 1"):
        UploadFolder(uploads, most_mb=1).locate(job_at("7/large.pdf"), workspace)


def test_a_file_on_another_disk_is_not_looked_for(uploads: Path, workspace: Path) -> None:
    with pytest.raises(SourceForbidden, match="on the disk 's3'"):
        UploadFolder(uploads, most_mb=1).locate(job_at("7/a.pdf", disk="s3"), workspace)


def test_a_document_without_a_row_is_missing(uploads: Path, workspace: Path) -> None:
    with pytest.raises(SourceMissing, match="no such row"):
        UploadFolder(uploads, most_mb=1).locate(job_at(None, disk=None), workspace)


def test_a_folder_that_is_not_mounted_is_nobodys_fault(workspace: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        UploadFolder(tmp_path / "away", most_mb=1).locate(job_at("7/a.pdf"), workspace)


def test_an_empty_folder_is_one_to_which_nothing_is_mounted(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(StoreUnavailable, match="is it mounted"):
        UploadFolder(tmp_path / "empty", most_mb=1).locate(job_at("7/a.pdf"), workspace)


def test_a_disk_that_fails_is_not_the_documents_fault(
    uploads: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_file: int, _size: int) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "read", fail)

    with pytest.raises(SourceUnreadable, match="document 42: its file cannot be read: Input/output error"):
        UploadFolder(uploads, most_mb=1).locate(job_at("7/a.pdf"), workspace)


def test_a_full_disk_leaves_no_half_copy(uploads: Path, workspace: Path) -> None:
    (workspace / "source").symlink_to("/dev/full")

    with pytest.raises(DiskFull):
        UploadFolder(uploads, most_mb=1).locate(job_at("7/a.pdf"), workspace)

    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize("metadata", ["", "[]", "{}", '{"upload": 7}', '{"upload": {"document_id": "x"}}'])
def test_other_metadata_names_no_upload(metadata: str) -> None:
    assert upload_of(a_job()._replace(metadata=metadata)) is None
