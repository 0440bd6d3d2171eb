"""Applies transitions within one transaction: first to the copy that the caller saw, then to the row itself.

The copy may be stale, and it may be made up. So a change of a copy is written only where the write's condition covers
all that the change can have read in it (`GUARDED_COLUMNS`): claims, endings and renewals, of which there are thousands
a second. For everything else the row is read first.
"""

from collections.abc import Sequence

from blobforge.coordination.sql.job_driver import EventWrite, FileWrite, JobTransaction, Write
from blobforge.domain.errors import BlobForgeError, NotFound
from blobforge.domain.events import attempt_of, event_of
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import Change, Transition


class TransitionBatch:
    """Collects the events and files of its transitions, which `save` writes once at the end."""

    def __init__(self, transaction: JobTransaction) -> None:
        self._transaction = transaction
        self._events: list[EventWrite] = []
        self._files: list[FileWrite] = []

    def apply(self, transitions: Sequence[Transition]) -> list[Job | BlobForgeError]:
        """Optimistic: a row is read only where its copy cannot do or is not as the row."""
        outcomes = self._apply_to_copies(transitions)
        left = [place for place in range(len(transitions)) if place not in outcomes]
        while left:
            # Of two transitions of one job the second must see what the first made of it.
            firsts = {transitions[place].seen.id: place for place in reversed(left)}
            outcomes |= self._apply_to_rows(transitions, sorted(firsts.values()))
            left = [place for place in left if place not in outcomes]
        return [self._with_files(transition, outcomes[place]) for place, transition in enumerate(transitions)]

    def change_locked(self, jobs: Sequence[Job], change: Change) -> list[Job]:
        """Changes jobs that this transaction has read and holds; those that `change` refuses are left out."""
        changed = ((job, _try(change, job)) for job in jobs)
        writes = [_write_of(job, after) for job, after in changed if isinstance(after, Job) and after is not job]
        return [job for job in self._write(writes) if job is not None]

    def save(self) -> None:
        self._transaction.record(events=self._events, files=self._files)

    def _apply_to_copies(self, transitions: Sequence[Transition]) -> dict[int, Job | BlobForgeError]:
        """The jobs that were written, by the position of their transition."""
        writes: list[Write] = []
        places: list[int] = []
        for place, (seen, change, _) in enumerate(transitions):
            # An error or "nothing to do" may come from a stale copy: only the row itself can tell.
            try:
                after = change(seen)
            except BlobForgeError:
                continue
            if after is not seen and _is_covered(seen, after):
                writes.append(_write_of(seen, after))
                places.append(place)
        written = zip(places, self._write(writes), strict=True)
        return {place: job for place, job in written if job is not None}

    def _apply_to_rows(
        self, transitions: Sequence[Transition], places: Sequence[int]
    ) -> dict[int, Job | BlobForgeError]:
        """The outcomes by position; no two of the transitions are of one job."""
        rows = self._transaction.locked([transitions[place].seen.id for place in places])
        outcomes: dict[int, Job | BlobForgeError] = {}
        writes: dict[int, Write] = {}
        for place in places:
            seen, change, _ = transitions[place]
            current = rows.get(seen.id)
            if current is None:
                outcomes[place] = NotFound(f"there is no job #{seen.id}")
                continue
            outcomes[place] = after = _try(change, current)
            if isinstance(after, Job) and after is not current:
                writes[place] = _write_of(current, after)
        for place, written in zip(writes, self._write(list(writes.values())), strict=True):
            assert written is not None, "the row is locked, so it cannot have changed"
            outcomes[place] = written
        return outcomes

    def _write(self, writes: Sequence[Write]) -> list[Job | None]:
        written = self._transaction.write(writes) if writes else []
        for (before, _, _), after in zip(writes, written, strict=True):
            # Transitions that begin or end an attempt are recorded as attempts, not as events.
            if after is None or before.state is State.RUNNING or after.state is State.RUNNING:
                continue
            if (event := event_of(before, after)) is not None:
                self._events.append(EventWrite(after.rev, event))
        return written

    def _with_files(self, transition: Transition, outcome: Job | BlobForgeError) -> Job | BlobForgeError:
        if transition.files and isinstance(outcome, Job):
            self._files.extend(FileWrite(outcome.id, record, outcome.updated_at) for record in transition.files)
        return outcome


def _is_covered(seen: Job, after: Job) -> bool:
    """Whether the condition of a write covers all that the change can have read in this copy.

    Not where the lease is over by the time of the change: it may have been renewed, which no revision tells. Nor where
    the order changes: a new one may be made of the old.
    """
    if after.metadata is not seen.metadata:
        return False
    if seen.state is State.PENDING:
        return after.state is State.RUNNING
    ends = seen.lease_expires_at
    return seen.state is State.RUNNING and ends is not None and after.updated_at < ends


def _write_of(before: Job, after: Job) -> Write:
    return Write(before, after, attempt_of(before, after) if before.state is State.RUNNING else None)


def _try(change: Change, job: Job) -> Job | BlobForgeError:
    try:
        return change(job)
    except BlobForgeError as error:
        return error
