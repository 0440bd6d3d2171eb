"""The BlobStore of a client without keys. What it may see and where it may write is the server's to say."""

import hashlib
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from blobforge.blobs.keys import parts_of
from blobforge.client.bringing import brought, sent_result
from blobforge.client.connection import Connection
from blobforge.client.files import download
from blobforge.client.held_leases import HeldLeases
from blobforge.client.receipts import KeptReceipts
from blobforge.client.steps import carry_out
from blobforge.domain.errors import (
    InvalidSettings,
    LeaseLost,
    NotFound,
    SourceMissing,
    SourceUnreadable,
    StoreUnavailable,
)
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job
from blobforge.ports.blob_store import NO_LABELS, BlobKey, BlobStat, DeleteAsSeen, Leftover, source_key
from blobforge.wire import paths
from blobforge.wire.queue import MOST_AT_ONCE, Lease, UploadedResult
from blobforge.wire.transfers import (
    BlobAnswer,
    BlobRequest,
    BlobRows,
    ErrorLogMessage,
    StatRequest,
)

IN_MEMORY = 8 * 1024 * 1024
_CHUNK = 1 << 20


class HttpBlobStore:
    """Threads may share it. Reads by the lease of a job that is held, or else by the right of whoever asks."""

    def __init__(
        self, connection: Connection, leases: HeldLeases, *, project: str, receipts: KeptReceipts | None = None
    ) -> None:
        self._connection = connection
        self._leases = leases
        self._project = project
        self._receipts = receipts or KeptReceipts()

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,  # noqa: ARG002 - the port
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        """Of a source alone: the server looks at it, brings it to its place, and gives a receipt for it."""
        source_hash = source_hash or source_of(key)
        if source_hash is None or source_of(key) is None:
            raise _not_here(key)
        size = _size(path)
        steps = brought(path, project=self._project, source_hash=source_hash, size=size)
        told = carry_out(steps, self._connection)
        self._receipts.keep(self._project, source_hash, told.receipt)
        return BlobStat(key, told.size, datetime.now(UTC))

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:  # noqa: ARG002 - the port
        raise _not_here(key)

    def open(self, key: BlobKey) -> BinaryIO:
        parts_of(key)
        spool = cast("BinaryIO", tempfile.SpooledTemporaryFile(IN_MEMORY))  # noqa: SIM115 - the caller closes it
        try:
            self._read(key, spool)
        except BaseException:
            spool.close()
            raise
        spool.seek(0)
        return spool

    def local_path(self, key: BlobKey) -> Path | None:
        parts_of(key)
        return None

    def fetch(self, key: BlobKey, target: Path) -> None:
        parts_of(key)
        if self._fetched_from_claim(key, target):
            return
        found = self._asked(key)
        if found.source is None:
            raise NotFound(f"there is no blob {key}")
        download(self._connection, found.source.url, target, size=found.size)

    def address(self, key: BlobKey) -> str:
        return f"{self._connection.url}/{key}"

    def stat(self, key: BlobKey) -> BlobStat | None:
        parts_of(key)
        try:
            found = self._asked(key)
        except (NotFound, LeaseLost):
            # Who does not hold the job any more is shown nothing: the server answers, and that is all that is asked.
            return None
        if found.size is None or found.modified is None:
            return None
        return BlobStat(key, found.size, found.modified)

    def stat_many(self, keys: Collection[BlobKey]) -> dict[BlobKey, BlobStat]:
        wanted: list[str] = list(keys)
        found: dict[BlobKey, BlobStat] = {}
        for start in range(0, len(wanted), MOST_AT_ONCE):
            request = StatRequest(project=self._project, keys=wanted[start : start + MOST_AT_ONCE])
            for row in self._connection.post(paths.BLOB_STATS, request, BlobRows).blobs:
                found[BlobKey(row.key)] = BlobStat(BlobKey(row.key), row.size, row.modified)
        return found

    def renew(self, key: BlobKey) -> BlobStat | None:
        """The server does so itself when a run ends with what it found."""
        return self.stat(key)

    def keep(self, keys: Collection[BlobKey]) -> set[BlobKey]:
        """The server has waited for whoever deletes when it took the jobs: here is asked what is left to be done."""
        return set(keys) - self.stat_many(keys).keys()

    def clearing(self, keys: Collection[BlobKey]) -> AbstractContextManager[DeleteAsSeen]:
        raise _not_here(min(keys))

    def delete(self, key: BlobKey) -> None:
        """Takes back a source that was put here: no job of ours will name it, and the server's gc removes it."""
        source_hash = source_of(key)
        if source_hash is None:
            raise _not_here(key)
        self._receipts.forget(self._project, source_hash)

    def list(self, prefix: str) -> Iterator[BlobStat]:
        raise _not_here(BlobKey(prefix))

    def leftovers(self) -> Iterator[Leftover]:
        return iter(())

    def clear(self, leftover: Leftover) -> None:
        """There are none."""

    def _read(self, key: BlobKey, target: BinaryIO) -> None:
        found = self._asked(key)
        if found.source is None:
            raise NotFound(f"there is no blob {key}")
        target.writelines(self._connection.chunks(found.source.url))

    def _fetched_from_claim(self, key: BlobKey, target: Path) -> bool:
        """From where the claim of its job said. Who fetches checks the bytes against the hash."""
        if (url := self._leases.take_address(key)) is None:
            return False
        try:
            download(self._connection, url, target, size=None)
        except (StoreUnavailable, NotFound):
            return False  # perhaps no longer valid: the server says what is so now
        return True

    def _asked(self, key: BlobKey) -> BlobAnswer:
        request = BlobRequest(key=key, project=self._project, lease=self._lease_for(key))
        return self._connection.post(paths.BLOB_URL, request, BlobAnswer)

    def _lease_for(self, key: BlobKey) -> Lease | None:
        name = key.rpartition("/")[2].partition(".")[0].partition("-")[0]
        return self._leases.for_hash(SourceHash(name))


