"""The history of a job as JSON: the job itself, its attempts and events, and its files."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from blobforge.domain.errors import InvalidValue
from blobforge.domain.events import Attempt, Event, attempt_of, event_of
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import Job, NewJob, State, created
from blobforge.domain.loose_json import LATEST, time_in, whole_in
from blobforge.domain.priority import Priority, parse_priority

MOST_COUNTED = 999_999_999
"""The highest number of a generation that the name of a record has room for; nothing else is counted as far."""
MOST_KEPT = 100
"""Of attempts and of events, each: the record of a job that is retried for ever must not grow for ever."""

_QUEUED = ("queued_at", "started", "failed_at", "died_at")
"""The fields that say when a job was queued, best first: the kinds of markers of document 000 differ."""
_COUNTS = ("id", "priority", "attempts", "max_attempts", "lease_number", "rev")
_TEXTS = ("project", "type", "source_hash", "tags", "metadata")
_TEXTS_OR_NONE = ("source_path", "worker_id", "error_code", "last_error", "result")
_TIMES = ("lease_expires_at", "available_at", "created_at", "updated_at", "started_at", "completed_at")


class KeptFile(NamedTuple):
    """`rev` is the revision of the job with which it was recorded."""

    rev: int
    file: FileRecord


class JobHistory(NamedTuple):
    """All that is kept of a job, in one value: a transition gives the next one."""

    job: Job
    attempts: tuple[Attempt, ...] = ()
    events: tuple[Event, ...] = ()
    files: tuple[KeptFile, ...] = ()

    def after(self, job: Job, files: Sequence[FileRecord] = ()) -> "JobHistory":
        """The history after a transition, with the attempt or event that it records."""
        before, after = self.job, job._replace(rev=self.job.rev + 1)
        attempt, event = attempt_of(before, after), event_of(before, after)
        return JobHistory(
            after,
            (*self.attempts, attempt)[-MOST_KEPT:] if attempt is not None else self.attempts,
            (*self.events, event)[-MOST_KEPT:] if event is not None else self.events,
            (*self.files, *(KeptFile(after.rev, file) for file in files)),
        )


def encoded(history: JobHistory) -> dict[str, Any]:
    job = dict(zip(Job._fields, map(_plain, history.job), strict=True))
    facts: dict[str, Any] = {"job": {name: value for name, value in job.items() if value is not None}}
    if history.attempts:
        facts["attempts"] = [[_plain(value) for value in attempt[1:]] for attempt in history.attempts]
    if history.events:
        facts["events"] = [[_plain(value) for value in event[1:]] for event in history.events]
    if history.files:
        facts["files"] = [[kept.rev, *map(_plain, kept.file)] for kept in history.files]
    return facts


def decoded(facts: Mapping[str, Any]) -> JobHistory | None:
    """None when there is no valid job in it: another program wrote it."""
    said = facts.get("job")
    if not isinstance(said, Mapping):
        return None
    try:
        job = _job(said)
        return JobHistory(
            job,
            tuple(_attempt(job.id, row) for row in rows_in(facts.get("attempts", []))),
            tuple(_event(job.id, row) for row in rows_in(facts.get("events", []))),
            tuple(KeptFile(_count(row[0]), file_of(row[1:])) for row in rows_in(facts.get("files", []))),
        )
    except (KeyError, ValueError, TypeError, IndexError):
        return None


def adopted(key: JobKey, facts: Mapping[str, Any], *, modified: datetime) -> JobHistory:
    """The history of a job that another program added, from its marker; `modified` is the marker's."""
    queued_at = next((at for name in _QUEUED if (at := as_time(facts.get(name))) is not None), modified)
    new = NewJob(key.project, key.type, key.source_hash, priority=as_priority(facts.get("priority")) or Priority.NORMAL)
    job = created(new, job_id=adopted_id(queued_at, key), now=queued_at)
    return JobHistory(job._replace(attempts=as_number(facts.get("retries"))))


def adopted_id(moment: datetime, key: JobKey) -> JobId:
    """Ids grow with the time at which a job was added. Every process derives the same id for a job of another program:
    from the second, and from eight digits of a hash of the key, since many are added within one second."""
    digest = hashlib.blake2b("~".join(key).encode(), digest_size=8).digest()
    return JobId(int(moment.timestamp()) * 10**8 + int.from_bytes(digest) % 10**8)


def as_number(value: object) -> int:
    """0 for what is no number."""
    try:
        number = int(str(value))
    except ValueError:
        return 0
    return number if 0 <= number <= MOST_COUNTED else 0


def as_priority(value: object) -> int | None:
    """None for what is no priority."""
    try:
        return parse_priority(str(value))
    except InvalidValue:
        return None


def as_time(value: object) -> datetime | None:
    """From ISO text, or from seconds since 1970, as other programs write it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC) if 0 < value < LATEST.timestamp() else None
    return time_in(value) if isinstance(value, str) else None


def file_row(file: FileRecord) -> list[Any]:
    return [_plain(value) for value in file]


def file_of(row: Sequence[Any]) -> FileRecord:
    """Raises ValueError, TypeError for what is no file of ours."""
    role, key, size, content_type, checksum = row
    return FileRecord(FileRole(role), str(key), _count(size), str(content_type), str(checksum))


def rows_in(value: object) -> list[list[Any]]:
    """Raises TypeError for what is no list of lists."""
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise TypeError("they are no rows")
    return value


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, State | FileRole) else value


def _job(said: Mapping[str, Any]) -> Job:
    facts: dict[str, Any] = {name: said.get(name) for name in Job._fields}
    for name in _TIMES:
        facts[name] = as_time(facts[name])
    facts["state"] = State(facts["state"])
    for name in _COUNTS:
        facts[name] = _count(said[name])
    facts["priority"] = Priority(facts["priority"]).value
    for name in _TEXTS:
        _require_text(facts[name])
    for name in _TEXTS_OR_NONE:
        if facts[name] is not None:
            _require_text(facts[name])
    if facts["source_size"] is not None:
        facts["source_size"] = _count(facts["source_size"])
    if facts["created_at"] is None or facts["updated_at"] is None:
        raise ValueError("a job has a beginning")
    return Job(**facts)


def _attempt(job_id: JobId, row: Sequence[Any]) -> Attempt:
    number, worker, started, ended, outcome, code, error = row
    _require_text(outcome)
    ended_at = as_time(ended)
    if ended_at is None:
        raise ValueError("an attempt in the past has its end")
    return Attempt(job_id, number, _worker(worker), as_time(started), ended_at, outcome, code, error)


def _event(job_id: JobId, row: Sequence[Any]) -> Event:
    at, kind, number, worker, detail = row
    _require_text(kind)
    moment = as_time(at)
    if moment is None:
        raise ValueError("an event has its time")
    return Event(job_id, moment, kind, number, _worker(worker), detail)


def _worker(name: str | None) -> WorkerId | None:
    return None if name is None else WorkerId(name)


def _count(value: Any) -> int:
    number = whole_in(value)
    if number is None:
        raise ValueError(f"{value!r} is no count")
    return number


def _require_text(value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
