"""Taking on jobs that another program put there: each gets what ours have, an id in the index, a name and a history.

Its own objects stay what they are as far as others read them: a marker that waits says the same and more, a lock is
left to its holder, and a result is not touched at all; what there is to say of that lies beside it.
"""

from collections.abc import Sequence
from typing import Any

from blobforge.coordination.bucket import adoption_record
from blobforge.coordination.bucket.adopted_documents import Documents
from blobforge.coordination.bucket.job_history import JobHistory, adopted, as_number, as_priority
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
from blobforge.coordination.bucket.registry import Registry
from blobforge.coordination.bucket.stored_state import PublishedJob, StateReader, Tombstone, Unclaimed
from blobforge.coordination.bucket.transitions import Transitions
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State
from blobforge.objectstore.client import Only


class Adoption:
    def __init__(
        self, objects: Objects, reader: StateReader, transitions: Transitions, registry: Registry, documents: Documents
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._transitions = transitions
        self._registry = registry
        self._documents = documents

    def take_on(self, key: JobKey, tiers: Sequence[int] = ()) -> None:
        """A job that is in no index, or in several tiers. Whoever changes it meanwhile wins; the next look takes it on
        as it is then."""
        current = self._reader.look(key)
        if current is None or isinstance(current, Tombstone):
            return
        if isinstance(current, Unclaimed) and len(tiers) > 1:
            current = self._most_urgent(current, tiers)
        # Its name is for people: what the other program wrote tells none.
        job = self._documents.about(key.source_hash).told_to(current.job)
        job = adoption_record.keep(self._objects, current.history._replace(job=job))
        self._registry.index([job])
        if isinstance(current, Unclaimed):
            self._rewrite(current, job)
            self._clear_other_tiers(current, tiers)
        elif isinstance(current, PublishedJob):
            return
        elif current.record.state not in IN_PROGRESS:
            self._transitions.replace(current, current.record._replace(history=current.history._replace(job=job)))

    def take_on_marked(self, lane: Lane, source_hash: str, kind: str, tiers: Sequence[int] = ()) -> None:
        """A job that has ended, by a marker alone: it gets its record. `tiers` are those where it is still listed."""
        stored = self._objects.get(lane.marker(kind, source_hash))
        if stored is None:
            return
        facts = facts_of(stored.body)
        key = lane.key(source_hash)
        history = adopted(key, facts, modified=stored.modified)
        known = self._reader.known(key)
        told = history.job if known is None else adoption_record.identified(history.job, known)
        priority = as_priority(facts.get("priority")) or min(tiers, default=told.priority)
        job = self._documents.about(source_hash).told_to(_as_told(told._replace(priority=priority), kind, facts))
        job = adoption_record.keep(self._objects, JobHistory(job))
        generation = max(as_number(facts.get("generation")), 1)
        record = JobRecord(STATE_OF[job.state], generation, JobHistory(job), self._transitions.instance)
        self._registry.index([job])
        written = self._transitions.create(record)
        if written is not None and not self._transitions.is_done(written):
            self._transitions.reindex(record)

    def _most_urgent(self, current: Unclaimed, tiers: Sequence[int]) -> Unclaimed:
        """A move to another tier was cut off. The marker that is not the other program's tells whose job it is."""
        lane, source_hash = lane_of(current.job.key), current.job.source_hash
        found = [there for tier in sorted(tiers) if (there := self._reader.fresh(lane, tier, source_hash)) is not None]
        if not found:
            return current
        ours = next((there for there in found if there.job.id not in self._reader.foreign), found[0])
        job = ours.job._replace(priority=found[0].priority)
        return found[0]._replace(history=ours.history._replace(job=job))

    def _clear_other_tiers(self, current: Unclaimed, tiers: Sequence[int]) -> None:
        """Unless one was written since: its job was claimed and given back, and it waits there."""
        for tier in tiers:
            name = lane_of(current.job.key).waiting(tier, current.job.source_hash)
            if tier != current.priority and (there := self._objects.head(name)) is not None:
                self._objects.delete(name, only=Only(if_etag=there.etag))

    def _rewrite(self, current: Unclaimed, job: Job) -> None:
        """The marker of a job that waits, with the job in it, unless somebody has written it since."""
        name = lane_of(job.key).waiting(current.priority, job.source_hash)
        there = self._objects.get(name)
        if there is None or parse_todo_body(there.body).history is not None:
            return
        body = todo_body(current.history._replace(job=job), generation=current.generation, has_record=False)
        self._objects.put(name, body, only=Only(if_etag=there.etag))


def _as_told(job: Job, kind: str, facts: dict[str, Any]) -> Job:
    """A job as the marker of another program tells it. Its `retries` are the tries that failed."""
    tries = as_number(facts.get("total_retries", facts.get("retries")))
    told = job._replace(
        attempts=min(tries, job.max_attempts),
        error_code="unknown",
        last_error=str(facts.get("error") or "unknown"),
    )
    if kind == "dead":
        return told._replace(state=State.CANCELLED if facts.get("reason") == CANCELLED else State.DEAD)
    if tries >= job.max_attempts:
        return told._replace(state=State.DEAD)
    return told._replace(state=State.FAILED, available_at=told.created_at)
