"""A step of many moves, on paper: what belongs together, and in which order it is told."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from blobforge.coordination.bucket.standing import Forgotten, Standing
from blobforge.domain.errors import NotFound
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job
from blobforge.ports.job_store import Change, Inserted, Move


def only_of(seen: Job, change: Change) -> Change:
    """A job is known by its id here: one that was forgotten and added anew is another."""

    def checked(job: Job) -> Job:
        if job.id != seen.id:
            raise NotFound(f"there is no job {seen.id}")
        return change(job)

    return checked


def is_free(standing: Standing | None) -> bool:
    return standing is None or isinstance(standing, Forgotten)


def in_order(jobs: Sequence[Job], known: Mapping[JobKey, Standing], added: Mapping[JobKey, Inserted]) -> list[Inserted]:
    entries: list[Inserted] = []
    seen: set[JobKey] = set()
    for job in jobs:
        if job.key in added:
            entry = added[job.key]
            entries.append(entry if job.key not in seen else entry._replace(created=False))
            seen.add(job.key)
        else:
            there = known[job.key]
            assert not isinstance(there, Forgotten), "what was forgotten is added anew"
            entries.append(Inserted(there.job, created=False))
    return entries


def by_job(moves: Sequence[Move]) -> list[list[tuple[int, Move]]]:
    """With their places: moves of one job come after each other, those of several at the same time."""
    groups: dict[JobId, list[tuple[int, Move]]] = defaultdict(list)
    for place, move in enumerate(moves):
        groups[move.seen.id].append((place, move))
    return list(groups.values())


def has_files(standing: Standing, files: Sequence[FileRecord]) -> bool:
    if isinstance(standing, Forgotten):
        return False
    kept = [entry.file for entry in standing.record.files if entry.rev == standing.job.rev]
    return all(record in kept for record in files)
