"""What the service asks of a store: transitions of the lifecycle, and on what condition."""

from collections.abc import Callable
from datetime import datetime

from blobforge.domain import lifecycle
from blobforge.domain.errors import ChangedMeanwhile
from blobforge.domain.job import Job, lease_of, title
from blobforge.ports.job_store import Change, JobFilter, matches


def renewal_of(held: Job, *, now: datetime, until: datetime) -> Change:
    lease = lease_of(held)
    return lambda job: lifecycle.renew(job, lease, now=now, until=until)


def restoration_of(seen: Job, *, now: datetime) -> Change:
    return at_revision(seen.rev, lambda job: lifecycle.restore(job, now=now))


def retry_of(seen: Job, *, now: datetime) -> Change:
    return at_revision(seen.rev, lambda job: lifecycle.retry(job, now=now))


def reprocess_by(seen: Job, metadata: str, *, now: datetime) -> Change:
    return at_revision(seen.rev, lambda job: lifecycle.reprocess(job, metadata=metadata, now=now))


def at_revision(rev: int | None, change: Change) -> Change:
    """The change of a job that is still as somebody saw it; None is any revision. Raises ChangedMeanwhile."""
    return _where(lambda job: rev in (None, job.rev), change)


def while_matching(still: JobFilter, change: Change) -> Change:
    """The change of a job that is still one of those that were wanted. Raises ChangedMeanwhile."""
    return _where(lambda job: matches(job, still), change)


def _where(holds: Callable[[Job], bool], change: Change) -> Change:
    def guarded(job: Job) -> Job:
        if not holds(job):
            raise ChangedMeanwhile(f"{title(job)}: it has changed meanwhile; it is {job.state}")
        return change(job)

    return guarded
