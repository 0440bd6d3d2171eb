"""Git LFS: a pointer names the hash and size of a file whose bytes are elsewhere."""

import re
import shutil
import stat as modes
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.errors import SourceMissing
from blobforge.domain.ids import SourceHash
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.lfs_remote import download, remote_of
from blobforge.ingest.work_trees import GitFolder, git_folder_around, git_folder_of

POINTER_BELOW = 1024
"""A pointer is smaller than this, by the rules of Git LFS."""

_VERSION = b"version https://git-lfs.github.com/spec/v1\n"
_OID = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.MULTILINE)
_SIZE = re.compile(rb"^size ([0-9]{1,18})$", re.MULTILINE)


class Pointer(NamedTuple):
    source_hash: SourceHash
    size: int
    text: bytes


def pointer_in(text: bytes) -> Pointer | None:
    """The pointer that a file's whole content is; None for any other content."""
    oid, size = _OID.search(text), _SIZE.search(text)
    if len(text) >= POINTER_BELOW or not text.startswith(_VERSION) or oid is None or size is None:
        return None
    return Pointer(SourceHash(oid.group(1).decode()), int(size.group(1)), text)


def materialise(
    path: str, pointer: Pointer, target: Path, *, called: str, stopped: Callable[[], bool] = lambda: False
) -> None:
    """Writes the content behind the pointer at `path` into another file; the work tree stays as it is.

    From the repository's own copy, or from its server. `called` is its name in messages.
    Raises SourceMissing, Interrupted.
    """
    repository = git_folder_around(path)
    if repository is None:
        raise SourceMissing(
            f"{called} is a Git LFS pointer outside of a Git repository: nothing says where its content is"
        )
    try:
        if not _copied(repository, pointer, target):
            _fetch(repository, pointer, target, stopped)
    except (SourceMissing, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceMissing(f"{called}: its content cannot be fetched by Git LFS: {reason}") from error


def _fetch(repository: GitFolder, pointer: Pointer, target: Path, stopped: Callable[[], bool]) -> None:
    remote = remote_of(repository)
    if remote is None:
        raise SourceMissing(f"it is not in {repository.common}, and no remote is set")
    if (folder := remote.folder()) is None:
        reason = download(remote, pointer.text, target, size=pointer.size, stopped=stopped)
        # What could not be fetched, Git LFS answers with the pointer itself.
        if not _is_content(target, pointer):
            raise SourceMissing(reason or "what came is not what the pointer names")
        return
    there = git_folder_of(folder)
    if there is None or not _copied(there, pointer, target):
        raise SourceMissing(f"{folder} does not have {pointer.source_hash}")


def _copied(repository: GitFolder, pointer: Pointer, target: Path) -> bool:
    """From where Git LFS keeps contents. A file of another size, a pipe or a device is not even opened."""
    digest = pointer.source_hash
    kept = repository.common / "lfs" / "objects" / digest[:2] / digest[2:4] / digest
    try:
        facts = kept.stat()
    except OSError:
        return False
    if not modes.S_ISREG(facts.st_mode) or facts.st_size != pointer.size:
        return False
    shutil.copyfile(kept, target)
    return _is_content(target, pointer)


def _is_content(path: Path, pointer: Pointer) -> bool:
    return hash_file(str(path)).source_hash == pointer.source_hash
