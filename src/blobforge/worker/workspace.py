"""Folders to work in: one a job and claim, gone when the job is, and swept up after a crash."""

import errno
import shutil
from pathlib import Path

from blobforge.domain.errors import DiskFull, OutputUnwritable
from blobforge.domain.job import Job


class Workspace:
    def __init__(self, root: Path) -> None:
        self._root = root

    def create(self, job: Job) -> Path:
        """An empty folder. Raises DiskFull, OutputUnwritable."""
        # By lease too: a worker that lost the job and one that has it never share a folder.
        path = self._root / f"{job.id}-{job.lease_number}"
        try:
            self.remove(path)
            path.mkdir(parents=True)
        except OSError as error:
            raise writing_failed(error, path) from error
        return path

    def remove(self, path: Path) -> None:
        shutil.rmtree(path, ignore_errors=True)


def writing_failed(error: OSError, path: Path) -> DiskFull | OutputUnwritable:
    """What an error while writing means to a person."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"{path}: no space left on the disk")
    return OutputUnwritable(f"{path} cannot be written: {error.strerror or error}")
