"""Bugs in the rules of a job, in the service that applies them, and in the worker that relies on it."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_lifecycle = partial(Mutant, file="domain/lifecycle.py", tests=suites.RULES)
_service = partial(Mutant, file="coordination/service.py", tests=suites.SERVICE)
_loop = partial(Mutant, file="worker/loop.py", tests=suites.LOOP)
_polling = partial(Mutant, file="worker/polling.py", tests=suites.LOOP)
_schedule = partial(Mutant, file="worker/loop.py", tests=suites.RUN_SCHEDULE)
_window = partial(Mutant, file="domain/run_window.py", tests=suites.RUN_WINDOW)

LIFECYCLE = [
    _lifecycle(
        name="a job that ran again keeps the time of its first end",
        within="complete",
        old="job._replace(completed_at=now, **...)",
        new="job._replace(completed_at=job.completed_at or now, **...)",
    ),
    # Fencing
    _lifecycle(
        name="the number of a lease is not compared",
        within="require_held",
        old="job.lease_number == lease.number",
        new="True",
    ),
    _lifecycle(
        name="the worker of a lease is not compared",
        within="require_held",
        old="job.worker_id == lease.worker_id",
        new="True",
    ),
    _lifecycle(
        name="a cancelled job is completed",
        within="require_held",
        old="job.state is State.RUNNING and job.lease_number == lease.number and ...",
        new="job.lease_number == lease.number",
    ),
    _lifecycle(
        name="a renewal brings a lost lease back",
        within="renew",
        old="""
            require_held(job, lease)
            return job._replace(lease_expires_at=until, updated_at=now)
        """,
        new="""
            return job._replace(
                state=State.RUNNING, worker_id=lease.worker_id, lease_expires_at=until, updated_at=now
            )
        """,
    ),
    _lifecycle(
        name="a claim gives the same number again",
        within="claim",
        old="job.lease_number + 1",
        new="job.lease_number",
    ),
    _lifecycle(
        name="a retry begins the numbers anew",
        within="retry",
        old="job._replace(**...)",
        new="job._replace(lease_number=0, **...)",
    ),
    _lifecycle(
        name="a worker that is gone takes the jobs of others with it",
        within="abandon",
        old="job.state is not State.RUNNING or job.worker_id != worker_id",
        new="job.state is not State.RUNNING",
    ),
    # Time
    _lifecycle(
        name="leases never run out",
        within="is_due",
        old="return job.lease_expires_at is not None and job.lease_expires_at <= now",
        new="return False",
    ),
    _lifecycle(
        name="a lease runs out a microsecond too early",
        within="is_due",
        old="job.lease_expires_at <= now",
        new="job.lease_expires_at - job.lease_expires_at.resolution <= now",
    ),
    _lifecycle(
        name="a lease runs out a microsecond too late",
        within="is_due",
        old="job.lease_expires_at <= now",
        new="job.lease_expires_at < now",
    ),
    _lifecycle(
        name="a failed job comes back at once",
        within="is_due",
        old="return job.available_at is not None and job.available_at <= now",
        new="return True",
    ),
    _lifecycle(
        name="a failed job comes back a microsecond too early",
        within="is_due",
        old="job.available_at <= now",
        new="job.available_at - job.available_at.resolution <= now",
    ),
    _lifecycle(
        name="a claim by name does not look at the time",
        within="claim",
        old="job = reap(job, now=now)",
        new="pass",
    ),
    _lifecycle(
        name="a retried job waits as before",
        within="retry",
        old="job._replace(available_at=source_expected_by, **...)",
        new="job._replace(**...)",
    ),
    _lifecycle(
        name="a job is claimed without its source",
        within="claim",
        old="awaits_source(job)",
        new="False",
    ),
    _lifecycle(
        name="a source that never comes is waited for for ever",
        within="is_due",
        old="job.state in (State.FAILED, State.PENDING)",
        new="job.state is State.FAILED",
    ),
    # The budget
    _lifecycle(
        name="attempts are not counted",
        within="claim",
        old="job.attempts + 1",
        new="job.attempts",
    ),
    _lifecycle(
        name="a release costs an attempt",
        within="_returned",
        old="_without_lease(job)._replace(attempts=job.attempts - 1, **...)",
        new="_without_lease(job)._replace(**...)",
    ),
    _lifecycle(
        name="a job that is requeued costs an attempt",
        within="requeue",
        old="_returned(job, now=now)",
        new="_returned(job, now=now)._replace(attempts=job.attempts)",
    ),
    _lifecycle(
        name="a job that fails has one attempt more",
        within="fail",
        old="not failure.retryable or job.attempts >= job.max_attempts",
        new="not failure.retryable or job.attempts > job.max_attempts",
    ),
    _lifecycle(
        name="a job that fails has one attempt less",
        within="fail",
        old="not failure.retryable or job.attempts >= job.max_attempts",
        new="not failure.retryable or job.attempts >= job.max_attempts - 1",
    ),
    _lifecycle(
        name="a job that loses its worker has one attempt more",
        within="_expired",
        old="State.DEAD if job.attempts >= job.max_attempts else State.PENDING",
        new="State.DEAD if job.attempts > job.max_attempts else State.PENDING",
    ),
    _lifecycle(
        name="a failure for good is tried again",
        within="fail",
        old="not failure.retryable or job.attempts >= job.max_attempts",
        new="job.attempts >= job.max_attempts",
    ),
    _lifecycle(
        name="a retry that keeps the count has no attempt left",
        within="retry",
        old="min(job.attempts, job.max_attempts - 1)",
        new="job.attempts",
    ),
    # States
    _lifecycle(
        name="a dead job is claimed",
        within="claim",
        old="""
            if job.state is not State.PENDING:
                raise NotClaimable(...)
        """,
        new="""
            if job.state not in (State.PENDING, State.DEAD):
                raise NotClaimable(...)
        """,
    ),
    _lifecycle(
        name="a completed job is cancelled",
        within="cancel",
        old="job.state in (State.COMPLETED, State.DEAD)",
        new="job.state is State.DEAD",
    ),
    _lifecycle(
        name="a cancelled job keeps its worker",
        within="cancel",
        old="_without_lease(forgiven)",
        new="forgiven",
    ),
    _lifecycle(
        name="a completed job keeps the error of the attempt before",
        within="complete",
        old="job._replace(error_code=None, last_error=None, **...)",
        new="job._replace(**...)",
    ),
    _lifecycle(
        name="a job that goes back to its result keeps the error of the run that died",
        within="restore",
        old="job._replace(error_code=None, last_error=None, **...)",
        new="job._replace(**...)",
    ),
    _lifecycle(
        name="an error message may be no text",
        within="fail",
        old="_storable(failure.message)",
        new="failure.message",
    ),
]

SERVICE = [
    _service(
        name="whatever has ended is cleared with the dead",
        within="CoordinationService.clear_dead",
        old="dead = [job for job in jobs if job.state is State.DEAD]",
        new="dead = list(jobs)",
    ),
    _service(
        name="a dead job does not go back to the result that it has",
        within="CoordinationService.clear_dead",
        old="job.result is not None",
        new="job.result is None",
    ),
    _service(
        name="nobody sweeps",
        within="CoordinationService.end_and_claim",
        old="self._sweep_when_due(now)",
        new="",
    ),
    _service(
        name="a sweep is one portion",
        within="CoordinationService._sweep_when_due",
        old="""
            while changed == SWEEP_LIMIT:
                ...
        """,
        new="""
            if changed == SWEEP_LIMIT:
                ...
        """,
    ),
    _service(
        name="a clock that is set back stops the sweeps",
        within="CoordinationService._sweep_when_due",
        old="now < self._next_sweep <= now + self._sweep_every",
        new="now < self._next_sweep",
    ),
    _service(
        name="every claim sweeps",
        within="CoordinationService._sweep_when_due",
        old="""
            if is_early:
                return
        """,
        new="",
    ),
    _service(
        name="a renewal gives no time",
        within="CoordinationService.renew",
        old="now + self._lease_for",
        new="now",
    ),
    _service(
        name="jobs that ended are reported as claimed",
        within="CoordinationService.end_and_claim_exactly",
        old="outcomes[len(endings):]",
        new="outcomes",
    ),
    _service(
        name="the files of a completed job are forgotten",
        within="CoordinationService._ending",
        old="ending.files if isinstance(ending, Completed) else ()",
        new="()",
    ),
    _service(
        name="what is to be retried with another order keeps the old one",
        within="CoordinationService.retry",
        old="lifecycle.retry(job, metadata=metadata, **...)",
        new="lifecycle.retry(job, **...)",
    ),
    _service(
        name="jobs are archived when they have just ended",
        within="CoordinationService._reconcile_and_archive",
        old="now - self._archive_after",
        new="now",
    ),
    _service(
        name="a clock that is set back stops the completed archive",
        within="CoordinationService._reconcile_and_archive",
        old="now < self._next_archiving <= now + ARCHIVE_EVERY",
        new="now < self._next_archiving",
    ),
    _service(
        name="a completed archive that is not ready hinders the claim",
        within="CoordinationService._reconcile_and_archive",
        old="StoreUnavailable",
        new="NotImplementedError",
    ),
]

WORKER = [
    _polling(
        name="long documents keep the others from being claimed",
        within="Polling.oversubscription",
        old="return slots * rounds",
        new="return 0 * rounds",
        tests=("tests/integration/worker/test_documents.py",),
    ),
    _polling(
        name="a worker without wake-ups does not poll",
        within="Polling.plan_next",
        old="self._poll_at = self._seconds() + min(wait, self._settings.longest_poll_interval).total_seconds()",
        new='self._poll_at = float("inf") if wait else 0.0',
    ),
    _loop(
        name="a worker ignores wake-ups",
        within="WorkerLoop._handle",
        old="self._polling.poll_now()",
        new="pass",
    ),
    _schedule(
        name="a worker works outside its run windows",
        within="WorkerLoop._claim_limit",
        old="self._schedule.is_open()",
        new="True",
    ),
    _schedule(
        name="a document that ends in the moment of closing is given back",
        within="WorkerLoop._release_running",
        old="self._handle_pending()",
        new="",
    ),
    _schedule(
        name="running jobs are given back whether it is wanted or not",
        within="WorkerLoop._follow_schedule",
        old="self._settings.abort_outside_window",
        new="True",
    ),
    _window(
        name="a window holds its last minute too",
        within="RunWindow.holds",
        old="self.opens <= wall < self.closes",
        new="self.opens <= wall <= self.closes",
    ),
    _window(
        name="a window does not go over midnight",
        within="RunWindow.holds",
        old="wall >= self.opens or wall < self.closes",
        new="wall >= self.opens and wall < self.closes",
    ),
    _loop(
        name="two runs of one job go on in one worker",
        within="WorkerLoop._new_run",
        old="""
            older.abort()
            older.clean_up()
        """,
        new="",
        tests=("tests/integration/worker/test_steered_jobs.py",),
    ),
    _loop(
        name="a late word of a lost lease ends the next run of the job",
        within="WorkerLoop._abandon",
        old="run is None or run.job.lease_number != job.lease_number",
        new="run is None",
    ),
    _loop(
        name="a worker writes down no errors",
        within="WorkerLoop._record_outcomes",
        old="self._error_log.note(message.ending, outcome, message.details)",
        new="",
        tests=("tests/integration/worker/test_steered_jobs.py",),
    ),
    Mutant(
        name="a job whose ending found no room is taken for ended",
        file="worker/feed.py",
        within="_acknowledged",
        old="StoreUnavailable | DiskFull",
        new="StoreUnavailable",
        tests=suites.FEED,
    ),
    Mutant(
        name="workers that are long lost stay listed",
        file="worker/predecessors.py",
        within="Predecessors.recover",
        old="{*gone, *(long_lost(workers, now=now) if self._tidies else ())}",
        new="gone",
        tests=suites.PREDECESSORS,
    ),
]
