"""The Coordinator over HTTP: the rules are the server's, here are only messages."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel

from blobforge.client.connection import Connection, new_request_id
from blobforge.client.dealings import queued
from blobforge.client.held_leases import HeldLeases
from blobforge.client.receipts import KeptReceipts
from blobforge.client.steps import carry_out, surely
from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, NotFound, StoreUnavailable
from blobforge.domain.events import Attempt, Event, History
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, SourceHash, WorkerId
from blobforge.domain.job import Job, NewJob, State
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.pause import Pause
from blobforge.domain.service_record import ServiceRecord, read_record, record_json
from blobforge.domain.worker import Worker
from blobforge.ports.blob_store import source_key
from blobforge.ports.coordinator import Cleared, EndedAndClaimed, Swept
from blobforge.ports.job_store import ANY, Inserted, JobFilter, Queue, References
from blobforge.telemetry.lazy import LazyLogger
from blobforge.wire import looking, paths
from blobforge.wire import queue as messages
from blobforge.wire.jobs import FileRow, JobRow, KeyRow, NewJobRow
from blobforge.wire.many import CancelMany, RetryMany
from blobforge.wire.pausing import LaneMessage, PauseRow, PauseRows
from blobforge.wire.queue import MOST_AT_ONCE, ClaimNext, EndingMessage, SeenJob, SettleRequest, ending_message

log = LazyLogger(__name__)

Item = TypeVar("Item")
Found = TypeVar("Found")

NO_PROCESS = WorkerId("")


class HttpCoordinator:
    """Threads may share it."""

    def __init__(self, connection: Connection, leases: HeldLeases, receipts: KeptReceipts | None = None) -> None:
        self._connection = connection
        self._leases = leases
        self._receipts = receipts or KeptReceipts()
        self.claims_from: Queue | None = None
        """What was claimed from last: a wake-up is asked for that."""
        self.process = NO_PROCESS
        """Who claimed last."""

    def submit(self, jobs: Sequence[NewJob]) -> list[Inserted]:
        def send(part: Sequence[NewJob]) -> list[Inserted]:
            told = carry_out(surely(lambda: queued([self._row(job) for job in part])), self._connection)
            return [Inserted(entry.job.as_job(), entry.created) for entry in told.jobs]

        return _in_parts(jobs, send)

    def _row(self, job: NewJob) -> NewJobRow:
        return NewJobRow.of(job, receipt=self._receipts.of(job.project, job.source_hash))

    def claim(self, queue: Queue, *, worker_id: WorkerId, limit: int = 1) -> list[Job]:
        return self.end_and_claim([], queue, worker_id=worker_id, limit=limit).claimed

    def claim_exactly(self, jobs: Sequence[Job], *, worker_id: WorkerId) -> list[Job]:
        return self.end_and_claim_exactly([], jobs, worker_id=worker_id).claimed

    def renew(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        def send(part: Sequence[Job]) -> list[Job | BlobForgeError]:
            request = messages.RenewRequest.model_construct(leases=[self._leases.of(job) for job in part])
            return _results(self._connection.post(paths.RENEW, request, messages.Outcomes))

        return _in_parts(jobs, send)

    def end(self, endings: Sequence[Ending]) -> list[Job | BlobForgeError]:
        return _in_parts(endings, lambda part: self._settle(part, NO_PROCESS).ended)

    def end_and_claim(
        self, endings: Sequence[Ending], queue: Queue, *, worker_id: WorkerId, limit: int
    ) -> EndedAndClaimed:
        if limit <= 0:
            return EndedAndClaimed(self.end(endings), [])
        self.claims_from, self.process = queue, worker_id
        claim = ClaimNext(
            project=queue.project, types=list(queue.types), has=sorted(queue.has), limit=min(limit, MOST_AT_ONCE)
        )
        return self._settle(endings, worker_id, claim=claim)

    def end_and_claim_exactly(
        self, endings: Sequence[Ending], jobs: Sequence[Job], *, worker_id: WorkerId
    ) -> EndedAndClaimed:
        return self._settle(endings, worker_id, exactly=_seen(jobs))

    def _settle(
        self,
        endings: Sequence[Ending],
        process: WorkerId,
        *,
        claim: ClaimNext | None = None,
        exactly: list[SeenJob] | None = None,
    ) -> EndedAndClaimed:
        if claim is not None:
            # What an earlier claim gave, and nobody here heard of, is given once more.
            known = {"holding": self._leases.ids_of(process), "in_doubt": self._leases.is_in_doubt(process)}
            claim = claim.model_copy(update=known)
        told = [self._told(ending) for ending in endings]
        request = SettleRequest.model_construct(process=process, endings=told, claim=claim, exactly=exactly)
        request_id = new_request_id()
        try:
            settled = self._connection.post(paths.SETTLE, request, messages.Settled, request_id=request_id)
        except StoreUnavailable:
            self._leases.doubt_endings([ending.job for ending in endings])
            if claim is not None or exactly is not None:
                self._leases.doubt_claim(process)
            raise
        ended = [outcome.result() for outcome in settled.ended]
        self._leases.forget([ending.job for ending, outcome in zip(endings, ended, strict=True) if _is_over(outcome)])
        claimed = [entry.job.as_job() for entry in settled.claimed]
        self._leases.keep(process, list(zip(claimed, (entry.lease_token for entry in settled.claimed), strict=True)))
        self._leases.keep_addresses(
            {source_key(SourceHash(entry.job.source_hash)): entry.source_url for entry in settled.claimed}
        )
        if claimed:
            # By this id the server's log has the request, too.
            log.info("the server gave jobs", request_id=request_id, job_ids=[job.id for job in claimed])
        return EndedAndClaimed(ended, claimed)

    def _told(self, ending: Ending) -> EndingMessage:
        job = ending.job
        again, upload = self._leases.was_sent(job), self._leases.upload_of(job)
        return ending_message(ending, self._leases.of(job), again=again, upload=upload)

    def cancel(self, job_id: JobId, *, rev: int | None = None) -> Job:
        return self._moved(paths.CANCEL, messages.CancelRequest(id=job_id, rev=rev))

    def cancel_many(self, job_ids: Sequence[JobId], *, still: JobFilter = ANY) -> list[Job | BlobForgeError]:
        def send(part: Sequence[JobId]) -> list[Job | BlobForgeError]:
            request = CancelMany(ids=list(part), still=looking.FilterMessage.of(still))
            return _results(self._connection.post(paths.CANCEL_MANY, request, messages.Outcomes))

        return _in_parts(job_ids, send)

    def requeue(self, job_id: JobId) -> Job:
        return self._moved(paths.REQUEUE, messages.JobRequest(id=job_id))

    def retry(
        self,
        job_id: JobId,
        *,
        reset_attempts: bool = True,
        priority: int | None = None,
        metadata: str | None = None,
        source_expected_by: datetime | None = None,
        rev: int | None = None,
    ) -> Job:
        request = messages.RetryRequest(
            id=job_id,
            reset_attempts=reset_attempts,
            priority=priority,
            metadata=metadata,
            source_expected_by=source_expected_by,
            rev=rev,
        )
        return self._moved(paths.RETRY, request)

    def retry_many(
        self,
        job_ids: Sequence[JobId],
        *,
        reset_attempts: bool = True,
        priority: int | None = None,
        still: JobFilter = ANY,
    ) -> list[Job | BlobForgeError]:
        wanted = looking.FilterMessage.of(still)

        def send(part: Sequence[JobId]) -> list[Job | BlobForgeError]:
            request = RetryMany(ids=list(part), still=wanted, reset_attempts=reset_attempts, priority=priority)
            return _results(self._connection.post(paths.RETRY_MANY, request, messages.Outcomes))

        return _in_parts(job_ids, send)

    def source_arrived(self, job_id: JobId) -> Job:
        return self._moved(paths.SOURCE_ARRIVED, messages.JobRequest(id=job_id))

    def expect_source(self, job_id: JobId, *, until: datetime, source_size: int | None = None) -> Job:
        request = messages.ExpectSourceRequest(id=job_id, until=until, source_size=source_size)
        return self._moved(paths.EXPECT_SOURCE, request)

    def retry_unchanged(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        def send(part: Sequence[Job]) -> list[Job | BlobForgeError]:
            request = messages.SeenJobs(jobs=_seen(part))
            return _results(self._connection.post(paths.RETRY_UNCHANGED, request, messages.Outcomes))

        return _in_parts(jobs, send)

    def reprocess(self, jobs: Sequence[Job], metadata: Callable[[Job], str]) -> list[Job | BlobForgeError]:
        def send(part: Sequence[Job]) -> list[Job | BlobForgeError]:
            rows = [messages.ReprocessedJob(id=job.id, rev=job.rev, metadata=metadata(job)) for job in part]
            request = messages.ReprocessRequest(jobs=rows)
            return _results(self._connection.post(paths.REPROCESS, request, messages.Outcomes))

        return _in_parts(jobs, send)

    def clear_dead(self, jobs: Sequence[Job]) -> Cleared:
        def send(part: Sequence[Job]) -> list[messages.ClearedCounts]:
            request = messages.SeenJobs(jobs=_seen(part))
            return [self._connection.post(paths.CLEAR_DEAD, request, messages.ClearedCounts)]

        parts = _in_parts(jobs, send)
        return Cleared(sum(part.purged for part in parts), sum(part.restored for part in parts))

    def reprioritize(self, job_id: JobId, *, priority: int, rev: int | None = None) -> Job:
        return self._moved(paths.REPRIORITIZE, messages.PriorityRequest(id=job_id, priority=priority, rev=rev))

    def amend(self, job_id: JobId, *, metadata: str) -> Job:
        return self._moved(paths.AMEND, messages.AmendRequest(id=job_id, metadata=metadata))

    def sweep(self, *, dry_run: bool = False) -> Swept:
        told = self._connection.post(paths.SWEEP, messages.SweepRequest(dry_run=dry_run), messages.SweptJobs)
        return Swept([row.as_job() for row in told.reaped], told.repaired, told.left_alone)

    def expire_worker(self, worker_id: WorkerId) -> list[Job]:
        request = messages.WorkerIdMessage(id=worker_id)
        return _jobs(self._connection.post(paths.EXPIRE_WORKER, request, messages.JobRows))

    def get(self, job_id: JobId) -> Job:
        for job in self.get_many([job_id]):
            return job
        raise NotFound(f"there is no job #{job_id}")

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        def send(part: Sequence[JobId]) -> list[Job]:
            return _jobs(self._connection.post(paths.GET_MANY, messages.Ids(ids=list(part)), messages.JobRows))

        return _in_parts(list(dict.fromkeys(job_ids)), send)

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        found = _in_parts(keys, lambda part: _jobs(self._connection.post(paths.FIND, _keys(part), messages.JobRows)))
        return {job.key: job for job in found}

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        found = _in_parts(keys, lambda part: self._connection.post(paths.STATES, _keys(part), looking.KeyStates).states)
        return {entry.key.as_key(): entry.state for entry in found}

    def find_by_prefix(self, prefix: str, *, project: str, limit: int = 10) -> list[Job]:
        request = looking.PrefixRequest(prefix=prefix, project=project, limit=limit)
        return _jobs(self._connection.post(paths.FIND_BY_PREFIX, request, messages.JobRows))

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        found: list[Job] = []
        while len(found) < limit:
            part = min(limit - len(found), MOST_AT_ONCE)
            request = looking.PageRequest(wanted=looking.FilterMessage.of(wanted), after=after, limit=part)
            jobs = _jobs(self._connection.post(paths.PAGE, request, messages.JobRows))
            found += jobs
            if len(jobs) < part:
                break
            after = jobs[-1].id
        if wanted.worker_id is not None:
            self._leases.find(wanted.worker_id, [job for job in found if job.state is State.RUNNING])
        return found

    def count(self, wanted: JobFilter, *, most: int) -> int:
        request = looking.CountRequest(wanted=looking.FilterMessage.of(wanted), most=most)
        return self._connection.post(paths.COUNT, request, looking.CountAnswer).count

    def references(self) -> References:
        told = self._connection.get(paths.REFERENCES, looking.ReferencesMessage)
        return told.as_references()

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        told = self._connection.post(paths.COUNTS, looking.ProjectRequest(project=project), looking.Counts)
        return {(entry.type, entry.state): entry.count for entry in told.counts}

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        told = self._connection.post(paths.WAITING, looking.ProjectRequest(project=project), looking.WaitingCounts)
        return {(entry.type, entry.needs): entry.count for entry in told.waiting}

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._connection.post(paths.GAPS, looking.ProjectRequest(project=project), looking.TypeCounts).counts

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._connection.post(paths.DOUBTS, looking.ProjectRequest(project=project), looking.TypeCounts).counts

    def history(self, job_id: JobId) -> History:
        told = self._connection.post(paths.HISTORY, messages.JobRequest(id=job_id), looking.HistoryMessage)
        attempts = [Attempt(**dict(row)) for row in told.attempts]
        return History(attempts, [Event(**dict(row)) for row in told.events])

    def record_files(self, job_id: JobId, files: Sequence[FileRecord]) -> None:
        job = self.get(job_id)
        self.record_many([(job, record) for record in files])

    def record_many(self, records: Sequence[tuple[Job, FileRecord]]) -> None:
        def send(part: Sequence[tuple[Job, FileRecord]]) -> list[None]:
            rows = [messages.RecordedFile(job_id=job.id, file=FileRow.of(record)) for job, record in part]
            self._connection.post(paths.RECORD_FILES, messages.RecordedFiles(files=rows), messages.Outcomes)
            return []

        _in_parts(records, send)

    def files(self, job_id: JobId) -> list[FileRecord]:
        told = self._connection.post(paths.FILES, messages.JobRequest(id=job_id), looking.FileRows)
        return [row.as_record() for row in told.files]

    def beat(self, jobs: Sequence[Job], worker: Worker) -> list[Job | BlobForgeError]:
        request = messages.RenewRequest.model_construct(
            leases=[self._leases.of(job) for job in jobs[:MOST_AT_ONCE]], worker=messages.WorkerRow.of(worker)
        )
        renewed = _results(self._connection.post(paths.RENEW, request, messages.Outcomes))
        return renewed + (self.renew(jobs[MOST_AT_ONCE:]) if jobs[MOST_AT_ONCE:] else [])

    def pause(self, project: str, job_type: str, *, by: str) -> Pause:  # noqa: ARG002 - the server knows who asks
        message = LaneMessage(project=project, type=job_type)
        return self._connection.post(paths.PAUSE, message, PauseRow).as_pause()

    def resume(self, project: str, job_type: str) -> Pause | None:
        message = LaneMessage(project=project, type=job_type)
        return next(iter(self._connection.post(paths.RESUME, message, PauseRows).as_pauses()), None)

    def pauses(self, *, project: str | None = None) -> list[Pause]:
        return self._connection.post(paths.PAUSES, looking.ProjectRequest(project=project), PauseRows).as_pauses()

    def register_worker(self, worker: Worker) -> None:
        self._connection.post(paths.REGISTER, messages.WorkerRow.of(worker), messages.WorkerRow)

    def deregister_worker(self, worker_id: WorkerId) -> None:
        self._connection.post(paths.DEREGISTER, messages.WorkerIdMessage(id=worker_id), messages.WorkerIdMessage)

    def workers(self) -> list[Worker]:
        return [row.as_worker() for row in self._connection.get(paths.WORKERS, looking.WorkerRows).workers]

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        request = looking.IdentityRequest(
            proposed=looking.IdentityMessage.of(proposed), instead_of=looking.IdentityMessage.of(instead_of)
        )
        return self._connection.post(paths.IDENTITY, request, looking.IdentityAnswer).as_identity()

    def add_to_record(self, name: str, more: ServiceRecord) -> ServiceRecord:
        request = messages.AddToRecord(name=name, more=record_json(more))
        return read_record(self._connection.post(paths.ADD_TO_RECORD, request, looking.ServiceRecords).records[name])

    def records(self) -> dict[str, ServiceRecord]:
        told = self._connection.get(paths.RECORDS, looking.ServiceRecords)
        return {name: read_record(said) for name, said in told.records.items()}

    def close(self) -> None:
        self._connection.close()

    def _moved(self, path: str, request: BaseModel) -> Job:
        return self._connection.post(path, request, JobRow).as_job()


def _in_parts(items: Sequence[Item], send: Callable[[Sequence[Item]], list[Found]]) -> list[Found]:
    return [found for part in _parts(items) for found in send(part)]


def _parts(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """A message has a limit; a library has none."""
    for start in range(0, len(items), MOST_AT_ONCE):
        yield items[start : start + MOST_AT_ONCE]


def _results(told: messages.Outcomes) -> list[Job | BlobForgeError]:
    return [outcome.result() for outcome in told.outcomes]


def _is_over(outcome: Job | BlobForgeError) -> bool:
    """What the queue had no room for, or could not do now, is reported again: until then its job is held."""
    return not isinstance(outcome, StoreUnavailable | DiskFull)


def _jobs(told: messages.JobRows) -> list[Job]:
    return [row.as_job() for row in told.jobs]


def _seen(jobs: Sequence[Job]) -> list[SeenJob]:
    return [SeenJob(id=job.id, rev=job.rev) for job in jobs]


def _keys(keys: Sequence[JobKey]) -> messages.Keys:
    return messages.Keys.model_construct(keys=[KeyRow.of(key) for key in keys])
