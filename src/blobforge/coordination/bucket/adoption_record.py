"""The adoption record: a job of another program as it was adopted, with its id, its name and when it was queued.

That program may go on with the job: it locks it, moves its marker, or publishes a result. None of these objects has the
id, and each has another time. So the record is stored beside them, and never written again.
"""

import json

from blobforge.coordination.bucket.job_history import JobHistory, decoded, encoded
from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.names import SPILLED
from blobforge.coordination.bucket.objects import Objects
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State
from blobforge.objectstore.client import Only


def keep(objects: Objects, history: JobHistory) -> Job:
    """The job, with the id that the first process gave it that adopted it."""
    job, body = history.job, json.dumps(encoded(history), separators=(",", ":")).encode("ascii")
    if objects.put(_name(job.key), body, only=Only(if_new=True)) is not None:
        return job
    first = read(objects, job.key)
    return job if first is None else identified(job, first.job)._replace(priority=job.priority)


def read(objects: Objects, key: JobKey) -> JobHistory | None:
    """None for a job that was not adopted."""
    stored = objects.get(_name(key))
    facts = facts_of(stored.body) if stored is not None else {}
    said = facts.get("job")
    # The record of a published result may lack its state and its key.
    job = {"state": State.COMPLETED.value, **said, **key._asdict()} if isinstance(said, dict) else None
    return decoded({**facts, "job": job})


def identified(job: Job, known: Job) -> Job:
    """A job as the objects of another program describe it, with the fields that were known before."""
    return job._replace(
        id=known.id,
        source_path=known.source_path,
        source_size=known.source_size,
        priority=known.priority,
        max_attempts=known.max_attempts,
        created_at=known.created_at,
        tags=known.tags,
        metadata=known.metadata,
    )


def _name(key: JobKey) -> str:
    return f"{SPILLED}{key.project}~{key.type}~{key.source_hash}.adopted.json"
