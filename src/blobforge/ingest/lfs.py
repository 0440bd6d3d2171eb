"""Git LFS: a pointer names the hash and size of a file whose bytes are elsewhere."""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.errors import SourceMissing
from blobforge.domain.ids import SourceHash
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.processes import quiet_environment, said

POINTER_BELOW = 1024
"""A pointer is smaller than this, by the rules of Git LFS."""

_VERSION = b"version https://git-lfs.github.com/spec/v1\n"
_OID = re.compile(rb"^oid sha256:([0-9a-f]{64})$", re.MULTILINE)
_REASON = re.compile(r"^.*: \[[0-9]+\] ")
"""What stands before the reason: the same name and hash, three times over."""
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


def materialise(path: str, pointer: Pointer, target: Path, *, called: str) -> None:
    """Writes the content behind the pointer at `path` into another file; the work tree stays as it is.

    From the repository's own copy, or from its server. `called` is its name in messages. Raises SourceMissing.
    """
    # By itself and not by a checkout, which could touch what somebody is editing.
    command = ["git", "-c", "core.hooksPath=/dev/null", "lfs", "smudge", "--", os.path.basename(path)]  # noqa: PTH119
    environ = quiet_environment()
    # Whoever clones without contents sets it; here we ask for one.
    environ.pop("GIT_LFS_SKIP_SMUDGE", None)
    with target.open("wb") as file:
        try:
            done = subprocess.run(
                command,
                cwd=os.path.dirname(path),  # noqa: PTH120
                env=environ,
                input=pointer.text,
                stdout=file,
                stderr=subprocess.PIPE,
                check=False,
            )
        except FileNotFoundError as error:
            raise SourceMissing(f"{called} is a Git LFS pointer, and git is not installed") from error
    # What could not be fetched, Git LFS answers with the pointer itself.
    if done.returncode != 0 or hash_file(str(target)).source_hash != pointer.source_hash:
        reason = _REASON.sub("", said(done.stderr)) or "what came is not what the pointer names"
        raise SourceMissing(f"{called}: its content cannot be fetched by Git LFS: {reason}")
