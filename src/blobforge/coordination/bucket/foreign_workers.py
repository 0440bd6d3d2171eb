"""Workers of another program that are at work in a place, by their locks: two kinds of writers undo each other's."""

from datetime import datetime
from typing import NamedTuple

from blobforge.coordination.bucket.job_record import FOREIGN_LEASE, foreign_record, parse_job_record
from blobforge.coordination.bucket.names import MAIN, RecordName, parse_record_name
from blobforge.coordination.bucket.objects import Objects


class ForeignWorker(NamedTuple):
    name: str
    lock: str
    heard_at: datetime


def foreign_workers(objects: Objects, *, now: datetime) -> list[ForeignWorker]:
    """The one that was heard of last comes first. Each renews its lock by writing it, so that old ones need no look;
    other lanes than the main one are ours alone."""
    young = [facts.name for facts in objects.all(MAIN.records) if facts.modified > now - FOREIGN_LEASE]
    locks = [(name, parsed) for name in young if (parsed := parse_record_name(name)) is not None]
    holders = [_holder(objects, name, parsed) for name, parsed in locks]
    alive = [worker for worker in holders if worker is not None and worker.heard_at > now - FOREIGN_LEASE]
    return sorted(alive, key=lambda worker: worker.heard_at, reverse=True)


def _holder(objects: Objects, name: str, parsed: RecordName) -> ForeignWorker | None:
    """None of a lock that is ours, or gone."""
    stored = objects.get(name)
    if stored is None or parse_job_record(stored.body, generation=parsed.generation) is not None:
        return None
    key = MAIN.key(parsed.source_hash)
    job = foreign_record(key, stored.body, generation=parsed.generation, modified=stored.modified).job
    return ForeignWorker(str(job.worker_id), name, job.updated_at)
