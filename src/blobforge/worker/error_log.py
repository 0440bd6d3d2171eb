"""The error log of a document, kept beside it in the store: the last failed attempts with their tracebacks."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import NamedTuple, Protocol

from blobforge.domain.endings import Ending, Failed
from blobforge.domain.errors import BlobForgeError, NotFound, ResultDamaged
from blobforge.domain.events import History
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.loose_json import json_in, list_in, object_in, text_in, time_in, whole_in
from blobforge.ports.blob_store import BlobKey, BlobStore, error_log_key
from blobforge.ports.runtime import Inbox, Runtime, Thread
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.storable_text import storable

log = LazyLogger(__name__)

KEPT = 10
"""Attempts of one document; older ones are dropped."""

CLOSE_TIMEOUT_SECONDS = 10.0
"""How long a worker that shuts down waits for the last of them to be stored."""

_FAILURES = ("failed", "died", "expired")

BEFORE_OURS = 0
"""The lease of what another program did, whose claims have no number here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttempt:
    """`outcome` as in a job's history: `failed` is tried again, `died` is not. `lease` tells attempts apart when the
    count has begun anew. What nobody wrote down is None."""

    lease: int
    time: datetime
    outcome: str
    worker: str | None
    code: str | None
    message: str | None
    attempt: int | None = None
    stage: str | None = None
    page: int | None = None
    filename: str | None = None
    traceback: str | None = None


class _Note(NamedTuple):
    job: Job
    attempt: FailedAttempt


class _Closed(NamedTuple):
    """No more notes will come."""


class FailureNotes(Protocol):
    """Where a worker's loop records failures."""

    def note(self, ending: Ending, outcome: Job | BlobForgeError, details: str) -> None: ...

    def close(self) -> None: ...


class NoErrorLog:
    """For queues that keep errors in the job itself."""

    def note(self, ending: Ending, outcome: Job | BlobForgeError, details: str) -> None:
        """Kept there."""

    def close(self) -> None:
        """Nothing was opened."""


