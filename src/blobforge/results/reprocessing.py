"""Which documents another order would change; those for which it gives nothing new are left alone."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job, State
from blobforge.domain.result_record import result_record
from blobforge.ports.blob_store import BlobStore, source_key
from blobforge.results.published_by_job import published_by


class Sorting(NamedTuple):
    """`current` have a result of that recipe already, and gaps in it would be there again. `sourceless`: their
    document is nowhere, and a run that can only fail would make a dead job of a completed one."""

    redo: list[Job]
    current: list[Job]
    sourceless: Sequence[Job] = ()


def sort_out(jobs: Iterable[Job], recipe_id: RecipeId | None, mended: Callable[[], frozenset[str]]) -> Sorting:
    """Without a recipe, which an engine has only where it is installed, nobody knows what is current."""
    sorting = Sorting([], [])
    for job in jobs:
        is_current = recipe_id is not None and _has(job, recipe_id) and not would_gain(job, mended)
        (sorting.current if is_current else sorting.redo).append(job)
    return sorting


def without_lost(sorting: Sorting, blobs: BlobStore) -> Sorting:
    """Those whose result is not in the store any more have none to keep."""
    keys = {job.id: published.key for job in sorting.current if (published := published_by(job)) is not None}
    stored = blobs.stat_many(set(keys.values())) if keys else {}
    lost = [job for job in sorting.current if job.id in keys and keys[job.id] not in stored]
    gone = {job.id for job in lost}
    return sorting._replace(redo=[*sorting.redo, *lost], current=[job for job in sorting.current if job.id not in gone])


def without_sourceless(sorting: Sorting, blobs: BlobStore) -> Sorting:
    """Looks for the documents of those that are to be redone: in the store, and at their own paths."""
    stored = blobs.stat_many({source_key(job.source_hash) for job in sorting.redo}) if sorting.redo else {}
    sourceless = [
        job
        for job in sorting.redo
        if source_key(job.source_hash) not in stored and not (job.source_path and Path(job.source_path).is_file())
    ]
    missing = {job.id for job in sourceless}
    return sorting._replace(redo=[job for job in sorting.redo if job.id not in missing], sourceless=sourceless)


def would_gain(job: Job, mended: Callable[[], frozenset[str]]) -> bool:
    """Whether pages are missing or doubtful in its result for a reason that is gone."""
    record = result_record(job)
    flaws = {*record.codes, *record.warnings}
    return bool(flaws) and not mended().isdisjoint(flaws)


def _has(job: Job, recipe_id: RecipeId) -> bool:
    return job.state is State.COMPLETED and result_record(job).recipe_id == recipe_id
