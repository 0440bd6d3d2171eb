"""A result as a file of its own."""

import errno
import shutil
import zipfile
from pathlib import Path

import pytest
from tests.power_cut import recorded
from tests.unit.conversion.results import archive_bytes

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.errors import DiskFull, NotFound, OutputEdited, OutputUnwritable, ResultDamaged
from blobforge.ports.blob_store import BlobKey
from blobforge.results.download import download, target_of
from blobforge.testing.builders import a_job

KEY = BlobKey("outputs/a.zip")
JOB = a_job(source_path="/docs/report.pdf")
ARCHIVE = archive_bytes("a result")


@pytest.fixture
def blobs(tmp_path: Path) -> DirectoryBlobStore:
    blobs = DirectoryBlobStore(tmp_path / "store")
    (tmp_path / "made.zip").write_bytes(ARCHIVE)
    blobs.put(KEY, tmp_path / "made.zip")
    return blobs


def fetch(blobs: DirectoryBlobStore, target: Path, *, key: BlobKey = KEY, force: bool = False) -> int:
    return download(blobs, JOB, key, target, force=force)


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_result_is_written_into_folders_that_are_made(blobs: DirectoryBlobStore, tmp_path: Path) -> None:
    """R2-24."""
    target = tmp_path / "new" / "folder" / "a.zip"

    assert fetch(blobs, target) == len(ARCHIVE)

    assert target.read_bytes() == ARCHIVE
    assert left_in(target.parent) == ["a.zip"]


@pytest.mark.parametrize("force", [False, True])
def test_a_result_that_was_fetched_survives_a_power_cut(
    blobs: DirectoryBlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, force: bool
) -> None:
    (tmp_path / "out").mkdir()
    with recorded(monkeypatch, tmp_path) as cut:
        fetch(blobs, tmp_path / "out" / "a.zip", force=force)

        assert cut.left(tmp_path)["out/a.zip"] == ARCHIVE
        assert cut.torn(tmp_path)["out/a.zip"] == ARCHIVE


def test_a_file_that_is_there_stays_unless_it_is_forced(blobs: DirectoryBlobStore, tmp_path: Path) -> None:
    """R2-24."""
    target = tmp_path / "out" / "a.zip"
    target.parent.mkdir()
    target.write_bytes(b"mine")

    with pytest.raises(OutputEdited, match="--force"):
        fetch(blobs, target)
    assert target.read_bytes() == b"mine"

    fetch(blobs, target, force=True)
    assert target.read_bytes() == ARCHIVE
    assert left_in(target.parent) == ["a.zip"]


def test_a_file_that_comes_while_the_result_is_fetched_stays(blobs: DirectoryBlobStore, tmp_path: Path) -> None:
    target = tmp_path / "out" / "a.zip"

    class Slow(DirectoryBlobStore):
        def fetch(self, key: BlobKey, target_of_fetch: Path) -> None:
            super().fetch(key, target_of_fetch)
            target.write_bytes(b"mine")

    with pytest.raises(OutputEdited):
        fetch(Slow(tmp_path / "store"), target)

    assert target.read_bytes() == b"mine"
    assert left_in(target.parent) == ["a.zip"]


def test_a_link_that_leads_nowhere_is_a_file_that_is_there(blobs: DirectoryBlobStore, tmp_path: Path) -> None:
    target = tmp_path / "a.zip"
    target.symlink_to(tmp_path / "elsewhere.zip")

    with pytest.raises(OutputEdited):
        fetch(blobs, target)

    assert not (tmp_path / "elsewhere.zip").exists()


@pytest.mark.parametrize("content", [b"no archive", ARCHIVE[:-10], ARCHIVE.replace(b"a result", b"A RESULT")])
def test_a_result_with_bytes_wrong_is_not_handed_out(blobs: DirectoryBlobStore, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "made.zip").write_bytes(content)
    blobs.put(KEY, tmp_path / "made.zip")

    with pytest.raises(ResultDamaged, match="run it again: blobforge retry"):
        fetch(blobs, tmp_path / "out" / "a.zip")

    assert left_in(tmp_path / "out") == []


