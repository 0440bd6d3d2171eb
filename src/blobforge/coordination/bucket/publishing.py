"""Publishing a result: the one write that completes a job, and that succeeds once for each generation."""

import errno
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from blobforge.coordination.bucket.job_history import JobHistory
from blobforge.coordination.bucket.names import DOUBTS, GAPS, IndexName, Lane, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published_result import PublishedResult, metadata_for, published_in, recipe_of
from blobforge.coordination.bucket.stored_state import Recorded
from blobforge.domain.errors import DiskFull, OutputUnwritable, ResultDamaged
from blobforge.domain.job import Job, title
from blobforge.domain.recipe import UNRECORDED
from blobforge.domain.result_record import result_record
from blobforge.objectstore.answers import Absent
from blobforge.objectstore.client import Only
from blobforge.ports.result_staging import ResultStaging
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

_EMPTY_ZIP = b"PK\x05\x06" + b"\0" * 16
"""A zip without members, up to the length of its comment."""


class Publishing:
    """Never replaces the result of the same generation or a later one."""

    def __init__(self, objects: Objects, staging: ResultStaging, *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        self._objects = objects
        self._nonce = runtime.nonce
        self._staging = staging

    def publish(self, finalising: Recorded, history: JobHistory) -> PublishedResult:
        """Returns what is published in the end: ours, or the result of another run of this generation or a later one.

        Raises NotFound where that is gone, DiskFull, OutputUnwritable.
        """
        try:
            return self._publish(finalising, history)
        except OSError as error:
            raise _unpublished(error, history.job) from error

    def republish(self, record: Recorded, out: PublishedResult, history: JobHistory) -> PublishedResult | None:
        """Publishes the existing result again as that of this generation; None when it was replaced meanwhile.

        Raises ResultDamaged, DiskFull, OutputUnwritable.
        """
        job, lane = history.job, lane_of(history.job.key)
        name, metadata = lane.out(job.source_hash), self._metadata(lane, history, record.generation)
        try:
            etag = self._put_again(name, Only(if_etag=out.etag), metadata)
        except zipfile.BadZipFile as error:
            raise ResultDamaged(f"the result of {title(job)} is damaged: {error}; run it again") from error
        except OSError as error:
            raise _unpublished(error, job) from error
        if etag is not None:
            return PublishedResult(record.generation, etag, self._objects.now(), history)
        there = published_in(self._objects.head(name), job.key)
        return there if there is not None and there.generation >= record.generation else None

    def _put_again(self, name: str, only: Only, metadata: dict[str, str]) -> str | None:
        """Fetches without a condition: if it was replaced meanwhile, the condition of the write fails."""
        with TemporaryDirectory(prefix="blobforge-") as folder:
            archive = Path(folder, "result.zip")
            with archive.open("wb") as file:
                try:
                    self._objects.fetch(name, file)
                except Absent:
                    return None
            return self._put(name, archive, only, metadata)

    def _publish(self, finalising: Recorded, history: JobHistory) -> PublishedResult:
        job, lane = history.job, lane_of(history.job.key)
        name, out = lane.out(job.source_hash), finalising.out
        metadata = self._metadata(lane, history, finalising.generation)
        flawed, whole = _flaws(job)
        for entry in flawed:
            # Before the result: readers ignore an entry too many, and a missing one would hide a flaw.
            self._objects.put(entry, b"")
        with self._staging.opened(job) as archive:
            while True:
                only = Only(if_new=True) if out is None else Only(if_etag=out.etag)
                if out is not None:
                    published = UNRECORDED if out.is_foreign else out.recipe
                    self._staging.keep_replaced(job, published=published, by=recipe_of(job))
                etag = self._put(name, archive, only, metadata)
                if etag is not None:
                    if out is not None:
                        self._objects.delete_many(whole)
                    return PublishedResult(finalising.generation, etag, self._objects.now(), history)
                out = published_in(self._objects.head(name), job.key)
                if out is not None and out.generation >= finalising.generation:
                    return out

    def _metadata(self, lane: Lane, history: JobHistory, generation: int) -> dict[str, str]:
        return metadata_for(self._objects, lane, history, generation=generation, nonce=self._nonce(8))

    def _put(self, name: str, archive: Path | None, only: Only, metadata: dict[str, str]) -> str | None:
        """With a nonce in the bytes: equal zips of two runs would have equal ETags, and both writes would succeed."""
        comment = f"blobforge {self._nonce(8)}".encode("ascii")
        if archive is None:
            return self._objects.put(name, _EMPTY_ZIP + _length(comment) + comment, only=only, metadata=metadata)
        set_comment(archive, comment)
        return self._objects.put_file(name, archive, only=only, metadata=metadata)


def _flaws(job: Job) -> tuple[list[str], list[str]]:
    """The entries in the indexes of gaps and doubts that a job has, and those that it must not have."""
    record, name = result_record(job), IndexName(job.id, job.key)
    is_in = {name.within(GAPS): record.has_gaps, name.within(DOUBTS): record.has_doubts}
    return [entry for entry, has in is_in.items() if has], [entry for entry, has in is_in.items() if not has]


def set_comment(archive: Path, comment: bytes) -> None:
    """Writes the comment of a zip file in place: its other bytes stay as they are."""
    with zipfile.ZipFile(archive, "a") as file:
        file.comment = comment


def _unpublished(error: OSError, job: Job) -> DiskFull | OutputUnwritable:
    where = error.filename or "the disk"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"the result of {title(job)} cannot be published: no space left on {where}")
    return OutputUnwritable(f"the result of {title(job)} cannot be published: {where}: {error.strerror or error}")


def _length(comment: bytes) -> bytes:
    return len(comment).to_bytes(2, "little")
