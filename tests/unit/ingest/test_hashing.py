"""The content hash of a file, and whether it can be trusted later."""

import hashlib
import os
from contextlib import closing
from pathlib import Path

import pytest

from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.domain.errors import Interrupted, SourceChanged, SourceMissing, SourceUnreadable
from blobforge.ingest.hashing import NO_TIME_NS, hash_file
from blobforge.ports.hash_cache import FileStat

SECOND = 1_000_000_000
WRITTEN = 1_700_000_000 * SECOND + 123_456_789
LONG_AFTER = WRITTEN + 3600 * SECOND


def written(path: Path, content: bytes = b"content", *, at: int = WRITTEN) -> str:
    path.write_bytes(content)
    os.utime(path, ns=(at, at))
    return str(path)


def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    content = os.urandom(700_000)
    path = written(tmp_path / "file", content)

    file = hash_file(path)

    assert file.source_hash == hashlib.sha256(content).hexdigest()
    assert file.stat == (path, 700_000, WRITTEN)


@pytest.mark.parametrize(
    ("mtime_ns", "now_ns", "trusted"),
    [
        (WRITTEN, WRITTEN, False),
        (WRITTEN, WRITTEN + 49_000_000, False),
        (WRITTEN, WRITTEN + 50_000_000, True),
        (WRITTEN, WRITTEN - 49_000_000, False),
        (WRITTEN, WRITTEN - 3600 * SECOND, True),
        (1_700_000_000 * SECOND, 1_700_000_001 * SECOND, False),
        (1_700_000_000 * SECOND, 1_700_000_002 * SECOND, True),
    ],
    ids=["now", "just now", "a step ago", "clocks differ", "far ahead", "whole seconds, one ago", "two ago"],
)
def test_a_file_that_changed_within_a_step_of_the_clock_is_not_trusted_later(
    tmp_path: Path, mtime_ns: int, now_ns: int, trusted: bool
) -> None:
    path = written(tmp_path / "file", at=mtime_ns)

    file = hash_file(path, now_ns=lambda: now_ns)

    assert file.stat.mtime_ns == (mtime_ns if trusted else NO_TIME_NS)
    assert file.source_hash == hashlib.sha256(b"content").hexdigest()


def test_a_file_that_is_not_trusted_is_hashed_again_and_still_found_by_its_content(tmp_path: Path) -> None:
    path = written(tmp_path / "file")
    file = hash_file(path, now_ns=lambda: WRITTEN)

    with closing(SqliteCatalog(tmp_path / "catalog.db")) as catalog:
        catalog.remember([file])

        assert catalog.known([FileStat(path, 7, WRITTEN)]) == {}
        assert catalog.paths_of(file.source_hash) == [path]


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    written(path)

    def someone_writes() -> bool:
        with path.open("ab") as file:
            file.write(b"more")
        return False

    with pytest.raises(SourceChanged, match="was being written to"):
        hash_file(str(path), stopped=someone_writes)


def test_a_file_that_is_overwritten_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    written(path)

    def someone_writes() -> bool:
        path.write_bytes(b"another")
        return False

    with pytest.raises(SourceChanged):
        hash_file(str(path), stopped=someone_writes)


def test_a_file_that_is_replaced_while_it_is_read_is_hashed_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    written(path)
    written(tmp_path / "new", b"another", at=LONG_AFTER)

    def someone_replaces() -> bool:
        (tmp_path / "new").replace(path)
        return False

    file = hash_file(str(path), stopped=someone_replaces, now_ns=lambda: LONG_AFTER)

    assert file == ((str(path), 7, WRITTEN), hashlib.sha256(b"content").hexdigest())


def test_hashing_stops_when_it_is_told_to(tmp_path: Path) -> None:
    path = written(tmp_path / "file")

    with pytest.raises(Interrupted):
        hash_file(path, stopped=lambda: True)


def test_a_file_that_is_gone_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="is not there"):
        hash_file(str(tmp_path / "gone"))


def test_what_cannot_be_opened_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="Is a directory"):
        hash_file(str(tmp_path))
