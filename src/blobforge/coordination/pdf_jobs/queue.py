"""The queue in the table `pdf_jobs`: claims, renewals and endings, each one transaction."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from blobforge.coordination.pdf_jobs import statements
from blobforge.coordination.pdf_jobs.database import Database, Transaction
from blobforge.coordination.pdf_jobs.documents import DocumentPaths
from blobforge.coordination.pdf_jobs.holding import Holding, RowStatus, error_message, is_final
from blobforge.coordination.pdf_jobs.results import Results, results_in
from blobforge.coordination.pdf_jobs.rows import claimed_job
from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.errors import (
    BlobForgeError,
    LeaseLost,
    OutputError,
    OutputUnwritable,
    StoreUnavailable,
    WriteRefused,
)
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.retry import RetryPolicy
from blobforge.domain.worker import Worker
from blobforge.ports.coordinator import EndedAndClaimed
from blobforge.ports.result_staging import ResultStaging
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

LOST = "worker_lost: the worker that had this job was not heard of again, and no attempt is left"
_STATES = {"done": State.COMPLETED, "failed": State.DEAD, "pending": State.PENDING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """`most_jobs` is the limit of claims, None for no limit; with `until_drained` the worker ends when none is left."""

    worker_id: WorkerId
    max_attempts: int
    stale: timedelta
    options: JsonObject
    policy: RetryPolicy
    most_jobs: int | None = None
    until_drained: bool = False


class PdfJobs:
    """The feed and the lease keeper of a worker. The heartbeat calls it from another thread."""

    def __init__(
        self,
        database: Database,
        paths: DocumentPaths,
        staging: ResultStaging,
        terms: Terms,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        roll: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._paths = paths
        self._staging = staging
        self._terms = terms
        self._monotonic = monotonic
        self._roll = roll
        self._lock = threading.Lock()
        """Held over a whole step: a renewal between reading a holding and ending it would change the fence."""
        self._held: dict[JobId, Holding] = {}
        self._doubtful: Holding | None = None
        self._backing_off: dict[JobId, float] = {}
        self._claims = 0
        self._has_claimed_once = False
        self._has_rights = False

    # A feed

    def settle(self, endings: Sequence[Ending], *, limit: int) -> EndedAndClaimed:
        """Each ending is a transaction of its own: only one whose commit is in doubt is repeated."""
        with self._lock:
            return self._end_and_claim(endings, limit)

    def exhausted(self, *, running: int) -> bool:
        if running:
            return False
        if self._terms.most_jobs is not None:
            return self._has_claimed_once
        if not self._terms.until_drained:
            return False
        with self._database.transaction() as transaction:
            row = transaction.row(statements.IS_WORK_LEFT)
        return row is not None and not row[0]

    # A lease keeper

    def renew(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        with self._lock:
            return [self._renewed(job) for job in jobs]

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        """Those that are still ours."""
        with self._lock, self._database.transaction() as transaction:
            held = [self._held[job_id] for job_id in job_ids if job_id in self._held]
            return [holding.job for holding in held if transaction.row(statements.HELD, holding.fence()) is not None]

    def register_worker(self, worker: Worker) -> None:
        """That application has no list of workers."""

    def beat(self, jobs: Sequence[Job], worker: Worker) -> list[Job | BlobForgeError]:  # noqa: ARG002 - the port
        return self.renew(jobs)

    def deregister_worker(self, worker_id: WorkerId) -> None:
        """That application has no list of workers."""

    # One step

    def _end_and_claim(self, endings: Sequence[Ending], limit: int) -> EndedAndClaimed:
        ended = [self._end(ending) for ending in endings]
        if any(isinstance(outcome, StoreUnavailable) for outcome in ended):
            # Endings that could not be written must not pile up.
            return EndedAndClaimed(ended, [])
        if self._terms.most_jobs is not None:
            limit = min(limit, self._terms.most_jobs - self._claims)
        try:
            return EndedAndClaimed(ended, self._claimed(limit))
        except StoreUnavailable as error:
            if not endings:
                raise
            log.warning("the next job could not be claimed", error=str(error))
            return EndedAndClaimed(ended, [])

    def _holding_of(self, job: Job) -> Holding | None:
        holding = self._held.get(job.id)
        return holding if holding is not None and holding.job.lease_number == job.lease_number else None

    # Claiming

    def _claimed(self, limit: int) -> list[Job]:
        jobs: list[Job] = []
        while len(jobs) < limit and (holding := self._recovered() or self._claim()) is not None:
            self._claims += 1
            self._held[holding.job.id] = holding
            jobs.append(holding.job)
        self._has_claimed_once = self._has_claimed_once or limit > 0
        return jobs

    def _claim(self) -> Holding | None:
        holding: Holding | None = None
        try:
            self._require_rights()
            with self._database.transaction() as transaction:
                freed = self._free_stale(transaction)
                holding = self._take(transaction)
        except StoreUnavailable:
            # It may have been committed, and only the answer was lost: the next claim checks.
            self._doubtful = holding
            raise
        for job_id, attempts in freed:
            log.warning("a job's worker was lost", job_id=job_id, attempts=attempts)
        return holding

    def _require_rights(self) -> None:
        """Checked once, before the first claim: a worker that may claim and not write results would work in vain."""
        if self._has_rights:
            return
        with self._database.transaction() as transaction:
            missing = [what for (what,) in transaction.rows(statements.MISSING_RIGHTS)]
        if missing:
            hint = "docs/howto/lab-worker.md has the GRANTs"
            raise StoreUnavailable(f"the worker's role lacks {', '.join(missing)}; {hint}")
        self._has_rights = True

    def _recovered(self) -> Holding | None:
        """The claim whose commit was in doubt, if it was committed."""
        holding = self._doubtful
        if holding is None:
            return None
        with self._database.transaction() as transaction:
            is_ours = transaction.row(statements.HELD, holding.fence()) is not None
        self._doubtful = None
        return holding if is_ours else None

    def _take(self, transaction: Transaction) -> Holding | None:
        found = self._next(transaction)
        if found is None:
            return None
        job_id, document_id = found
        taken = transaction.row(statements.TAKE, {"id": job_id})
        assert taken is not None, "the row is locked"
        attempts, stamp = taken
        job = claimed_job(
            job_id,
            self._paths.upload(transaction, document_id),
            attempts=attempts,
            max_attempts=self._terms.max_attempts,
            lease_number=self._claims + 1,
            worker_id=self._terms.worker_id,
            locked_at=stamp,
            options=self._terms.options,
        )
        return Holding(job, document_id, (stamp,), self._monotonic())

    def _next(self, transaction: Transaction) -> tuple[JobId, int] | None:
        """A job that failed here is in back-off, which the table cannot express: without it three attempts would be
        over within a second."""
        now = self._monotonic()
        self._backing_off = {job_id: until for job_id, until in self._backing_off.items() if until > now}
        if self._backing_off:
            row = transaction.row(statements.NEXT_EXCEPT, {"backing_off": list(self._backing_off)})
        else:
            row = transaction.row(statements.NEXT)
        # The document of a job may be deleted and its reference null: 0 has no row either.
        return None if row is None else (JobId(row[0]), row[1] or 0)

    def _free_stale(self, transaction: Transaction) -> list[tuple[int, int]]:
        rows = transaction.rows(statements.STALE, {"stale": self._terms.stale.total_seconds()})
        spent = [job_id for job_id, attempts in rows if attempts >= self._terms.max_attempts]
        retried = [job_id for job_id, attempts in rows if attempts < self._terms.max_attempts]
        if spent:
            transaction.write(statements.TO_FAILED, {"ids": spent, "message": LOST})
        if retried:
            transaction.write(statements.TO_PENDING, {"ids": retried})
        return [(job_id, attempts) for job_id, attempts in rows]

    # Renewals

    def _renewed(self, job: Job) -> Job | BlobForgeError:
        holding = self._holding_of(job)
        if holding is None:
            return _lost(job)
        try:
            with self._database.transaction() as transaction:
                row = transaction.row(statements.NOW)
                assert row is not None, "there is always a time"
                (now,) = row
                # Noted before the write: if the answer is lost, the row has one of these.
                self._held[job.id] = holding._replace(stamps=(*holding.stamps, now))
                is_ours = transaction.write(statements.RENEW, {**holding.fence(), "now": now}) == 1
        except StoreUnavailable as error:
            return error
        if not is_ours:
            return _lost(job)
        self._held[job.id] = holding._replace(stamps=(now,))
        return job

    # Endings

    def _end(self, ending: Ending) -> Job | BlobForgeError:
        holding = self._holding_of(ending.job)
        if holding is None:
            self._discard(ending)
            return _lost(ending.job)
        try:
            row = self._ended(holding, ending)
        except (StoreUnavailable, OutputError) as error:
            return error
        del self._held[ending.job.id]
        if row is None:
            self._log(holding, "lost", LeaseLost.code)
            return _lost(ending.job)
        if isinstance(ending, Failed) and row.status == "pending":
            delay = self._terms.policy.delay(row.attempts, roll=self._roll())
            self._backing_off[ending.job.id] = self._monotonic() + delay.total_seconds()
        self._log(holding, row.status, ending.failure.code if isinstance(ending, Failed) else None)
        return ending.job._replace(state=_STATES[row.status], attempts=row.attempts)

    def _ended(self, holding: Holding, ending: Ending) -> RowStatus | None:
        """None when the row is not ours any more. Raises StoreUnavailable, OutputError."""
        if isinstance(ending, Completed):
            return self._completed(holding, ending)
        if not isinstance(ending, Failed):
            return self._written(holding, statements.RELEASED, RowStatus("pending", holding.job.attempts - 1))
        statement, status = statements.RETRY, "pending"
        if is_final(holding.job, ending.failure):
            statement, status = statements.FAILED, "failed"
        wanted = RowStatus(status, holding.job.attempts)
        try:
            return self._written(holding, statement, wanted, error_message(ending.failure, holding.document_id))
        except WriteRefused:
            # The column may be a short one.
            return self._written(holding, statement, wanted, ending.failure.code)

    def _discard(self, ending: Ending) -> None:
        """The result of a lost job must not stay in the staging folder."""
        if isinstance(ending, Completed):
            with self._staging.opened(ending.job._replace(result=ending.result)):
                log.info("late result discarded", job_id=ending.job.id)

    def _completed(self, holding: Holding, ending: Completed) -> RowStatus | None:
        """The job first: a worker that lost it must not write to the document."""
        wanted = RowStatus("done", holding.job.attempts)
        with self._staging.opened(ending.job._replace(result=ending.result)) as archive:
            results = results_in(archive)
            try:
                return self._published(holding, results, wanted)
            except WriteRefused as error:
                # It would be refused again. So the job fails, which can be written.
                raise OutputUnwritable(str(error)) from None

    def _published(self, holding: Holding, results: Results, wanted: RowStatus) -> RowStatus | None:
        with self._database.transaction() as transaction:
            if transaction.write(statements.DONE, holding.fence()) != 1:
                return self._if_written_before(transaction, holding, wanted)
            values = {**results._asdict(), "document": holding.document_id}
            if transaction.write(statements.RESULTS, values) != 1:
                raise OutputUnwritable(f"document {holding.document_id} is not in uploaded_documents any more")
        return wanted

    def _written(self, holding: Holding, statement: str, wanted: RowStatus, message: str = "") -> RowStatus | None:
        with self._database.transaction() as transaction:
            if transaction.write(statement, {**holding.fence(), "message": message}) == 1:
                return wanted
            return self._if_written_before(transaction, holding, wanted)

    def _if_written_before(self, transaction: Transaction, holding: Holding, wanted: RowStatus) -> RowStatus | None:
        """Whether this ending was committed before and only the answer was lost. Every claim by another worker counts
        an attempt, so a row with this number of attempts and this status was written by us."""
        row = transaction.row(statements.ROW_STATUS, {"id": holding.job.id})
        return wanted if row == (*wanted, True) else None

    def _log(self, holding: Holding, status: str, error_type: str | None) -> None:
        log.info(
            "pdf job",
            job_id=holding.job.id,
            document_id=holding.document_id,
            duration_ms=round((self._monotonic() - holding.since) * 1000),
            status=status,
            error_type=error_type,
        )


def _lost(job: Job) -> LeaseLost:
    return LeaseLost(f"job {job.id} was given to another worker, or changed by its application")