UNSAFE = [
    *("../../evil.md", "/tmp/evil.png", "a/../../evil.png", "C:evil.png", "a\\evil.png", "a//b.png", "evil\n.png"),
    *("../", "assets/../../evil.png", f"{'n' * 300}.png"),
]


@pytest.mark.parametrize("name", UNSAFE)
def test_a_result_with_a_name_that_leads_elsewhere_is_not_handed_out(
    blobs: DirectoryBlobStore, tmp_path: Path, name: str
) -> None:
    """Whoever unpacks it need not be as careful as `hydrate`."""
    (tmp_path / "made.zip").write_bytes(archive_bytes("a result", more={name: b"evil"}))
    blobs.put(KEY, tmp_path / "made.zip")

    with pytest.raises(ResultDamaged, match=r"a file with the unsafe name .*; run it again: blobforge retry"):
        fetch(blobs, tmp_path / "out" / "a.zip")

    assert left_in(tmp_path / "out") == []


@pytest.mark.parametrize("target", ["/etc/passwd", "document.md"])
def test_a_result_with_a_link_in_it_is_not_handed_out(blobs: DirectoryBlobStore, tmp_path: Path, target: str) -> None:
    entry = zipfile.ZipInfo("assets/p1.png")
    entry.create_system, entry.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
        archive.writestr("document.md", "a result")
        archive.writestr(entry, target)
    blobs.put(KEY, tmp_path / "made.zip")

    with pytest.raises(ResultDamaged, match="unsafe name"):
        fetch(blobs, tmp_path / "out" / "a.zip")


def test_a_result_of_another_program_is_handed_out_as_it_is(blobs: DirectoryBlobStore, tmp_path: Path) -> None:
    """With folders of its own, and no Markdown or several."""
    with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
        archive.mkdir("images")
        for name in ("one.md", "two.md", "images/my map.png", "assets/figures/1.png", "Übersicht.json", "a/b/c.txt"):
            archive.writestr(name, "x")
    blobs.put(KEY, tmp_path / "made.zip")

    assert fetch(blobs, tmp_path / "out" / "a.zip") == (tmp_path / "made.zip").stat().st_size


def test_a_result_that_is_gone_from_the_store_is_told_as_that(blobs: DirectoryBlobStore, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"report\.pdf.*not in the store any more"):
        fetch(blobs, tmp_path / "a.zip", key=BlobKey("outputs/gone.zip"))

    assert not (tmp_path / "a.zip").exists()


def test_a_place_that_cannot_be_written_to_is_said_to_be_that(blobs: DirectoryBlobStore, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(OutputUnwritable):
        fetch(blobs, tmp_path / "file" / "a.zip")


def test_a_full_disk_is_told_with_the_file_that_was_named(
    blobs: DirectoryBlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    target = tmp_path / "out" / "report.zip"

    with pytest.raises(DiskFull) as refused:
        fetch(blobs, target)

    assert str(refused.value) == f"{target}: no space left on the disk; make room in {target.parent}"
    assert left_in(target.parent) == []


def test_a_result_is_named_after_its_document_in_a_folder(tmp_path: Path) -> None:
    """R2-24."""
    assert target_of(JOB, str(tmp_path)) == tmp_path / "report.zip"
    assert target_of(JOB, f"{tmp_path}/new/") == tmp_path / "new" / "report.zip"
    assert target_of(JOB, f"{tmp_path}/mine.zip") == tmp_path / "mine.zip"
    assert target_of(a_job(source_path="/docs/A.PDF"), str(tmp_path)) == tmp_path / "A.zip"
    assert target_of(a_job(), str(tmp_path)).name == f"{a_job().source_hash[:12]}.zip"


def test_a_long_name_is_cut_to_what_fits(tmp_path: Path) -> None:
    target = target_of(a_job(source_path="ü" * 200 + ".pdf"), str(tmp_path))

    target.touch()
    assert target.name.endswith("ü.zip")
