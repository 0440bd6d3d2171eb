"""The service record of a worker: what it has done since its first start, restarts included."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.domain.loose_json import number_in, object_in, time_in, whole_in
from blobforge.domain.worker_report import Metrics

RECENT_MINUTES = 60
_LEAST_TIME = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRecord:
    """`recent` counts the jobs completed in each of the last minutes, by minutes since 1970."""

    since: datetime | None = None
    completed: int = 0
    failed: int = 0
    bytes_processed: int = 0
    seconds: float = 0.0
    recent: Mapping[int, int] = field(default_factory=dict)


def with_completed(record: ServiceRecord, *, size: int, took: timedelta, now: datetime) -> ServiceRecord:
    return replace(
        record,
        completed=record.completed + 1,
        bytes_processed=record.bytes_processed + size,
        seconds=record.seconds + max(took.total_seconds(), 0.0),
        recent=_recent(Counter(record.recent) + Counter({_minute(now): 1}), now),
    )


def with_failed(record: ServiceRecord) -> ServiceRecord:
    return replace(record, failed=record.failed + 1)


def together(one: ServiceRecord, other: ServiceRecord, *, now: datetime) -> ServiceRecord:
    return ServiceRecord(
        since=min((since for since in (one.since, other.since) if since is not None), default=None),
        completed=one.completed + other.completed,
        failed=one.failed + other.failed,
        bytes_processed=one.bytes_processed + other.bytes_processed,
        seconds=one.seconds + other.seconds,
        recent=_recent(Counter(one.recent) + Counter(other.recent), now),
    )


def metrics_of(record: ServiceRecord, *, now: datetime) -> Metrics:
    """The pace is that of the last hour, or of the time since the first start where that is less."""
    known = timedelta(minutes=RECENT_MINUTES)
    if record.since is not None:
        known = min(known, max(now - record.since, _LEAST_TIME))
    return Metrics(
        jobs_completed=record.completed,
        jobs_failed=record.failed,
        bytes_processed=record.bytes_processed,
        avg_processing_time=record.seconds / record.completed if record.completed else None,
        jobs_per_hour=sum(_recent(record.recent, now).values()) * (timedelta(hours=1) / known),
    )


def record_json(record: ServiceRecord) -> JsonObject:
    return {
        "since": None if record.since is None else record.since.isoformat(),
        "completed": record.completed,
        "failed": record.failed,
        "bytes_processed": record.bytes_processed,
        "seconds": record.seconds,
        "recent": {str(minute): count for minute, count in sorted(record.recent.items())},
    }


def read_record(said: JsonValue) -> ServiceRecord:
    """An empty one for what cannot be parsed."""
    facts = object_in(said)
    recent = object_in(facts.get("recent"))
    return ServiceRecord(
        since=time_in(facts.get("since")),
        completed=whole_in(facts.get("completed")) or 0,
        failed=whole_in(facts.get("failed")) or 0,
        bytes_processed=whole_in(facts.get("bytes_processed")) or 0,
        seconds=number_in(facts.get("seconds")) or 0.0,
        recent={
            minute: whole_in(count) or 0 for text, count in recent.items() if (minute := whole_in(text)) is not None
        },
    )


def _recent(counts: Mapping[int, int], now: datetime) -> dict[int, int]:
    this = _minute(now)
    return {minute: count for minute, count in counts.items() if this - RECENT_MINUTES < minute <= this}


def _minute(moment: datetime) -> int:
    return int(moment.astimezone(UTC).timestamp()) // 60
