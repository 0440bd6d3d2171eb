"""Adopts jobs that another program added: each gets what ours have, an id in the index, a name and a history.

Its objects stay compatible with that program: a marker in `todo` keeps its fields and gets more, a lock is left to its
holder, and a result is not touched at all; its history is stored beside it.
"""

from collections.abc import Sequence
from typing import Any

from blobforge.coordination.bucket import adoption_record
from blobforge.coordination.bucket.adopted_documents import Documents
from blobforge.coordination.bucket.job_history import JobHistory, adopted, as_number, as_priority
from blobforge.coordination.bucket.job_index import JobIndex
from blobforge.coordination.bucket.job_record import (
    CANCELLED,
    IN_PROGRESS,
    STATE_OF,
    JobRecord,
    facts_of,
    parse_todo_body,
    todo_body,
)
from blobforge.coordination.bucket.names import Lane, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.stored_state import PublishedJob, StateReader, Tombstone, Unclaimed
from blobforge.coordination.bucket.transitions import Transitions
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State
from blobforge.objectstore.client import Only


class Adoption:
    """Adopting a job twice does no harm: it keeps the id that it got first."""

    def __init__(
        self, objects: Objects, reader: StateReader, transitions: Transitions, index: JobIndex, documents: Documents
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._transitions = transitions
        self._index = index
        self._documents = documents

    def adopt(self, key: JobKey, tiers: Sequence[int] = ()) -> None:
        """A job that is in no index, or that is listed in several tiers. A concurrent change wins; then the next sweep
        adopts the job as it is by then."""
        # The markers before the record: if there is none afterwards, none of these markers was written for one, and
        # whatever is written since has another ETag.
        seen = self._in_tiers(key, tiers) if len(tiers) > 1 else []
        current = self._reader.read(key)
        if current is None or isinstance(current, Tombstone):
            return
        if isinstance(current, Unclaimed) and seen:
            current = self._most_urgent(seen)
        # People look for a name, which the other program's marker lacks.
        job = self._documents.facts(key.source_hash).fill_in(current.job)
        job = adoption_record.keep(self._objects, current.history._replace(job=job))
        self._index.index([job])
        if isinstance(current, Unclaimed):
            self._rewrite(current, job)
            self._remove([unclaimed for unclaimed in seen if unclaimed.priority != current.priority])
        elif isinstance(current, PublishedJob):
            return
        elif current.record.state not in IN_PROGRESS:
            self._transitions.replace(current, current.record._replace(history=current.history._replace(job=job)))

    def adopt_marked(self, lane: Lane, source_hash: str, kind: str, tiers: Sequence[int] = ()) -> None:
        """A job that has ended and has no record: it gets one. `tiers` are those in which it is still listed."""
        stored = self._objects.get(lane.marker(kind, source_hash))
        if stored is None:
            return
        facts = facts_of(stored.body)
        key = lane.key(source_hash)
        history = adopted(key, facts, modified=stored.modified)
        known = self._reader.known(key)
        job = history.job if known is None else adoption_record.identified(history.job, known)
        priority = as_priority(facts.get("priority")) or min(tiers, default=job.priority)
        job_in_marker = _job_in_marker(job._replace(priority=priority), kind, facts)
        job = self._documents.facts(source_hash).fill_in(job_in_marker)
        job = adoption_record.keep(self._objects, JobHistory(job))
        generation = max(as_number(facts.get("generation")), 1)
        record = JobRecord(STATE_OF[job.state], generation, JobHistory(job), self._transitions.instance)
        self._index.index([job])
        written = self._transitions.create(record)
        if written is not None and not self._transitions.is_done(written):
            self._transitions.reindex(record)

    def _in_tiers(self, key: JobKey, tiers: Sequence[int]) -> list[Unclaimed]:
        listed = (self._reader.unclaimed(lane_of(key), tier, key.source_hash) for tier in sorted(tiers))
        return [unclaimed for unclaimed in listed if unclaimed is not None]

    def _most_urgent(self, seen: Sequence[Unclaimed]) -> Unclaimed:
        """A process died while it changed the priority. The marker that is not the other program's has the history."""
        ours = next((unclaimed for unclaimed in seen if unclaimed.job.id not in self._reader.foreign), seen[0])
        job = ours.job._replace(priority=seen[0].priority)
        return seen[0]._replace(history=ours.history._replace(job=job))

    def _remove(self, seen: Sequence[Unclaimed]) -> None:
        """Leaves a marker that was written since: its job was demoted, or claimed and released, and waits there."""
        for unclaimed in seen:
            name = lane_of(unclaimed.job.key).waiting(unclaimed.priority, unclaimed.job.source_hash)
            self._objects.delete(name, only=Only(if_etag=unclaimed.etag))

    def _rewrite(self, current: Unclaimed, job: Job) -> None:
        """Writes the job into its marker in `todo`, unless it was written since."""
        name = lane_of(job.key).waiting(current.priority, job.source_hash)
        there = self._objects.get(name)
        if there is None or parse_todo_body(there.body).history is not None:
            return
        body = todo_body(current.history._replace(job=job), generation=current.generation, has_record=False)
        self._objects.put(name, body, only=Only(if_etag=there.etag))


def _job_in_marker(job: Job, kind: str, facts: dict[str, Any]) -> Job:
    """The job as another program's marker describes it. Its `retries` are the failed attempts."""
    tries = as_number(facts.get("total_retries", facts.get("retries")))
    job_in_marker = job._replace(
        attempts=min(tries, job.max_attempts),
        error_code="unknown",
        last_error=str(facts.get("error") or "unknown"),
    )
    if kind == "dead":
        return job_in_marker._replace(state=State.CANCELLED if facts.get("reason") == CANCELLED else State.DEAD)
    if tries >= job.max_attempts:
        return job_in_marker._replace(state=State.DEAD)
    return job_in_marker._replace(state=State.FAILED, available_at=job_in_marker.created_at)
