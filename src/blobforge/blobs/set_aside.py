"""Deletes a file as it was seen, and puts it back where it came to life meanwhile.

Nothing locks a folder that several machines share. So the file is renamed first, out of everyone's way, and looked at
once more there: whoever stored another in its place before has had that one renamed, and whoever renewed it has changed
its time. Then it goes back. What a process that was killed has set aside goes back with the next look for left-overs.
"""

import errno
import os
import uuid
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote

from blobforge import durable_files

_ASIDE = ".aside~"
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def version_of(facts: os.stat_result) -> str:
    return f"{facts.st_ino:x}-{facts.st_mtime_ns:x}"


def looked_at(path: Path) -> os.stat_result:
    """Opened: a network file system asks its server only then, and else may tell what was a minute ago. Raises
    OSError."""
    with durable_files.open_regular(path) as file:
        return os.fstat(file.fileno())


def delete_as_seen(path: Path, version: str, *, key: str, incoming: Path) -> bool:
    """Whether it was deleted: not one of another version. Raises OSError."""
    aside = incoming / f"{_ASIDE}{uuid.uuid4().hex}~{quote(key, safe='')}"
    try:
        # Before it is renamed, so that next to nothing that is needed is ever missed by a reader.
        if version_of(looked_at(path)) != version:
            return False
        path.rename(aside)
        if version_of(looked_at(aside)) == version:
            aside.unlink(missing_ok=True)
            return True
    except FileNotFoundError:
        # Another one has deleted it, or put it back.
        return False
    _put_back(aside, path)
    return False


def is_aside(name: str) -> bool:
    return name.startswith(_ASIDE)


def put_back(aside: Path, root: Path) -> None:
    """What was set aside by whoever was killed then; one who is at work takes it for deleted by another. Raises
    OSError."""
    key = unquote(aside.name.removeprefix(_ASIDE).partition("~")[2])
    _put_back(aside, root / key)


def _put_back(aside: Path, path: Path) -> None:
    """Never over what was stored in its place."""
    with suppress(FileNotFoundError):
        try:
            os.link(aside, path)
        except FileExistsError:
            pass
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if not path.exists():
                aside.rename(path)
        aside.unlink()
