"""A worker's queue in the table `pdf_jobs`: claims, signs of life, and endings, each one transaction."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from blobforge.coordination.pdf_jobs import statements
from blobforge.coordination.pdf_jobs.database import Database, Transaction
from blobforge.coordination.pdf_jobs.documents import DocumentPaths
from blobforge.coordination.pdf_jobs.holding import Holding, Standing, is_final, told
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
    """`most_jobs` are claimed in all, and None for as many as there are; `until_drained` ends when none is left."""

    worker_id: WorkerId
    max_attempts: int
    stale: timedelta
    options: JsonObject
    policy: RetryPolicy
    most_jobs: int | None = None
    until_drained: bool = False


class PdfJobs:
    """The feed of a worker, and the keeper of its leases. The heartbeat asks from a thread of its own."""

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
        """Held over a whole step: a sign of life between the look at a holding and its end would move the fence."""
        self._held: dict[JobId, Holding] = {}
        self._doubtful: Holding | None = None
        self._resting: dict[JobId, float] = {}
        self._claims = 0
        self._has_looked = False
        self._has_rights = False

    # A feed

    def settle(self, endings: Sequence[Ending], *, limit: int) -> EndedAndClaimed:
        """Each ending by itself: one whose commit is in doubt is told again, and the others are not."""
        with self._lock:
            return self._settled(endings, limit)

    def exhausted(self, *, running: int) -> bool:
        if running:
            return False
        if self._terms.most_jobs is not None:
            return self._has_looked
        if not self._terms.until_drained:
            return False
        with self._database.transaction() as transaction:
            row = transaction.row(statements.IS_WORK_LEFT)
        return row is not None and not row[0]

    # A keeper of leases

    def renew(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        with self._lock:
            return [self._renewed(job) for job in jobs]

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        """Those that are still ours."""
        with self._lock, self._database.transaction() as transaction:
            held = [self._held[job_id] for job_id in job_ids if job_id in self._held]
            return [holding.job for holding in held if transaction.row(statements.HELD, holding.fence()) is not None]

    def register_worker(self, worker: Worker) -> None:
        """Nobody keeps a list of workers there."""

    def deregister_worker(self, worker_id: WorkerId) -> None:
        """Nobody keeps a list of workers there."""

    # One step

    def _settled(self, endings: Sequence[Ending], limit: int) -> EndedAndClaimed:
        ended = [self._told(ending) for ending in endings]
        if any(isinstance(outcome, StoreUnavailable) for outcome in ended):
            # What cannot be ended must not pile up.
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
        while len(jobs) < limit and (holding := self._found_again() or self._claim()) is not None:
            self._claims += 1
            self._held[holding.job.id] = holding
            jobs.append(holding.job)
        self._has_looked = self._has_looked or limit > 0
        return jobs

    def _claim(self) -> Holding | None:
        holding: Holding | None = None
        try:
            self._require_rights()
            with self._database.transaction() as transaction:
                freed = self._free_stale(transaction)
                holding = self._take(transaction)
        except StoreUnavailable:
            # Perhaps it was committed, and only the answer was lost: the next look decides.
            self._doubtful = holding
            raise
        for job_id, attempts in freed:
            log.warning("a job's worker was lost", job_id=job_id, attempts=attempts)
        return holding

    def _require_rights(self) -> None:
        """Once, before anything is claimed: a worker that may claim and not write would do every job in vain."""
        if self._has_rights:
            return
        with self._database.transaction() as transaction:
            missing = [what for (what,) in transaction.rows(statements.MISSING_RIGHTS)]
        if missing:
            hint = "docs/howto/lab-worker.md has the GRANTs"
            raise StoreUnavailable(f"the worker's role lacks {', '.join(missing)}; {hint}")
        self._has_rights = True

    def _found_again(self) -> Holding | None:
        """A claim whose commit was in doubt, when it turns out to be ours."""
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
        """What failed here a moment ago rests, though its row waits: else three attempts are over within a second."""
        now = self._monotonic()
        self._resting = {job_id: until for job_id, until in self._resting.items() if until > now}
        if self._resting:
            row = transaction.row(statements.NEXT_BUT, {"resting": list(self._resting)})
        else:
            row = transaction.row(statements.NEXT)
        # A document that was deleted may leave nothing in its place: then it has no row, as one with any other number.
        return None if row is None else (JobId(row[0]), row[1] or 0)

    def _free_stale(self, transaction: Transaction) -> list[tuple[int, int]]:
        rows = transaction.rows(statements.STALE, {"stale": self._terms.stale.total_seconds()})
        spent = [job_id for job_id, attempts in rows if attempts >= self._terms.max_attempts]
        again = [job_id for job_id, attempts in rows if attempts < self._terms.max_attempts]
        if spent:
            transaction.write(statements.GIVEN_UP, {"ids": spent, "message": LOST})
        if again:
            transaction.write(statements.WAITS_AGAIN, {"ids": again})
        return [(job_id, attempts) for job_id, attempts in rows]

    # Signs of life

    def _renewed(self, job: Job) -> Job | BlobForgeError:
        holding = self._holding_of(job)
        if holding is None:
            return _lost(job)
        try:
            with self._database.transaction() as transaction:
                row = transaction.row(statements.NOW)
                assert row is not None, "there is always a time"
                (now,) = row
                # Before it is written: whatever happens to the answer, the row has one of these.
                self._held[job.id] = holding._replace(stamps=(*holding.stamps, now))
                is_ours = transaction.write(statements.RENEW, {**holding.fence(), "now": now}) == 1
        except StoreUnavailable as error:
            return error
        if not is_ours:
            return _lost(job)
        self._held[job.id] = holding._replace(stamps=(now,))
        return job

    # Endings

    def _told(self, ending: Ending) -> Job | BlobForgeError:
        holding = self._holding_of(ending.job)
        if holding is None:
            self._throw_away(ending)
            return _lost(ending.job)
        try:
            standing = self._ended(holding, ending)
        except (StoreUnavailable, OutputError) as error:
            return error
        del self._held[ending.job.id]
        if standing is None:
            self._log(holding, "lost", LeaseLost.code)
            return _lost(ending.job)
        if isinstance(ending, Failed) and standing.status == "pending":
            rest = self._terms.policy.delay(standing.attempts, roll=self._roll())
            self._resting[ending.job.id] = self._monotonic() + rest.total_seconds()
        self._log(holding, standing.status, ending.failure.code if isinstance(ending, Failed) else None)
        return ending.job._replace(state=_STATES[standing.status], attempts=standing.attempts)

    def _ended(self, holding: Holding, ending: Ending) -> Standing | None:
        """None when the row is not ours any more. Raises StoreUnavailable, OutputError."""
        if isinstance(ending, Completed):
            return self._completed(holding, ending)
        if not isinstance(ending, Failed):
            return self._written(holding, statements.RELEASED, Standing("pending", holding.job.attempts - 1))
        statement, status = statements.TRIED_AGAIN, "pending"
        if is_final(holding.job, ending.failure):
            statement, status = statements.FAILED, "failed"
        wanted = Standing(status, holding.job.attempts)
        try:
            return self._written(holding, statement, wanted, told(ending.failure, holding.document_id))
        except WriteRefused:
            # The column may be a short one.
            return self._written(holding, statement, wanted, ending.failure.code)

    def _throw_away(self, ending: Ending) -> None:
        """A result that nobody waits for any more must not stay on the disk."""
        if isinstance(ending, Completed):
            with self._staging.opened(ending.job._replace(result=ending.result)):
                log.info("a result came too late", job_id=ending.job.id)

    def _completed(self, holding: Holding, ending: Completed) -> Standing | None:
        """The job first: who lost it must not touch the document."""
        wanted = Standing("done", holding.job.attempts)
        with self._staging.opened(ending.job._replace(result=ending.result)) as archive:
            results = results_in(archive)
            try:
                return self._published(holding, results, wanted)
            except WriteRefused as error:
                # Told again it would be refused again. So the job failed, which may be written all the same.
                raise OutputUnwritable(str(error)) from None

    def _published(self, holding: Holding, results: Results, wanted: Standing) -> Standing | None:
        with self._database.transaction() as transaction:
            if transaction.write(statements.DONE, holding.fence()) != 1:
                return self._if_it_stands(transaction, holding, wanted)
            values = {**results._asdict(), "document": holding.document_id}
            if transaction.write(statements.RESULTS, values) != 1:
                raise OutputUnwritable(f"document {holding.document_id} is not in uploaded_documents any more")
        return wanted

    def _written(self, holding: Holding, statement: str, wanted: Standing, message: str = "") -> Standing | None:
        with self._database.transaction() as transaction:
            if transaction.write(statement, {**holding.fence(), "message": message}) == 1:
                return wanted
            return self._if_it_stands(transaction, holding, wanted)

    def _if_it_stands(self, transaction: Transaction, holding: Holding, wanted: Standing) -> Standing | None:
        """An ending that was committed although its answer was lost has been told already. Every claim by another
        worker counts an attempt, so that a row with this number of them and this status is our own doing."""
        row = transaction.row(statements.STANDING, {"id": holding.job.id})
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