class ErrorLog:
    """Written by the worker that had the job, after the queue has accepted the ending.

    On a thread of its own, started with the first failure: a slow or unavailable store delays no document.
    """

    def __init__(self, blobs_for: Callable[[Job], BlobStore], *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        """`blobs_for` gives the store for the log of a job that this worker had: it may be a right of its own."""
        self._blobs_for = blobs_for
        self._runtime = runtime
        self._notes: Inbox[_Note | _Closed] = runtime.inbox()
        self._thread: Thread | None = None

    def note(self, ending: Ending, outcome: Job | BlobForgeError, details: str) -> None:
        """Records a failure that the queue has accepted; `outcome` is the job as the queue has it now.

        An entry that cannot be written is logged; the job is not affected.
        """
        if not isinstance(ending, Failed) or not isinstance(outcome, Job):
            return
        if self._thread is None:
            self._thread = self._runtime.thread(self._write_all, name="error-log")
            self._thread.start()
        self._notes.put(_Note(ending.job, _attempt_of(ending, outcome, details)))

    def close(self) -> None:
        """Returns when all is written, or after a timeout."""
        if self._thread is None:
            return
        self._notes.put(_Closed())
        self._thread.join(CLOSE_TIMEOUT_SECONDS)
        if self._thread.is_alive():
            log.warning("error logs are not written: the store does not answer")
        self._thread = None

    def _write_all(self) -> None:
        while isinstance(note := self._notes.get(), _Note):
            try:
                self._add(*note)
            except (BlobForgeError, OSError) as error:
                log.warning("the error log could not be written", job_id=note.job.id, error=str(error))

    def _add(self, job: Job, newest: FailedAttempt) -> None:
        blobs = self._blobs_for(job)
        before = [attempt for attempt in read_error_log(blobs, job) if attempt.lease != newest.lease]
        text = _written(job, [*before, newest][-KEPT:])
        with TemporaryDirectory(prefix="blobforge-error-") as folder:
            path = Path(folder) / "error.json"
            path.write_text(text, encoding="utf-8")
            blobs.put(error_log_key(job.source_hash), path)


def read_error_log(blobs: BlobStore, job: Job, *, key: BlobKey | None = None) -> list[FailedAttempt]:
    """The attempts of this job, oldest first; none where the file is missing or damaged. `key` is where the log lies,
    if not under the name that all give it. Raises StoreUnavailable."""
    try:
        with blobs.open(key or error_log_key(job.source_hash)) as stream:
            said = object_in(json_in(stream.read()))
    except (NotFound, ResultDamaged):
        return []
    if said and "attempts" not in said:
        return [_of_another_program(said, job)]
    # The same content may have jobs of several types and projects.
    ours = (object_in(entry) for entry in list_in(said.get("attempts")))
    return list(_readable(entry for entry in ours if whole_in(entry.get("job")) == job.id))


def all_failed(job: Job, history: History, written: Sequence[FailedAttempt]) -> list[FailedAttempt]:
    """Those that were written down, and from the history those that were not, oldest first."""
    told = {attempt.lease: attempt for attempt in of_history(history) or of_job(job)}
    return [attempt for _, attempt in sorted({**told, **{attempt.lease: attempt for attempt in written}}.items())]


def of_job(job: Job) -> list[FailedAttempt]:
    """The last error, where the job alone has kept it."""
    if job.last_error is None and job.error_code is None:
        return []
    return [
        FailedAttempt(
            lease=BEFORE_OURS,
            time=job.updated_at,
            outcome=_outcome(job),
            worker=None,
            code=job.error_code,
            message=job.last_error,
        )
    ]


def of_history(history: History) -> list[FailedAttempt]:
    """The failed attempts as far as the queue knows them."""
    return [
        FailedAttempt(
            lease=attempt.lease_number,
            time=attempt.ended_at,
            outcome=attempt.outcome,
            worker=attempt.worker_id,
            code=attempt.error_code,
            message=attempt.error,
        )
        for attempt in history.attempts
        if attempt.outcome in _FAILURES
    ]


def attempt_json(attempt: FailedAttempt) -> JsonObject:
    return {**asdict(attempt), "time": attempt.time.isoformat()}


def _attempt_of(failed: Failed, after: Job, details: str) -> FailedAttempt:
    job, failure = failed
    return FailedAttempt(
        lease=job.lease_number,
        time=after.updated_at,
        outcome=_outcome(after),
        worker=job.worker_id,
        code=failure.code,
        message=storable(failure.message),
        attempt=job.attempts,
        stage=failure.stage,
        page=failure.page,
        filename=storable(PurePath(job.source_path).name) if job.source_path else None,
        traceback=storable(details) or None,
    )


def _outcome(after: Job) -> str:
    return "died" if after.state is State.DEAD else "failed"


def _of_another_program(said: JsonObject, job: Job) -> FailedAttempt:
    """One of document 000 or 002 keeps the last error alone, in names of its own."""
    context = object_in(said.get("context"))

    def first(*names: str) -> str | None:
        return next((text for name in names if (text := text_in(said.get(name)))), None)

    times = (time_in(said.get(name)) for name in ("time", "timestamp", "failed_at"))
    return FailedAttempt(
        lease=BEFORE_OURS,
        time=next((time for time in times if time is not None), job.updated_at),
        outcome=_outcome(job),
        worker=first("worker", "worker_id"),
        code=first("code", "error_type") or job.error_code,
        message=first("message", "error", "error_message") or job.last_error,
        stage=text_in(context.get("stage")) or first("stage"),
        page=whole_in(context.get("page")),
        filename=text_in(context.get("filename")) or first("filename"),
        traceback=first("traceback"),
    )


def _written(job: Job, attempts: Sequence[FailedAttempt]) -> str:
    """The newest attempt stands at the top, for whoever looks for the last error alone."""
    of_job: JsonObject = {"job": str(job.id), "project": job.project, "type": job.type, "source_hash": job.source_hash}
    entries: list[JsonObject] = [{**of_job, **attempt_json(attempt)} for attempt in attempts]
    return json.dumps({**entries[-1], "attempts": entries}, indent=2)


def _readable(entries: Iterator[JsonObject]) -> Iterator[FailedAttempt]:
    for said in entries:
        lease, time = whole_in(said.get("lease")), time_in(said.get("time"))
        if lease is None or time is None:
            continue
        yield FailedAttempt(
            lease=lease,
            time=time,
            outcome=text_in(said.get("outcome")) or "failed",
            worker=text_in(said.get("worker")),
            code=text_in(said.get("code")),
            message=text_in(said.get("message")),
            attempt=whole_in(said.get("attempt")),
            stage=text_in(said.get("stage")),
            page=whole_in(said.get("page")),
            filename=text_in(said.get("filename")),
            traceback=text_in(said.get("traceback")),
        )
