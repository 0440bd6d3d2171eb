"""Publishing a result: the one write that makes a job done, and that happens once for each generation."""

import errno
import zipfile
from pathlib import Path
from secrets import token_hex

from blobforge.coordination.bucket.names import lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published import Published, metadata_for, published_in, recipe_of
from blobforge.coordination.bucket.record import Record
from blobforge.coordination.bucket.standing import Celled
from blobforge.domain.errors import DiskFull, OutputUnwritable
from blobforge.domain.job import Job
from blobforge.objectstore.client import Only
from blobforge.ports.archives import Archives

_EMPTY_ZIP = b"PK\x05\x06" + b"\0" * 16
"""An archive of nothing, but for the length of its comment."""


class Publishing:
    def __init__(self, objects: Objects, archives: Archives) -> None:
        self._objects = objects
        self._archives = archives

    def publish(self, finalising: Celled, record: Record) -> Published:
        """What is published in the end: ours, or that of another run of this generation or a later one.

        Raises DiskFull, OutputUnwritable.
        """
        try:
            return self._publish(finalising, record)
        except OSError as error:
            raise _unpublished(error, record.job) from error

    def _publish(self, finalising: Celled, record: Record) -> Published:
        job, lane = record.job, lane_of(record.job.key)
        name, out = lane.out(job.source_hash), finalising.out
        metadata = metadata_for(self._objects, lane, record, finalising.generation)
        with self._archives.opened(job) as archive:
            while True:
                only = Only(if_new=True) if out is None else Only(if_etag=out.etag)
                if out is not None:
                    self._archives.keep_replaced(job.source_hash, published=out.recipe, by=recipe_of(job))
                etag = self._put(name, archive, only, metadata)
                if etag is not None:
                    return Published(finalising.generation, etag, self._objects.now(), record)
                out = published_in(self._objects.head(name), job.key)
                if out is not None and out.generation >= finalising.generation:
                    return out

    def _put(self, name: str, archive: Path | None, only: Only, metadata: dict[str, str]) -> str | None:
        """With a nonce in the bytes: equal archives of two runs would have equal ETags, and both would win."""
        comment = f"blobforge {token_hex(8)}".encode("ascii")
        if archive is None:
            return self._objects.put(name, _EMPTY_ZIP + _length(comment) + comment, only=only, metadata=metadata)
        set_comment(archive, comment)
        return self._objects.put_file(name, archive, only=only, metadata=metadata)


def set_comment(archive: Path, comment: bytes) -> None:
    """Writes the comment of a zip file in its place: the rest of its bytes stays as it is."""
    with zipfile.ZipFile(archive, "a") as file:
        file.comment = comment


def _unpublished(error: OSError, job: Job) -> DiskFull | OutputUnwritable:
    where = error.filename or "the disk"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"the result of job {job.id} cannot be published: no space left on {where}")
    return OutputUnwritable(f"the result of job {job.id} cannot be published: {where}: {error.strerror or error}")


def _length(comment: bytes) -> bytes:
    return len(comment).to_bytes(2, "little")
