"""Sources for children that see nothing but their workspace: a copy of each document inside it."""

import errno
import shutil
from pathlib import Path

from blobforge.domain.errors import SourceChanged, SourceMissing, SourceUnreadable
from blobforge.domain.job import Job
from blobforge.worker.sources import SourceFinder
from blobforge.worker.workspace import require_fitting, stamp, writing_failed

_FULL = (errno.ENOSPC, errno.EDQUOT)


class CopiedSources:
    """A SourceFinder around another. A copy, not a link: a link would let a child write to the original, and would
    change the times by which backups know it. It costs little beside reading a document."""

    def __init__(self, sources: SourceFinder) -> None:
        self._sources = sources

    def locate(self, job: Job, workspace: Path) -> Path:
        """Raises SourceMissing, SourceChanged, SourceUnreadable, DiskTooSmall, DiskFull, OutputUnwritable."""
        source = self._sources.locate(job, workspace)
        return source if source.parent == workspace else _copied(source, workspace / _name_for(job))


def _name_for(job: Job) -> str:
    """With the extension of its own name: some libraries go by that."""
    extension = Path(job.source_path).suffix.lower() if job.source_path else f".{job.type}"
    return f"source{extension}" if extension.isascii() and extension[1:].isalnum() else "source"


def _copied(source: Path, target: Path) -> Path:
    before = stamp(source)
    try:
        # Without a detour through this process, where the system can.
        shutil.copyfile(source, target)
    except FileNotFoundError as error:
        raise SourceMissing(f"{source} is not there any more") from error
    except OSError as error:
        # The system copies from file to file and names both: it is the source's fault unless the disk is full.
        if error.filename == str(source) and error.errno not in _FULL:
            raise SourceUnreadable(f"{source} cannot be read: {error.strerror}") from error
        require_fitting(source, source.stat().st_size, target.parent)
        raise writing_failed(error, target) from error
    require_same(source, before, may_be_gone=False)
    return target


def require_same(source: Path, before: tuple[int, int] | None, *, may_be_gone: bool = True) -> None:
    """Raises SourceChanged. What was read and is gone by now was still the right one."""
    if (now := stamp(source)) != before and not (may_be_gone and now is None):
        raise SourceChanged(f"{source} was changed while it was read; submit it again")
