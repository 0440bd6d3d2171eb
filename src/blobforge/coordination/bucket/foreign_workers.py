"""Workers of another program that are at work in a bucket, by their locks: they and ours undo each other's."""

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
    """The latest heartbeat comes first. A heartbeat writes the lock, so that old locks are not read; other
    lanes than the main one are ours alone."""
    young = [facts.name for facts in objects.all(MAIN.records) if facts.modified > now - FOREIGN_LEASE]
    locks = [(name, parsed) for name in young if (parsed := parse_record_name(name)) is not None]
    holders = [_holder(objects, name, parsed) for name, parsed in locks]
    alive = [worker for worker in holders if worker is not None and worker.heard_at > now - FOREIGN_LEASE]
    return sorted(alive, key=lambda worker: worker.heard_at, reverse=True)


def _holder(objects: Objects, name: str, parsed: RecordName) -> ForeignWorker | None:
    """None for a record of ours, or one that is gone."""
    stored = objects.get(name)
    if stored is None:
        return None
    record, key = parse_job_record(stored.body, generation=parsed.generation), MAIN.key(parsed.source_hash)
    if record is not None and record.job.key == key:
        return None
    job = foreign_record(key, stored.body, generation=parsed.generation, modified=stored.modified).job
    return ForeignWorker(str(job.worker_id), name, job.updated_at)
