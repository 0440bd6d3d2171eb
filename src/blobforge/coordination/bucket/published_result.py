"""What was published: the object under `store/out`, whose metadata tells of the run that made it.

The metadata are a copy for quick reading. Where they were lost, as by a copying tool, the object itself still says
that the job is done, and its archive how.
"""

import json
from datetime import datetime
from secrets import token_hex
from typing import Any, NamedTuple

from blobforge.coordination.bucket.job_history import JobHistory, adopted_id, as_number, decoded, encoded
from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.names import SPILLED, Lane
from blobforge.coordination.bucket.objects import Objects
from blobforge.domain.ids import JobKey, RecipeId
from blobforge.domain.job import Job, NewJob, State, created
from blobforge.domain.json_value import canonical_json
from blobforge.objectstore.client import ObjectFacts, Only
from blobforge.objectstore.key_layout import GENERATION, RECIPE, UNRECORDED
from blobforge.ports.blob_store import result_key

RECORD = "job"
ELSEWHERE = "record"
_TOLD = (*JobKey._fields, "state")
MOST_METADATA = 1_700
"""A store takes 2 kB of metadata."""


class PublishedResult(NamedTuple):
    generation: int
    etag: str
    modified: datetime
    history: JobHistory | None
    elsewhere: str | None = None
    """Where the record is, when it was too long for metadata."""
    recipe: str | None = None

    @property
    def is_foreign(self) -> bool:
        """Another program made it: nothing of ours is in its headers, or they were lost."""
        return self.history is None and self.elsewhere is None


def published_in(facts: ObjectFacts | None, key: JobKey) -> PublishedResult | None:
    if facts is None:
        return None
    said = facts.metadata
    return PublishedResult(
        max(as_number(said.get(GENERATION)), 1),
        facts.etag,
        facts.modified,
        decoded(_with_what_the_key_tells(facts_of(said.get(RECORD, "").encode()), key)),
        said.get(ELSEWHERE),
        said.get(RECIPE),
    )


def history_of(objects: Objects, key: JobKey, out: PublishedResult) -> JobHistory:
    """The record of a job that is done, or what can be said without one."""
    if out.history is not None:
        return out.history
    stored = objects.get(out.elsewhere or _adopted_name(key))
    found = decoded(_with_what_the_key_tells(facts_of(stored.body), key)) if stored is not None else None
    return found or JobHistory(_unrecorded(key, out.modified))


def keep_adopted(objects: Objects, out: PublishedResult, history: JobHistory) -> None:
    """What is known of a result that another program made: beside it, since its own headers are not ours to write."""
    if out.is_foreign:
        text = json.dumps(_without_what_the_key_tells(encoded(history)), separators=(",", ":"))
        objects.put(_adopted_name(history.job.key), text.encode("ascii"), only=Only(if_new=True))


def _adopted_name(key: JobKey) -> str:
    return f"{SPILLED}{key.project}~{key.type}~{key.source_hash}.adopted.json"


def metadata_for(objects: Objects, lane: Lane, history: JobHistory, generation: int) -> dict[str, str]:
    """What goes with the object. A long record is stored beside it, before it."""
    text = json.dumps(_without_what_the_key_tells(encoded(history)), separators=(",", ":"))
    facts = {GENERATION: str(generation), "nonce": token_hex(8)}
    if (recipe := recipe_of(history.job)) is not None:
        facts[RECIPE] = recipe
    # A percent sign takes three characters in a header.
    if len(text) + 2 * text.count("%") <= MOST_METADATA:
        return facts | {RECORD: text}
    job = history.job
    name = f"{SPILLED}{lane.project}~{lane.type}~{job.source_hash}.g{generation}.{job.lease_number}.json"
    objects.put(name, text.encode("ascii"))
    return facts | {ELSEWHERE: name}


def _without_what_the_key_tells(facts: dict[str, Any]) -> dict[str, Any]:
    """Headers are short."""
    return {**facts, "job": {name: value for name, value in facts["job"].items() if name not in _TOLD}}


def _with_what_the_key_tells(facts: dict[str, Any], key: JobKey) -> dict[str, Any]:
    job = facts.get("job")
    told = {**key._asdict(), "state": State.COMPLETED.value}
    return {**facts, "job": {**job, **told}} if isinstance(job, dict) else facts


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
