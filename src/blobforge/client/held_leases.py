"""The leases of this process: their tokens, what was uploaded under them, and what a lost answer left open."""

import threading
from collections.abc import Mapping, Sequence

from blobforge.domain.ids import SourceHash, WorkerId
from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.wire.queue import Lease, UploadedResult

_Key = tuple[int, int]
"""A job and the number of its lease: what stays the same while it is renewed."""


class HeldLeases:
    """Threads share it. A process that starts anew has none: what it held before is freed by the queue."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._leases: dict[_Key, Lease] = {}
        self._processes: set[WorkerId] = set()
        self._in_doubt: set[WorkerId] = set()
        self._sent: set[_Key] = set()
        self._uploads: dict[_Key, UploadedResult] = {}
        self._of_hash: dict[SourceHash, list[_Key]] = {}
        self._addresses: dict[BlobKey, str] = {}

    def of(self, job: Job) -> Lease:
        """As a message has it: also of a job that another process claimed, which the server will refuse."""
        with self._lock:
            known = self._leases.get(_key(job))
        token = None if known is None else known.token
        return Lease(job_id=job.id, number=job.lease_number, process=job.worker_id or "", token=token)

    def keep(self, process: WorkerId, claimed: Sequence[tuple[Job, str]]) -> None:
        with self._lock:
            self._processes.add(process)
            self._in_doubt.discard(process)
            for job, token in claimed:
                self._add(job, Lease(job_id=job.id, number=job.lease_number, process=process, token=token))

    def find(self, process: WorkerId, held: Sequence[Job]) -> None:
        """Jobs that a process of ours holds, as the queue says: of those without a token, the answer to their claim was
        lost, and nobody here need have noticed, where a proxy had repeated it."""
        with self._lock:
            for job in held if process in self._processes else ():
                if _key(job) not in self._leases:
                    self._add(job, Lease(job_id=job.id, number=job.lease_number, process=process))

    def forget(self, jobs: Sequence[Job]) -> None:
        with self._lock:
            for job in jobs:
                key = _key(job)
                self._leases.pop(key, None)
                self._sent.discard(key)
                self._uploads.pop(key, None)
                left = [other for other in self._of_hash.pop(job.source_hash, []) if other != key]
                if left:
                    self._of_hash[job.source_hash] = left
                else:
                    self._addresses.pop(source_key(job.source_hash), None)

    def for_hash(self, source_hash: SourceHash) -> Lease | None:
        """The latest lease under which this document may be read: it may be that of several jobs."""
        with self._lock:
            keys = self._of_hash.get(source_hash)
            return self._leases[keys[-1]] if keys else None

    def keep_addresses(self, told: Mapping[BlobKey, str | None]) -> None:
        """Where the documents of claimed jobs are had, as far as the server said so with the jobs."""
        with self._lock:
            self._addresses.update({key: url for key, url in told.items() if url is not None})

    def take_address(self, key: BlobKey) -> str | None:
        """Used once: it may be no longer valid, and then another one is asked for."""
        with self._lock:
            return self._addresses.pop(key, None)

    def note_upload(self, job: Job, upload: UploadedResult) -> None:
        """Of the result of a job, which its ending will name."""
        with self._lock:
            self._uploads[_key(job)] = upload

    def upload_of(self, job: Job) -> UploadedResult | None:
        with self._lock:
            return self._uploads.get(_key(job))

    def doubt_claim(self, process: WorkerId) -> None:
        """The answer to a claim did not arrive."""
        with self._lock:
            self._processes.add(process)
            self._in_doubt.add(process)

    def doubt_endings(self, jobs: Sequence[Job]) -> None:
        """Nor did that to these endings, which may have counted."""
        with self._lock:
            self._sent.update(map(_key, jobs))

    def was_sent(self, job: Job) -> bool:
        """Whether its ending was sent before, and no answer came."""
        with self._lock:
            return _key(job) in self._sent

    def is_in_doubt(self, process: WorkerId) -> bool:
        with self._lock:
            return process in self._in_doubt

    def ids_of(self, process: WorkerId) -> list[int]:
        """The jobs that it knows of."""
        with self._lock:
            return sorted({lease.job_id for lease in self._leases.values() if lease.process == process})

    def _add(self, job: Job, lease: Lease) -> None:
        """A later lease of the same job stands for the ones before."""
        self._leases[_key(job)] = lease
        others = [key for key in self._of_hash.get(job.source_hash, []) if key[0] != job.id]
        self._of_hash[job.source_hash] = [*others, _key(job)]


def _key(job: Job) -> _Key:
    return job.id, job.lease_number
