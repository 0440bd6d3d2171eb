"""Bugs in the rules of a job, in the service that applies them, and in the worker that relies on it."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_lifecycle = partial(Mutant, file="domain/lifecycle.py", tests=suites.RULES)
_service = partial(Mutant, file="coordination/service.py", tests=suites.SERVICE)
_loop = partial(Mutant, file="worker/loop.py", tests=suites.LOOP)
_polling = partial(Mutant, file="worker/polling.py", tests=suites.LOOP)
_hours = partial(Mutant, file="worker/loop.py", tests=suites.HOURS)
_window = partial(Mutant, file="domain/run_window.py", tests=suites.WINDOWS)

LIFECYCLE = [
    _lifecycle(
        name="a job that ran again keeps the time of its first end",
        old="        completed_at=now,\n",
        new="        completed_at=job.completed_at or now,\n",
    ),
    # Fencing
    _lifecycle(
        name="the number of a lease is not compared",
        old="job.state is State.RUNNING and job.lease_number == lease.number and job.worker_id",
        new="job.state is State.RUNNING and job.worker_id",
    ),
    _lifecycle(
        name="the worker of a lease is not compared",
        old="job.lease_number == lease.number and job.worker_id == lease.worker_id",
        new="job.lease_number == lease.number",
    ),
    _lifecycle(
        name="a cancelled job is completed",
        old="job.state is State.RUNNING and job.lease_number == lease.number and job.worker_id == lease.worker_id",
        new="job.lease_number == lease.number",
    ),
    _lifecycle(
        name="a renewal brings a lost lease back",
        old="    _require_held(job, lease)\n    return job._replace(lease_expires_at=until, updated_at=now)",
        new="    return job._replace(\n        state=State.RUNNING, worker_id=lease.worker_id, lease_expires_at=until,"
        " updated_at=now\n    )",
    ),
    _lifecycle(
        name="a claim gives the same number again",
        old="lease_number=job.lease_number + 1",
        new="lease_number=job.lease_number",
    ),
    _lifecycle(
        name="a retry begins the numbers anew",
        old="        attempts=0 if reset_attempts",
        new="        lease_number=0,\n        attempts=0 if reset_attempts",
    ),
    _lifecycle(
        name="a worker that is gone takes the jobs of others with it",
        old="job.state is not State.RUNNING or job.worker_id != worker_id",
        new="job.state is not State.RUNNING",
    ),
    # Time
    _lifecycle(
        name="leases never run out",
        old="return job.lease_expires_at is not None and job.lease_expires_at <= now",
        new="return False",
    ),
    _lifecycle(
        name="a lease runs out a microsecond too early",
        old="job.lease_expires_at <= now",
        new="job.lease_expires_at - job.lease_expires_at.resolution <= now",
    ),
    _lifecycle(
        name="a lease runs out a microsecond too late",
        old="job.lease_expires_at <= now",
        new="job.lease_expires_at < now",
    ),
    _lifecycle(
        name="a failed job comes back at once",
        old="return job.available_at is not None and job.available_at <= now",
        new="return True",
    ),
    _lifecycle(
        name="a failed job comes back a microsecond too early",
        old="job.available_at <= now",
        new="job.available_at - job.available_at.resolution <= now",
    ),
    _lifecycle(
        name="a claim by name does not look at the time",
        old="        job = wake(job, now=now)\n",
        new="        pass\n",
    ),
    _lifecycle(
        name="a retried job waits as before",
        old="        available_at=None,\n        attempts=0 if",
        new="        attempts=0 if",
    ),
    # The budget
    _lifecycle(name="attempts are not counted", old="attempts=job.attempts + 1", new="attempts=job.attempts"),
    _lifecycle(name="a release costs an attempt", old=", attempts=job.attempts - 1, updated_at", new=", updated_at"),
    _lifecycle(
        name="a job that is given back costs an attempt",
        old='is given back to the queue")\n    return _given_back(job, now=now)',
        new='is given back to the queue")\n    return _given_back(job, now=now)._replace(attempts=job.attempts)',
    ),
    _lifecycle(
        name="a job that fails has one attempt more",
        old="not failure.retryable or job.attempts >= job.max_attempts",
        new="not failure.retryable or job.attempts > job.max_attempts",
    ),
    _lifecycle(
        name="a job that fails has one attempt less",
        old="not failure.retryable or job.attempts >= job.max_attempts",
        new="not failure.retryable or job.attempts >= job.max_attempts - 1",
    ),
    _lifecycle(
        name="a job that loses its worker has one attempt more",
        old="State.DEAD if job.attempts >= job.max_attempts else State.PENDING",
        new="State.DEAD if job.attempts > job.max_attempts else State.PENDING",
    ),
    _lifecycle(
        name="a failure for good is tried again",
        old="not failure.retryable or job.attempts >= job.max_attempts",
        new="job.attempts >= job.max_attempts",
    ),
    _lifecycle(
        name="a retry that keeps the count has no attempt left",
        old="min(job.attempts, job.max_attempts - 1)",
        new="job.attempts",
    ),
    # States
    _lifecycle(
        name="a dead job is claimed",
        old="    if job.state is not State.PENDING:\n        raise NotClaimable",
        new="    if job.state not in (State.PENDING, State.DEAD):\n        raise NotClaimable",
    ),
    _lifecycle(
        name="a completed job is cancelled",
        old="if job.state in (State.COMPLETED, State.DEAD):",
        new="if job.state is State.DEAD:",
    ),
    _lifecycle(
        name="a cancelled job keeps its worker",
        old="return _without_lease(forgiven)._replace(state=State.CANCELLED",
        new="return forgiven._replace(state=State.CANCELLED",
    ),
    _lifecycle(
        name="a completed job keeps the error of the attempt before",
        old="        error_code=None,\n        last_error=None,\n        result=result,\n",
        new="        result=result,\n",
    ),
    _lifecycle(
        name="a job that goes back to its result keeps the error of the run that died",
        old="        error_code=None,\n        last_error=None,\n        updated_at=now,\n",
        new="        updated_at=now,\n",
    ),
    _lifecycle(
        name="an error message may be no text",
        old="last_error=_storable(failure.message),\n        updated_at=now,",
        new="last_error=failure.message,\n        updated_at=now,",
    ),
]

SERVICE = [
    _service(
        name="a job that changed is retried with the others",
        old="    if job.rev != seen.rev:\n",
        new="    if job.id != seen.id:\n",
    ),
    _service(
        name="whatever has ended is cleared with the dead",
        old="dead = [job for job in jobs if job.state is State.DEAD]",
        new="dead = list(jobs)",
    ),
    _service(
        name="a dead job does not go back to the result that it has",
        old="for job in dead if job.result is not None]",
        new="for job in dead if job.result is None]",
    ),
    _service(
        name="nobody sweeps",
        old="        self._sweep(now)\n        done =",
        new="        done =",
    ),
    _service(name="a sweep is one portion", old="while changed == SWEEP_LIMIT:", new="if changed == SWEEP_LIMIT:"),
    _service(
        name="a clock that is set back stops the sweeps",
        old="now < self._next_sweep <= now + self._sweep_every",
        new="now < self._next_sweep",
    ),
    _service(
        name="every claim sweeps",
        old="            if soon:\n                return\n",
        new="",
    ),
    _service(
        name="a renewal gives no time",
        old="        until = now + self._lease_for\n        # A lease is lost",
        new="        until = now\n        # A lease is lost",
    ),
    _service(
        name="jobs that ended are told as claimed",
        old="for outcome in moved[len(moves) :] if",
        new="for outcome in moved if",
    ),
    _service(
        name="the files of a completed job are forgotten",
        old="ending.files if isinstance(ending, Completed) else ()",
        new="()",
    ),
    _service(
        name="what is to be retried with another order keeps the old one",
        old="priority=priority, metadata=metadata\n",
        new="priority=priority\n",
    ),
    _service(
        name="jobs are archived when they have just ended",
        old="completed_before=now - self._archive_after",
        new="completed_before=now",
    ),
    _service(
        name="a clock that is set back stops the archive",
        old="now < self._next_archiving <= now + ARCHIVE_EVERY",
        new="now < self._next_archiving",
    ),
    _service(
        name="an archive that is not ready hinders the claim",
        old="with suppress(StoreUnavailable):",
        new="with suppress(NotImplementedError):",
    ),
]

WORKER = [
    _polling(
        name="long documents keep the others from being claimed",
        old="        return slots * rounds\n",
        new="        return 0 * rounds\n",
        tests=("tests/integration/worker/test_documents.py",),
    ),
    _polling(
        name="a worker without news does not look",
        old="self._poll_at = self._seconds() + min(wait, self._settings.longest_poll_interval).total_seconds()",
        new='self._poll_at = float("inf") if wait else 0.0',
    ),
    _loop(
        name="a worker does not heed the news",
        old="            case Nudged():\n                self._polling.poll_now()",
        new="            case Nudged():\n                pass",
    ),
    _hours(
        name="a worker works outside its hours",
        old="if self._signals or not self._schedule.are_open() or not",
        new="if self._signals or not",
    ),
    _hours(
        name="a document that ends in the moment of closing is given back",
        old="        self._pool.kill_aborted()\n        self._handle_pending()\n",
        new="        self._pool.kill_aborted()\n",
    ),
    _hours(
        name="running jobs are given back whether it is wanted or not",
        old="if not is_open and self._settings.abort_outside_window and self._still_running():",
        new="if not is_open and self._still_running():",
    ),
    _window(
        name="a window holds its last minute too", old="opens <= wall < self.closes", new="opens <= wall <= self.closes"
    ),
    _window(
        name="a window does not go over midnight", old="opens or wall < self.closes", new="opens and wall < self.closes"
    ),
    _loop(
        name="two runs of one job go on in one worker",
        old="            older.abort()\n            older.clean_up()\n",
        new="",
        tests=("tests/integration/worker/test_steered_jobs.py",),
    ),
    _loop(
        name="a worker writes down no errors",
        old="            self._error_log.note(message.ending, outcome, message.details)\n",
        new="",
        tests=("tests/integration/worker/test_steered_jobs.py",),
    ),
]
