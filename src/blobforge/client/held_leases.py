"""The leases of this process: their tokens, what was uploaded under them, and what a lost answer left open."""

import threading
from collections.abc import Mapping, Sequence

from blobforge.domain.ids import SourceHash, WorkerId
from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.wire.queue import Lease, UploadedResult


class HeldLeases:
    """Threads share it. A process that starts anew has none: what it held before is freed by the queue."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: dict[tuple[int, int], tuple[WorkerId, str | None]] = {}
        self._in_doubt: set[WorkerId] = set()
        self._sent: set[tuple[int, int]] = set()
        self._uploads: dict[tuple[int, int], UploadedResult] = {}
        self._of_hash: dict[SourceHash, Job] = {}
        self._addresses: dict[BlobKey, str] = {}

    def of(self, job: Job) -> Lease:
        """As a message has it: also of a job that another process claimed, which the server will refuse."""
        with self._lock:
            _, token = self._tokens.get((job.id, job.lease_number), (None, None))
        return Lease(job_id=job.id, number=job.lease_number, process=job.worker_id or "", token=token)

    def keep(self, process: WorkerId, claimed: Sequence[tuple[Job, str]]) -> None:
        with self._lock:
            self._in_doubt.discard(process)
            for job, token in claimed:
                self._tokens[job.id, job.lease_number] = (process, token)
                self._of_hash[job.source_hash] = job

    def find(self, process: WorkerId, held: Sequence[Job]) -> None:
        """Jobs of this process that it read of, and has no token for: the answer to their claim was lost."""
        with self._lock:
            for job in held:
                self._tokens.setdefault((job.id, job.lease_number), (process, None))
                self._of_hash.setdefault(job.source_hash, job)

    def forget(self, jobs: Sequence[Job]) -> None:
        with self._lock:
            for job in jobs:
                self._tokens.pop((job.id, job.lease_number), None)
                self._sent.discard((job.id, job.lease_number))
                self._uploads.pop((job.id, job.lease_number), None)
                if self._of_hash.get(job.source_hash) == job:
                    del self._of_hash[job.source_hash]
                    self._addresses.pop(source_key(job.source_hash), None)

    def for_hash(self, source_hash: SourceHash) -> Lease | None:
        """A lease under which this document may be read."""
        with self._lock:
            job = self._of_hash.get(source_hash)
        return None if job is None else self.of(job)

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
            self._uploads[job.id, job.lease_number] = upload

    def upload_of(self, job: Job) -> UploadedResult | None:
        with self._lock:
            return self._uploads.get((job.id, job.lease_number))

    def doubt_claim(self, process: WorkerId) -> None:
        """The answer to a claim did not arrive."""
        with self._lock:
            self._in_doubt.add(process)

    def doubt_endings(self, jobs: Sequence[Job]) -> None:
        """Nor did that to these endings, which may have counted."""
        with self._lock:
            self._sent.update((job.id, job.lease_number) for job in jobs)

    def was_sent(self, job: Job) -> bool:
        """Whether its ending was sent before, and no answer came."""
        with self._lock:
            return (job.id, job.lease_number) in self._sent

    def is_in_doubt(self, process: WorkerId) -> bool:
        with self._lock:
            return process in self._in_doubt

    def ids_of(self, process: WorkerId) -> list[int]:
        """The jobs that it knows of."""
        with self._lock:
            return sorted(job_id for (job_id, _), (of, _) in self._tokens.items() if of == process)
