"""Parts of a batch: transitions grouped by job, and outcomes in the order of the request."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from blobforge.coordination.bucket.stored_state import StoredState, Tombstone
from blobforge.domain.errors import NotFound
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job
from blobforge.ports.job_store import Change, Inserted, Transition


def only_of(seen: Job, change: Change) -> Change:
    """Checks the id: a job that was forgotten and added anew has the same key and is another job."""

    def checked(job: Job) -> Job:
        if job.id != seen.id:
            raise NotFound(f"there is no job #{seen.id}")
        return change(job)

    return checked


def is_free(current: StoredState | None) -> bool:
    return current is None or isinstance(current, Tombstone)


def in_order(
    jobs: Sequence[Job], known: Mapping[JobKey, StoredState], added: Mapping[JobKey, Inserted]
) -> list[Inserted]:
    entries: list[Inserted] = []
    seen: set[JobKey] = set()
    for job in jobs:
        if job.key in added:
            entry = added[job.key]
            entries.append(entry if job.key not in seen else entry._replace(created=False))
            seen.add(job.key)
        else:
            there = known[job.key]
            assert not isinstance(there, Tombstone), "what was forgotten is added anew"
            entries.append(Inserted(there.job, created=False))
    return entries


def by_job(transitions: Sequence[Transition]) -> list[list[tuple[int, Transition]]]:
    """With their positions: transitions of one job run one after the other, those of several jobs concurrently."""
    groups: dict[JobId, list[tuple[int, Transition]]] = defaultdict(list)
    for place, transition in enumerate(transitions):
        groups[transition.seen.id].append((place, transition))
    return list(groups.values())


def has_files(current: StoredState, files: Sequence[FileRecord]) -> bool:
    if isinstance(current, Tombstone):
        return False
    kept = [entry.file for entry in current.history.files if entry.rev == current.job.rev]
    return all(file in kept for file in files)
