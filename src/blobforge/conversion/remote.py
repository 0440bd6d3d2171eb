"""A conversion that others do: documents are brought to a server, and their jobs are waited for."""

import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from blobforge.conversion.run import WorkReceiver
from blobforge.domain.errors import SourceError, StoreUnavailable
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import FINAL_STATES, Job
from blobforge.domain.result_record import FOUND
from blobforge.domain.worker_report import read_report
from blobforge.ports.blob_store import BlobStore, source_key
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.processor import Progress
from blobforge.worker.results import result_of

FIRST_SECONDS = 0.2
LONGEST_SECONDS = 2.0
GROWTH = 1.5


class Bringing:
    """Sees to it that a server has the bytes of a document, before its job is made."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs
        self._brought: set[SourceHash] = set()
        self._was_there: dict[SourceHash, str] = {}

    def bring(self, source_hash: SourceHash, path: str) -> None:
        """Raises SourceError, StoreUnavailable."""
        if source_hash in self._brought:
            return
        key = source_key(source_hash)
        if self._blobs.stat(key) is None:
            self._blobs.put(key, Path(path))
        else:
            self._was_there[source_hash] = path
        self._brought.add(source_hash)

    def keep(self, source_hashes: Collection[SourceHash]) -> None:
        """What was counted on as there, a `gc` may have deleted before it had a job."""
        counted_on = {source_key(known): known for known in source_hashes if known in self._was_there}
        for key in self._blobs.keep(counted_on) if counted_on else ():
            # Its job is there, and says what it lacks.
            with suppress(SourceError):
                self._blobs.put(key, Path(self._was_there[counted_on[key]]))


class RemoteJobs:
    """The jobs of a run, and the wait for them: the part of a worker's loop where others work."""

    def __init__(self, coordinator: Coordinator, receiver: WorkReceiver) -> None:
        self._coordinator = coordinator
        self._receiver = receiver
        self._lock = threading.Lock()
        self._waiting: dict[JobId, Job] = {}
        self._is_complete = False
        # A plain flag, as a signal handler may set it; the event only wakes.
        self._is_stopped = False
        self._changed = threading.Event()

    def add(self, jobs: Sequence[Job]) -> None:
        with self._lock:
            self._waiting.update({job.id: job for job in jobs})

    def close(self) -> None:
        self._is_complete = True

    def nudge(self) -> None:
        self._changed.set()

    def stop(self) -> None:
        """What was brought to the server stays there, and is done all the same."""
        self._is_stopped = True

    def run(self) -> None:
        """Until every job has ended, or someone has stopped it."""
        seconds = FIRST_SECONDS
        while not self._is_over():
            self._changed.wait(seconds)
            self._changed.clear()
            try:
                has_news = self._look()
            except StoreUnavailable as error:
                self._receiver.waiting(error)
                has_news = False
            seconds = FIRST_SECONDS if has_news else min(seconds * GROWTH, LONGEST_SECONDS)

    def _is_over(self) -> bool:
        with self._lock:
            return self._is_stopped or (self._is_complete and not self._waiting)

    def _look(self) -> bool:
        """Whether a job has ended."""
        with self._lock:
            waiting = dict(self._waiting)
        if not waiting:
            return False
        ended = [job for job in self._coordinator.get_many(sorted(waiting)) if job.state in FINAL_STATES]
        with self._lock:
            for job in ended:
                self._waiting.pop(job.id, None)
        for job in ended:
            tell = self._receiver.found if result_of(job).get(FOUND) is True else self._receiver.made
            tell(job)
        self._tell_progress({job_id: job for job_id, job in waiting.items() if job_id in self._waiting})
        return bool(ended)

    def _tell_progress(self, waiting: Mapping[JobId, Job]) -> None:
        """As the workers report it with their signs of life."""
        if not waiting:
            return
        for worker in self._coordinator.workers():
            for at_work in read_report(worker.metadata, worker_id=worker.id).jobs:
                job = waiting.get(JobId(at_work.job_id))
                if job is not None:
                    progress = Progress(at_work.stage or "", at_work.current, at_work.total)
                    self._receiver.progressed(job, progress)
