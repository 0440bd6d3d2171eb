"""What programs have to do with a server, as steps: submit, wait, look, steer, fetch."""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path, PurePath
from typing import Any

from pydantic import ValidationError

from blobforge.client.bringing import brought
from blobforge.client.conversation import Conversation
from blobforge.client.steps import Ask, Delay, Download, Steps, Work, opened, surely
from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import (
    BlobForgeError,
    EmptySource,
    InvalidValue,
    JobCancelled,
    NotReady,
    ProcessingError,
    StoreUnavailable,
)
from blobforge.domain.ids import DEFAULT_PROJECT, JobId, SourceHash
from blobforge.domain.job import FINAL_STATES, Job, NewJob, State
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.lifecycle import lacks_source
from blobforge.domain.worker_report import read_report
from blobforge.ports.processor import Progress, Report
from blobforge.wire import paths
from blobforge.wire.api import (
    FileUrl,
    JobList,
    JobView,
    PriorityMessage,
    RetryMessage,
    ServerVersion,
    StatusMessage,
    WhoAmI,
)
from blobforge.wire.jobs import NewJobRow
from blobforge.wire.looking import WorkerRows
from blobforge.wire.many import JobChoice, ManyJobs, RetryJobs, SteeredJobs
from blobforge.wire.queue import MOST_AT_ONCE, NewJobs, Submitted

ANNOUNCED_FOR = timedelta(days=1)
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 2.0
OUTAGE_SECONDS = 120.0
"""A server that is away for longer ends a wait with the error."""
AT_ONCE = 200
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """Jobs by their ids, or those that match."""

    ids: Sequence[int] = ()
    where: JobChoice | None = None
    is_dry_run: bool = False

    def facts(self) -> Iterator[dict[str, Any]]:
        """Of each request: one names so many jobs and no more."""
        if self.where is not None:
            yield {"where": self.where, "limit": MOST_AT_ONCE, "dry_run": self.is_dry_run}
        for start in range(0, len(self.ids), MOST_AT_ONCE):
            yield {"ids": list(self.ids[start : start + MOST_AT_ONCE]), "dry_run": self.is_dry_run}


def choice(facts: Mapping[str, object]) -> JobChoice:
    """Raises InvalidValue."""
    try:
        return JobChoice.model_validate(facts)
    except ValidationError as error:
        fault = error.errors()[0]
        raise InvalidValue(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error


def project_for(server: Conversation, said: str | None) -> Steps[str]:
    """Where none is said, the one that the token or the secret is for; of those who see all, the default. The server is
    asked once."""
    if said:
        return said
    if server.own_project is None:
        told: WhoAmI = yield Ask(method="GET", path=paths.WHOAMI, kind=WhoAmI)
        server.own_project = told.project or DEFAULT_PROJECT
    return server.own_project


def submitted(server: Conversation, source: Path | bytes, wanted: NewJob) -> Steps[JobView]:
    """Announces the document, and brings its bytes where the server has not got them by us. `wanted` says everything
    but the content, and the project where there is one to be said."""
    source_hash, size = yield Work(act=lambda: _hashed(source))
    project = yield from surely(lambda: project_for(server, wanted.project))
    new = wanted._replace(source_hash=source_hash, source_size=size, project=project)
    job = yield from surely(lambda: _announced(server, new))
    if lacks_source(job):
        told = yield from brought(source, project=project, source_hash=source_hash, size=size)
        job = yield from surely(lambda: _queued(NewJobRow.of(new, receipt=told.receipt)))
    return (yield from surely(lambda: looked_up(job.id)))


def _announced(server: Conversation, new: NewJob) -> Steps[Job]:
    """One that had ended without a result is queued again."""
    if not server.knows_the_time:
        yield Ask(method="GET", path=paths.VERSION, kind=ServerVersion)
    row = NewJobRow.of(new._replace(source_expected_by=server.now() + ANNOUNCED_FOR))
    job = yield from _queued(row)
    if job.state not in (State.DEAD, State.CANCELLED):
        return job
    yield Ask(method="POST", path=f"{_path(job.id)}/retry", kind=StatusMessage, message=RetryMessage())
    return (yield from _queued(row))


def _queued(row: NewJobRow) -> Steps[Job]:
    (entry,) = (yield from queued([row])).jobs
    return entry.job.as_job()


def queued(rows: Sequence[NewJobRow]) -> Steps[Submitted]:
    """Said twice, it gives the jobs that are there."""
    message = NewJobs.model_construct(jobs=list(rows))
    told: Submitted = yield Ask(method="POST", path=paths.SUBMIT, kind=Submitted, message=message)
    return told


def looked_up(job_id: int) -> Steps[JobView]:
    job: JobView = yield Ask(method="GET", path=_path(job_id), kind=JobView)
    return job


def waited_for(job_id: int, *, on_progress: Report | None, timeout: float | None) -> Steps[JobView]:
    """The job once it has ended, well or not. Raises NotReady after the timeout, and StoreUnavailable."""
    began = time.monotonic()
    away_since: float | None = None
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            job = yield from looked_up(job_id)
            if State(job.status) in FINAL_STATES:
                return job
            if on_progress is not None:
                yield from _told_progress(job_id, on_progress)
            away_since = None
        except StoreUnavailable:
            away_since = away_since or time.monotonic()
            if time.monotonic() - away_since > OUTAGE_SECONDS:
                raise
        if timeout is not None and time.monotonic() - began + pause > timeout:
            raise NotReady(f"job #{job_id} had not ended after {timeout:g} seconds; it goes on without us")
        yield Delay(seconds=pause)
        pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)


