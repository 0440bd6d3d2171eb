"""Moves within one transaction: changes are tried on what the mover saw, and again on what is really there."""

from collections.abc import Sequence

from blobforge.coordination.sql.hot import FileRow, HotTransaction, Write
from blobforge.domain.errors import BlobForgeError, NotFound
from blobforge.domain.events import Attempt, Event, attempt_of, event_of
from blobforge.domain.job import Job
from blobforge.ports.job_store import Change, Move


class Moves:
    """Applies changes and gathers what they leave behind, to be recorded once at the end."""

    def __init__(self, transaction: HotTransaction) -> None:
        self._transaction = transaction
        self._events: list[Event] = []
        self._attempts: list[Attempt] = []
        self._files: list[FileRow] = []

    def move(self, moves: Sequence[Move]) -> list[Job | BlobForgeError]:
        """Trusts what the movers saw, since most of the time nobody else wrote; reads again where that fails."""
        hopeful: list[Write] = []
        places: list[int] = []
        outcomes: list[Job | BlobForgeError | None] = [None] * len(moves)
        for place, move in enumerate(moves):
            after = _try(move.change, move.seen)
            # An error or "nothing to do" may come from an old copy: only the row itself can say.
            if isinstance(after, Job) and after is not move.seen:
                hopeful.append(Write(move.seen, after))
                places.append(place)
        for place, written in zip(places, self._write(hopeful), strict=True):
            outcomes[place] = written
        return [
            self._noted(move, self._move_again(move) if outcome is None else outcome)
            for move, outcome in zip(moves, outcomes, strict=True)
        ]

    def change_locked(self, jobs: Sequence[Job], change: Change) -> list[Job]:
        """Changes jobs that this transaction has read and holds; those that `change` refuses are left out."""
        changed = ((job, _try(change, job)) for job in jobs)
        writes = [Write(job, after) for job, after in changed if isinstance(after, Job) and after is not job]
        return [job for job in self._write(writes) if job is not None]

    def save(self) -> None:
        self._transaction.record(events=self._events, attempts=self._attempts, files=self._files)

    def _move_again(self, move: Move) -> Job | BlobForgeError:
        current = self._transaction.locked([move.seen.id]).get(move.seen.id)
        if current is None:
            return NotFound(f"there is no job {move.seen.id}")
        after = _try(move.change, current)
        if isinstance(after, BlobForgeError) or after is current:
            return after
        (written,) = self._write([Write(current, after)])
        assert written is not None, "the row is locked, so its rev cannot have changed"
        return written

    def _write(self, writes: Sequence[Write]) -> list[Job | None]:
        written = self._transaction.write(writes) if writes else []
        for (before, _), after in zip(writes, written, strict=True):
            if after is not None:
                self._remember(before, after)
        return written

    def _remember(self, before: Job, after: Job) -> None:
        if (event := event_of(before, after)) is not None:
            self._events.append(event)
        if (attempt := attempt_of(before, after)) is not None:
            self._attempts.append(attempt)

    def _noted(self, move: Move, outcome: Job | BlobForgeError) -> Job | BlobForgeError:
        if isinstance(outcome, Job):
            self._files.extend(FileRow(outcome.id, record, outcome.updated_at) for record in move.files)
        return outcome


def _try(change: Change, job: Job) -> Job | BlobForgeError:
    try:
        return change(job)
    except BlobForgeError as error:
        return error
