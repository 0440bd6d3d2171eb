"""Applies transitions within one transaction: first to the copy that the caller saw, then to the row itself."""

from collections.abc import Sequence

from blobforge.coordination.sql.job_driver import EventRow, FileRow, JobTransaction, Write
from blobforge.domain.errors import BlobForgeError, NotFound
from blobforge.domain.events import attempt_of, event_of
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import Change, Transition


class TransitionBatch:
    """Collects the events and files of its transitions, which `save` writes once at the end."""

    def __init__(self, transaction: JobTransaction) -> None:
        self._transaction = transaction
        self._events: list[EventRow] = []
        self._files: list[FileRow] = []

    def apply(self, transitions: Sequence[Transition]) -> list[Job | BlobForgeError]:
        """Optimistic: a row is read again only where its `rev` is not the one that the caller saw."""
        optimistic: list[Write] = []
        places: list[int] = []
        for place, (seen, change, _) in enumerate(transitions):
            # An error or "nothing to do" may come from a stale copy: only the row itself can tell.
            try:
                after = change(seen)
            except BlobForgeError:
                continue
            if after is not seen:
                optimistic.append(_write_of(seen, after))
                places.append(place)
        hits = dict(zip(places, self._write(optimistic), strict=True))
        return [self._outcome(transition, hits.get(place)) for place, transition in enumerate(transitions)]

    def change_locked(self, jobs: Sequence[Job], change: Change) -> list[Job]:
        """Changes jobs that this transaction has read and holds; those that `change` refuses are left out."""
        changed = ((job, _try(change, job)) for job in jobs)
        writes = [_write_of(job, after) for job, after in changed if isinstance(after, Job) and after is not job]
        return [job for job in self._write(writes) if job is not None]

    def save(self) -> None:
        self._transaction.record(events=self._events, files=self._files)

    def _apply_to_row(self, transition: Transition) -> Job | BlobForgeError:
        current = self._transaction.locked([transition.seen.id]).get(transition.seen.id)
        if current is None:
            return NotFound(f"there is no job #{transition.seen.id}")
        after = _try(transition.change, current)
        if isinstance(after, BlobForgeError) or after is current:
            return after
        (written,) = self._write([_write_of(current, after)])
        assert written is not None, "the row is locked, so its rev cannot have changed"
        return written

    def _write(self, writes: Sequence[Write]) -> list[Job | None]:
        written = self._transaction.write(writes) if writes else []
        for (before, _, _), after in zip(writes, written, strict=True):
            # Transitions that begin or end an attempt are recorded as attempts, not as events.
            if after is None or before.state is State.RUNNING or after.state is State.RUNNING:
                continue
            if (event := event_of(before, after)) is not None:
                self._events.append(EventRow(after.rev, event))
        return written

    def _outcome(self, transition: Transition, written: Job | None) -> Job | BlobForgeError:
        outcome = written or self._apply_to_row(transition)
        if transition.files and isinstance(outcome, Job):
            self._files.extend(FileRow(outcome.id, record, outcome.updated_at) for record in transition.files)
        return outcome


def _write_of(before: Job, after: Job) -> Write:
    return Write(before, after, attempt_of(before, after) if before.state is State.RUNNING else None)


def _try(change: Change, job: Job) -> Job | BlobForgeError:
    try:
        return change(job)
    except BlobForgeError as error:
        return error
