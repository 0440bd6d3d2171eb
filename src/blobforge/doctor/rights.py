"""Whether others on this machine can read what is kept in files."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from blobforge.config.settings import Settings
from blobforge.doctor.findings import Finding, Verdict
from blobforge.domain.file_rights import FileRights
from blobforge.wiring.addresses import files_of_queue, files_of_store

_OF_OTHERS = {FileRights.PRIVATE: 0o077, FileRights.GROUP: 0o007, FileRights.UMASK: 0}
_MEND = {FileRights.PRIVATE: "go=", FileRights.GROUP: "o="}


def rights(settings: Settings) -> Finding:
    wanted = settings.file_rights
    exposed = [str(path) for path in _kept(settings) if path.exists() and path.stat().st_mode & _OF_OTHERS[wanted]]
    if not exposed:
        return Finding(name="rights", verdict=Verdict.OK, message=f"files are kept as file_rights={wanted} says")
    command = f"chmod -R {_MEND[wanted]} {shlex.join(exposed)}"
    message = (
        f"others can read {', '.join(exposed)}, with documents in it: run `{command}`, or set "
        "BLOBFORGE_FILE_RIGHTS to group or umask if they are meant to"
    )
    return Finding(name="rights", verdict=Verdict.WARNING, message=message)


def _kept(settings: Settings) -> Iterator[Path]:
    """The outermost ones: what lies in a folder that is closed is closed."""
    yield settings.home
    others = (*files_of_store(settings), *files_of_queue(settings)[:1])  # those beside a queue have its rights
    yield from (path for path in others if not path.is_relative_to(settings.home))
