"""Rebuilds the manifest from the documents in the store and the jobs of the queue."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import SourceHash, parse_source_hash
from blobforge.domain.job import Job
from blobforge.domain.loose_json import json_in, list_in
from blobforge.domain.manifest import Entries, ManifestEntry, merged_entry
from blobforge.ports.blob_store import BlobKey, BlobStat, BlobStore
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter
from blobforge.ports.manifest import Manifest, Rebuilt

_AT_ONCE = 1_000


def rebuild(manifest: Manifest, blobs: BlobStore, coordinator: Coordinator, *, project: str) -> Rebuilt:
    """Raises ManifestDamaged, StoreUnavailable."""
    stored = {source_hash: stat for stat in blobs.list("sources/") if (source_hash := _hash_in(stat.key)) is not None}
    return manifest.rebuild(_found(stored, _jobs(coordinator, project)))


def _found(stored: Mapping[SourceHash, BlobStat], jobs: Iterable[Job]) -> Entries:
    """Of a document that no job is about, its hash, its size and its time are known, and nothing else."""
    told: dict[SourceHash, ManifestEntry] = {}
    for job in jobs:
        source_hash = job.source_hash
        if source_hash in stored:
            entry, before = _entry(job, stored[source_hash].size), told.get(source_hash)
            told[source_hash] = entry if before is None else merged_entry(before, entry)
    return {source_hash: told.get(source_hash) or _nameless(stat) for source_hash, stat in stored.items()}


def _jobs(coordinator: Coordinator, project: str) -> Iterator[Job]:
    wanted = JobFilter(project=project)
    page = coordinator.page(wanted, limit=_AT_ONCE)
    while page:
        yield from page
        page = coordinator.page(wanted, after=page[-1].id, limit=_AT_ONCE)


def _entry(job: Job, size: int) -> ManifestEntry:
    return ManifestEntry(
        paths=() if job.source_path is None else (job.source_path,),
        size=size,
        tags=_tags(job.tags),
        ingested_at=_in_seconds(job.created_at),
        source="",
    )


def _nameless(stat: BlobStat) -> ManifestEntry:
    return ManifestEntry(paths=(), size=stat.size, tags=(), ingested_at=_in_seconds(stat.modified), source="")


def _in_seconds(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def _tags(text: str) -> tuple[str, ...]:
    return tuple(tag for tag in list_in(json_in(text)) if isinstance(tag, str))


def _hash_in(key: BlobKey) -> SourceHash | None:
    try:
        return parse_source_hash(PurePosixPath(key).stem)
    except InvalidValue:
        return None
