"""What a child made, as its parent judges it."""

import errno
import fcntl
import hashlib
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.worker.job_run_bench import write_result

from blobforge.domain.errors import ChildMisbehaved, DiskFull, ProcessingError
from blobforge.domain.json_value import JsonObject
from blobforge.ports.processor import Product
from blobforge.worker.acceptance import MOST_SUMMARY, accept
from blobforge.worker.results import AcceptedResult

Spoil = Callable[[Path], None]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    write_result(workspace / "result.zip")
    return workspace / "result.zip"


def judge(archive: Path, summary: JsonObject | None = None, *, workspace: Path | None = None) -> AcceptedResult:
    product = Product(archive=archive, summary={"pages": 1} if summary is None else summary)
    return accept(product, workspace=workspace or archive.parent)


def test_its_size_and_checksum_are_counted_here(archive: Path) -> None:
    content = archive.read_bytes()

    assert judge(archive) == (archive, {"pages": 1}, len(content), hashlib.sha256(content).hexdigest())


def test_a_result_in_a_folder_of_the_workspace_is_one(archive: Path) -> None:
    (archive.parent / "made").mkdir()
    inner = archive.rename(archive.parent / "made" / "result.zip")

    assert judge(inner, workspace=archive.parent).archive == inner


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000, "nothing.zip", "\udcff\udc00", "/".join("abc" * 3000)])
def test_a_name_that_no_file_has_is_the_childs_fault(archive: Path, name: str) -> None:
    with pytest.raises(ChildMisbehaved, match="that is not there"):
        judge(archive.parent / name, workspace=archive.parent)


@pytest.mark.parametrize("place", ["../elsewhere.zip", "made/../../elsewhere.zip"])
def test_a_result_outside_the_workspace_is_refused(archive: Path, place: str) -> None:
    write_result(archive.parent.parent / "elsewhere.zip")
    (archive.parent / "made").mkdir()

    with pytest.raises(ProcessingError, match="outside its workspace"):
        judge(archive.parent / place, workspace=archive.parent)


@pytest.mark.parametrize("kind", ["a folder", "a pipe"])
def test_what_is_no_file_is_refused_without_a_wait(archive: Path, kind: str) -> None:
    archive.unlink()
    if kind == "a folder":
        archive.mkdir()
    else:
        os.mkfifo(archive)

    with pytest.raises(ChildMisbehaved, match="that is no file"):
        judge(archive)


def no_zip(archive: Path) -> None:
    archive.write_bytes(b"no zip")


def empty(archive: Path) -> None:
    archive.write_bytes(b"")


def bomb(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("document.md", bytes(80 * 1024 * 1024))


def no_account(archive: Path) -> None:
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("document.md", "text")


def account_that_is_none(archive: Path) -> None:
    write_result(archive, info="[]")


def deep_account(archive: Path) -> None:
    write_result(archive, info="[" * 200_000)


def damaged(archive: Path) -> None:
    write_result(archive, info=json.dumps({"tally": "a" * 100}))
    archive.write_bytes(archive.read_bytes().replace(b"aaaaa", b"aabaa", 1))


@pytest.mark.parametrize("spoil", [no_zip, empty, bomb, no_account, account_that_is_none, deep_account, damaged])
def test_an_archive_that_nobody_could_read_is_not_published(archive: Path, spoil: Spoil) -> None:
    spoil(archive)

    with pytest.raises(ChildMisbehaved, match="no archive of ours"):
        judge(archive)


def test_a_jobs_record_is_not_filled_by_an_account(archive: Path) -> None:
    assert judge(archive, {"notes": "a" * (MOST_SUMMARY - 100)})

    with pytest.raises(ChildMisbehaved, match="a job's record keeps"):
        judge(archive, {"notes": "a" * MOST_SUMMARY})


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="this system does not tell who writes")
def test_what_nobody_can_write_to_is_published_as_it_is(archive: Path) -> None:
    assert judge(archive).archive == archive


def test_what_somebody_still_writes_to_is_copied(archive: Path) -> None:
    with archive.open("r+b") as still_open:
        made = judge(archive)
        still_open.write(b"OWNED")

    assert made.archive != archive
    assert hashlib.sha256(made.archive.read_bytes()).hexdigest() == made.checksum


def test_what_has_another_name_is_copied(archive: Path) -> None:
    another = archive.with_name("another.zip")
    another.hardlink_to(archive)

    made = judge(archive)
    another.write_bytes(b"OWNED")

    assert hashlib.sha256(made.archive.read_bytes()).hexdigest() == made.checksum


def test_where_nothing_is_told_of_writers_it_is_copied(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> int:
        raise OSError(errno.EINVAL, "no leases here")

    monkeypatch.setattr(fcntl, "fcntl", unsupported)

    assert judge(archive).archive != archive


def test_a_copy_that_does_not_fit_on_the_disk_is_told_as_such(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("shutil.copyfileobj", full)
    archive.with_name("another.zip").hardlink_to(archive)

    with pytest.raises(DiskFull):
        judge(archive)

    assert sorted(path.name for path in archive.parent.iterdir()) == ["another.zip", "result.zip"]