def _told_progress(job_id: int, on_progress: Report) -> Steps[None]:
    """As its worker reports it with its signs of life."""
    told: WorkerRows = yield Ask(method="GET", path=paths.WORKERS, kind=WorkerRows)
    for worker in told.workers:
        for at_work in read_report(dict(worker.metadata), worker_id=worker.id).jobs:
            if at_work.job_id == job_id:
                on_progress(Progress(at_work.stage or "", at_work.current, at_work.total))


def result_of(job: JobView, *, target: Path | None = None) -> Steps[bytes]:
    """The archive of its result: as bytes, or into a file. Raises NotFound, and why there is none."""
    require_completed(job)
    where: FileUrl = yield Ask(method="GET", path=f"{paths.FILES_OF.format(job_id=job.id)}/output", kind=FileUrl)
    content: bytes = yield Download(url=where.url, target=target)
    return content


def require_completed(job: JobView) -> None:
    """Raises the error of a job that ended otherwise."""
    state = State(job.status)
    if state is State.CANCELLED:
        raise JobCancelled(f"job #{job.id} was cancelled")
    if state is State.DEAD:
        kind: type[BlobForgeError] = all_errors().get(job.error_code or "", ProcessingError)
        raise kind(job.last_error or f"job #{job.id} is dead, and no reason was recorded")


def page_of(
    server: Conversation,
    *,
    status: str | None,
    job_type: str | None,
    project: str | None,
    search: str | None,
    after: str | None,
) -> Steps[JobList]:
    project = yield from project_for(server, project)
    asked = {"status": status, "type": job_type, "project": project, "q": search, "after": after}
    query: dict[str, str | int] = {name: text for name, text in asked.items() if text is not None}
    found: JobList = yield Ask(method="GET", path=paths.JOBS, kind=JobList, query={**query, "limit": AT_ONCE})
    return found


def retried(job_id: int, *, priority: int | None) -> Steps[JobView]:
    message = RetryMessage(priority=priority)
    yield Ask(method="POST", path=f"{_path(job_id)}/retry", kind=StatusMessage, message=message)
    return (yield from looked_up(job_id))


def cancelled(job_id: int) -> Steps[JobView]:
    yield Ask(method="DELETE", path=_path(job_id), kind=StatusMessage)
    return (yield from looked_up(job_id))


def many_retried(server: Conversation, which: Choosing, *, priority: int | None) -> Steps[list[SteeredJobs]]:
    which = yield from _in_project(server, which)
    requests = [RetryJobs(**facts, priority=priority) for facts in which.facts()]
    return (yield from _steered(paths.RETRY_JOBS, requests))


def many_cancelled(server: Conversation, which: Choosing) -> Steps[list[SteeredJobs]]:
    which = yield from _in_project(server, which)
    requests = [ManyJobs(**facts) for facts in which.facts()]
    return (yield from _steered(paths.CANCEL_JOBS, requests))


def _in_project(server: Conversation, which: Choosing) -> Steps[Choosing]:
    """Who sees all projects does not mean all of them by saying none."""
    if which.where is None:
        return which
    project = yield from project_for(server, which.where.project)
    return replace(which, where=which.where.model_copy(update={"project": project}))


def _steered(path: str, requests: Sequence[ManyJobs]) -> Steps[list[SteeredJobs]]:
    """Page by page, where more jobs match than one request steers."""
    told = []
    for first in requests:
        request: ManyJobs | None = first
        while request is not None:
            page: SteeredJobs = yield Ask(method="POST", path=path, kind=SteeredJobs, message=request)
            told.append(page)
            request = None if page.next is None else request.model_copy(update={"after": page.next})
    return told


def prioritized(job_id: int, priority: int) -> Steps[JobView]:
    message = PriorityMessage(priority=priority)
    yield Ask(method="PATCH", path=f"{_path(job_id)}/priority", kind=StatusMessage, message=message)
    return (yield from looked_up(job_id))


def new_job(
    *, project: str | None, job_type: str, name: str, priority: int, options: JsonObject, tags: tuple[str, ...]
) -> NewJob:
    """Everything but the content."""
    return NewJob(
        project=project or "",
        type=job_type,
        source_hash=SourceHash(""),
        source_path=PurePath(name).name,
        priority=priority,
        tags=canonical_json(list(tags)),
        metadata=canonical_json({"options": options} if options else {}),
    )


def _path(job_id: int) -> str:
    return paths.JOB.format(job_id=JobId(job_id))


def _hashed(source: Path | bytes) -> tuple[SourceHash, int]:
    """Raises SourceError."""
    found, size = hashlib.sha256(), 0
    with opened(source) as stream:
        while chunk := stream.read(_CHUNK):
            found.update(chunk)
            size += len(chunk)
    if not size:
        raise EmptySource("the document is empty")
    return SourceHash(found.hexdigest()), size
