"""The hash in a file's own attributes."""

import errno
import os
import shutil
import sys
from pathlib import Path

import pytest

from blobforge.catalog.xattrs import MTIME, OURS, SHA256, XattrHashCache
from blobforge.domain.ids import SourceHash
from blobforge.ingest.hashing import hash_file
from blobforge.ports.hash_cache import FileStat, HashedFile
from blobforge.testing.builders import hash_of

SECOND = 1_000_000_000
WRITTEN = 1_700_000_000 * SECOND + 123_456_789

pytestmark = pytest.mark.skipif(not hasattr(os, "setxattr"), reason="only Linux has attributes of files in Python")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """On a file system with attributes, or the test has nothing to say."""
    path = tmp_path / "one.pdf"
    path.write_bytes(b"content")
    try:
        os.setxattr(path, "user.test", b"1")
    except OSError:
        pytest.skip("the file system has no attributes")
    os.utime(path, ns=(WRITTEN, WRITTEN))
    return path


def stat_of(path: Path) -> FileStat:
    facts = path.stat()
    return FileStat(str(path), facts.st_size, facts.st_mtime_ns)


def hashed(path: Path) -> SourceHash:
    """Hashes a file, and has it remembered."""
    file = hash_file(str(path))
    XattrHashCache().remember([file])
    return file.source_hash


def test_a_file_that_was_hashed_before_is_known(path: Path) -> None:
    source_hash = hashed(path)

    assert XattrHashCache().known([stat_of(path)]) == {str(path): source_hash}


def test_other_programs_find_the_hash_and_the_time_in_seconds(path: Path) -> None:
    """R2-34."""
    source_hash = hashed(path)

    assert os.getxattr(path, SHA256).decode() == source_hash
    assert os.getxattr(path, MTIME) == b"1700000000"


def test_a_file_that_changed_is_unknown(path: Path) -> None:
    """R2-35."""
    hashed(path)
    os.utime(path, ns=(WRITTEN, WRITTEN + SECOND))

    assert XattrHashCache().known([stat_of(path)]) == {}


def test_what_was_written_within_the_same_second_is_seen(path: Path) -> None:
    """R2-35."""
    hashed(path)
    path.write_bytes(b"CONTENT")
    os.utime(path, ns=(WRITTEN, WRITTEN + 1))

    assert XattrHashCache().known([stat_of(path)]) == {}


def test_another_size_is_seen_whatever_the_time_says(path: Path) -> None:
    hashed(path)
    path.write_bytes(b"more content")
    os.utime(path, ns=(WRITTEN, WRITTEN))

    assert XattrHashCache().known([stat_of(path)]) == {}


def test_the_attributes_of_another_program_alone_are_not_trusted(path: Path) -> None:
    """R2-35: they do not tell whether the file was rewritten within its second, before or after they were made."""
    os.setxattr(path, SHA256, hash_of("what the file held before").encode())
    os.setxattr(path, MTIME, b"1700000000")

    assert XattrHashCache().known([stat_of(path)]) == {}


def test_a_file_that_changed_after_it_was_hashed_gets_no_attributes(path: Path) -> None:
    """R2-35."""
    file = hash_file(str(path))
    path.write_bytes(b"CONTENT")

    XattrHashCache().remember([file])

    assert OURS not in os.listxattr(path)
    assert SHA256 not in os.listxattr(path)


def test_a_file_too_young_to_be_trusted_gets_no_attributes(path: Path) -> None:
    file = hash_file(str(path), now_ns=lambda: WRITTEN)

    XattrHashCache().remember([file])

    assert OURS not in os.listxattr(path)


def test_a_file_that_is_moved_takes_its_hash_with_it(path: Path) -> None:
    source_hash = hashed(path)
    moved = path.rename(path.with_name("two.pdf"))

    assert XattrHashCache().known([stat_of(moved)]) == {str(moved): source_hash}


@pytest.mark.parametrize("text", [b"", b"7", b"7 1700000000123456789 ", b"7 1700000000123456789 \xff" + b"0" * 63])
def test_nonsense_in_the_attribute_is_not_believed(path: Path, text: bytes) -> None:
    os.setxattr(path, OURS, text)

    assert XattrHashCache().known([stat_of(path)]) == {}


def test_a_file_that_is_gone_is_unknown_and_forgotten_in_silence(path: Path) -> None:
    file = HashedFile(stat_of(path), hash_of("a"))
    path.unlink()

    XattrHashCache().remember([file])

    assert XattrHashCache().known([file.stat]) == {}


def test_a_file_system_that_refuses_is_no_trouble(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R2-35."""

    def refused(*_: object) -> bytes:
        raise OSError(errno.ENOTSUP, "not supported")

    monkeypatch.setattr(os, "getxattr", refused)
    monkeypatch.setattr(os, "setxattr", refused)

    assert XattrHashCache().known([stat_of(path)]) == {}
    XattrHashCache().remember([HashedFile(stat_of(path), hash_of("a"))])


def test_a_system_without_attributes_is_no_trouble(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R2-35."""
    monkeypatch.delattr(os, "getxattr")
    monkeypatch.delattr(os, "setxattr")

    assert XattrHashCache().known([stat_of(path)]) == {}
    XattrHashCache().remember([HashedFile(stat_of(path), hash_of("a"))])


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of Linux is a file system with other rules")
def test_a_file_system_in_memory_is_no_trouble() -> None:
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("there is no file system in memory here")
    folder = Path("/dev/shm", f"blobforge-test-{os.getpid()}")
    folder.mkdir()
    try:
        path = folder / "one.pdf"
        path.write_bytes(b"content")
        os.utime(path, ns=(WRITTEN, WRITTEN))
        source_hash = hashed(path)
        assert XattrHashCache().known([stat_of(path)]) in ({}, {str(path): source_hash})
    finally:
        shutil.rmtree(folder)


def test_nobody_knows_the_files_of_a_hash(path: Path) -> None:
    assert XattrHashCache().paths_of(hashed(path)) == []