class ResultUploads(HttpBlobStore):
    """The same for the results of one job: what is stored is uploaded under its lease, and named by its ending."""

    def __init__(
        self, connection: Connection, leases: HeldLeases, *, project: str, job: Job, publish: bool = True
    ) -> None:
        super().__init__(connection, leases, project=project)
        self._job = job
        self._publish = publish

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        size, sha256 = path.stat().st_size, _sha256(path)
        lease = self._leases.of(self._job)
        steps = sent_result(path, lease=lease, recipe=_recipe_in(key), size=size, sha256=sha256)
        upload = carry_out(steps, self._connection)
        done = UploadedResult(id=upload, size=size, sha256=sha256, publish=self._publish)
        self._leases.note_upload(self._job, done)
        path.unlink(missing_ok=True)
        return BlobStat(key, size, datetime.now(UTC))


class LogOfJob(HttpBlobStore):
    """The error log of a job whose attempt was just ended here: its lease says who had it."""

    def __init__(self, connection: Connection, leases: HeldLeases, *, project: str, job: Job) -> None:
        super().__init__(connection, leases, project=project)
        self._lease = Lease(job_id=job.id, number=job.lease_number, process=job.worker_id or "")

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,  # noqa: ARG002 - the port
        source_hash: SourceHash | None = None,  # noqa: ARG002
    ) -> BlobStat:
        text = path.read_text(encoding="utf-8")
        self._connection.tell(paths.ERROR_LOG, ErrorLogMessage(lease=self._lease, log=text))
        return BlobStat(key, path.stat().st_size, datetime.now(UTC))

    def _lease_for(self, key: BlobKey) -> Lease | None:  # noqa: ARG002 - of this job alone
        return self._lease


def source_of(key: BlobKey) -> SourceHash | None:
    """The document that this is the source of; None for another blob."""
    folder, _, name = key.rpartition("/")
    source_hash = SourceHash(name.partition(".")[0])
    return source_hash if folder == "sources" and key == source_key(source_hash) else None


def _size(path: Path) -> int:
    """Raises SourceMissing, SourceUnreadable."""
    try:
        return path.stat().st_size
    except FileNotFoundError as error:
        raise SourceMissing(f"{path} is not there") from error
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror}") from error


def _recipe_in(key: BlobKey) -> str:
    return key.rpartition("-")[2].removesuffix(".zip")


def _sha256(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def _not_here(key: BlobKey) -> InvalidSettings:
    return InvalidSettings(f"{key} lies behind a server: this belongs on the machine of the server")
