"""Taking on jobs that another program put there: each gets what ours have, an id in the index, a name and a record.

Its own objects stay what they are as far as others read them: a marker that waits says the same and more, a lock is
left to its holder, and a result is not touched at all; what there is to say of that lies beside it.
"""

from typing import Any

from blobforge.coordination.bucket.cell import (
    CANCELLED,
    IN_PROGRESS,
    STATE_OF,
    Cell,
    facts_of,
    parse_todo_body,
    todo_body,
)
from blobforge.coordination.bucket.changes import Changes
from blobforge.coordination.bucket.documents import Documents
from blobforge.coordination.bucket.names import Lane, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.published import keep_adopted
from blobforge.coordination.bucket.record import Record, adopted, as_number
from blobforge.coordination.bucket.registry import Registry
from blobforge.coordination.bucket.standing import Done, Forgotten, Fresh, Reader
from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State
from blobforge.domain.priority import Priority, parse_priority
from blobforge.objectstore.client import Only


class Adoption:
    def __init__(
        self, objects: Objects, reader: Reader, changes: Changes, registry: Registry, documents: Documents
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._changes = changes
        self._registry = registry
        self._documents = documents

    def take_on(self, key: JobKey) -> None:
        """A job that is in no index. Whoever changes it meanwhile wins; the next look takes it on as it is then."""
        standing = self._reader.look(key)
        if standing is None or isinstance(standing, Forgotten):
            return
        # Its name is for people: what the other program wrote tells none.
        job = self._documents.about(key.source_hash).told_to(standing.job)
        self._registry.index([job])
        if isinstance(standing, Fresh):
            self._rewrite(standing, job)
        elif isinstance(standing, Done):
            keep_adopted(self._objects, standing.out, standing.record._replace(job=job))
        elif standing.cell.state not in IN_PROGRESS:
            self._changes.replace(standing, standing.cell._replace(record=standing.record._replace(job=job)))

    def take_on_marked(self, lane: Lane, source_hash: str, kind: str) -> None:
        """A job that has ended, by a marker alone: it gets its cell."""
        stored = self._objects.get(lane.marker(kind, source_hash))
        if stored is None:
            return
        facts = facts_of(stored.body)
        key = lane.key(source_hash)
        record = adopted(key, facts, modified=stored.modified)
        told = _as_told(record.job, kind, facts)
        job = self._documents.about(source_hash).told_to(told)
        generation = max(as_number(facts.get("generation")), 1)
        cell = Cell(STATE_OF[job.state], generation, Record(job), self._changes.instance)
        self._registry.index([job])
        written = self._changes.create(cell)
        if written is not None and not self._changes.is_done(written):
            self._changes.reindex(cell)

    def _rewrite(self, standing: Fresh, job: Job) -> None:
        """The marker of a job that waits, with the job in it, unless somebody has written it since."""
        name = lane_of(job.key).waiting(standing.priority, job.source_hash)
        there = self._objects.get(name)
        if there is None or parse_todo_body(there.body).record is not None:
            return
        body = todo_body(standing.record._replace(job=job), generation=standing.generation, has_cell=False)
        self._objects.put(name, body, only=Only(if_etag=there.etag))


def _as_told(job: Job, kind: str, facts: dict[str, Any]) -> Job:
    """A job as the marker of another program tells it. Its `retries` are the tries that failed."""
    tries = as_number(facts.get("total_retries", facts.get("retries")))
    told = job._replace(
        attempts=min(tries, job.max_attempts),
        error_code="unknown",
        last_error=str(facts.get("error") or "unknown"),
        priority=_priority(facts.get("priority")),
    )
    if kind == "dead":
        return told._replace(state=State.CANCELLED if facts.get("reason") == CANCELLED else State.DEAD)
    if tries >= job.max_attempts:
        return told._replace(state=State.DEAD)
    return told._replace(state=State.FAILED, available_at=told.created_at)


def _priority(value: object) -> int:
    try:
        return parse_priority(str(value))
    except InvalidValue:
        return Priority.NORMAL
