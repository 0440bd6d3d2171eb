"""The published result: the object under `store/out`, whose metadata hold the history of the run that made it.

The metadata are a copy for quick reading. Where they were lost, as by a copying tool, the object itself still proves
that the job is completed, and its zip holds the rest.
"""

import json
from datetime import datetime
from typing import Any, NamedTuple

from blobforge.coordination.bucket import adoption_record
from blobforge.coordination.bucket.job_history import JobHistory, adopted_id, as_number, decoded, encoded
from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.names import SPILLED, Lane
from blobforge.coordination.bucket.objects import Objects
from blobforge.domain.ids import JobKey, RecipeId
from blobforge.domain.job import Job, NewJob, State, created
from blobforge.domain.json_value import canonical_json
from blobforge.domain.recipe import UNRECORDED
from blobforge.objectstore.client import ObjectFacts
from blobforge.objectstore.key_layout import GENERATION, RECIPE
from blobforge.ports.blob_store import result_key

RECORD = "job"
ELSEWHERE = "record"
_IN_KEY = (*JobKey._fields, "state")
MOST_METADATA = 1_700
"""Stores accept 2 kB of metadata."""


class PublishedResult(NamedTuple):
    """A result by its headers, without its bytes."""

    generation: int
    etag: str
    modified: datetime
    history: JobHistory | None
    elsewhere: str | None = None
    """Where the history is, when it was too long for metadata."""
    recipe: str | None = None

    @property
    def is_foreign(self) -> bool:
        """Another program made it, or its metadata were lost."""
        return self.history is None and self.elsewhere is None


def published_in(facts: ObjectFacts | None, key: JobKey) -> PublishedResult | None:
    if facts is None:
        return None
    metadata = facts.metadata
    return PublishedResult(
        max(as_number(metadata.get(GENERATION)), 1),
        facts.etag,
        facts.modified,
        decoded(_with_key_fields(facts_of(metadata.get(RECORD, "").encode()), key)),
        metadata.get(ELSEWHERE),
        metadata.get(RECIPE),
    )


def history_of(objects: Objects, key: JobKey, out: PublishedResult) -> JobHistory:
    """The history of a completed job; a minimal one where none was stored."""
    if out.history is not None:
        return out.history
    stored = objects.get(out.elsewhere) if out.elsewhere is not None else None
    found = decoded(_with_key_fields(facts_of(stored.body), key)) if stored is not None else None
    return found or _of_another_program(objects, key, out)


def _of_another_program(objects: Objects, key: JobKey, out: PublishedResult) -> JobHistory:
    known, job = adoption_record.read(objects, key), _unrecorded(key, out.modified)
    if known is None:
        return JobHistory(job)
    # A job that was not completed when it was adopted was completed by the other program since.
    return known if known.job.state is State.COMPLETED else JobHistory(adoption_record.identified(job, known.job))


def metadata_for(objects: Objects, lane: Lane, history: JobHistory, *, generation: int, nonce: str) -> dict[str, str]:
    """The metadata of the object. A long history is stored beside it, before it."""
    text = json.dumps(_without_key_fields(encoded(history)), separators=(",", ":"))
    facts = {GENERATION: str(generation), "nonce": nonce}
    if (recipe := recipe_of(history.job)) is not None:
        facts[RECIPE] = recipe
    # A percent sign takes three characters in a header.
    if len(text) + 2 * text.count("%") <= MOST_METADATA:
        return facts | {RECORD: text}
    job = history.job
    name = f"{SPILLED}{lane.project}~{lane.type}~{job.source_hash}.g{generation}.{job.lease_number}.json"
    objects.put(name, text.encode("ascii"))
    return facts | {ELSEWHERE: name}


def _without_key_fields(facts: dict[str, Any]) -> dict[str, Any]:
    """Leaves out what the key says already: metadata are limited in size."""
    return {**facts, "job": {name: value for name, value in facts["job"].items() if name not in _IN_KEY}}


def _with_key_fields(facts: dict[str, Any], key: JobKey) -> dict[str, Any]:
    job = facts.get("job")
    key_fields = {**key._asdict(), "state": State.COMPLETED.value}
    return {**facts, "job": {**job, **key_fields}} if isinstance(job, dict) else facts


def recipe_of(job: Job) -> str | None:
    """By which recipe the result of a completed job was made."""
    recipe = facts_of((job.result or "").encode()).get("recipe")
    return recipe if isinstance(recipe, str) else None


def _unrecorded(key: JobKey, modified: datetime) -> Job:
    new = NewJob(key.project, key.type, key.source_hash)
    job = created(new, job_id=adopted_id(modified, key), now=modified)
    recipe = RecipeId(UNRECORDED)
    result = canonical_json({"key": result_key(key.source_hash, recipe), "recipe": recipe})
    return job._replace(state=State.COMPLETED, completed_at=modified, attempts=1, lease_number=1, result=result)
