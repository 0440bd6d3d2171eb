"""Taking jobs out of the line: the marker tells of a job, and whoever creates or changes its cell first has it."""

import random
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from blobforge.coordination.bucket.cell import IN_PROGRESS, SPENT, STATE_OF, Cell, CellState, parse_todo_body
from blobforge.coordination.bucket.changes import Changes
from blobforge.coordination.bucket.crew import Crew
from blobforge.coordination.bucket.hint import read_hint
from blobforge.coordination.bucket.line import Candidate, Line
from blobforge.coordination.bucket.names import CellName, Lane, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.standing import Celled, Done, Reader
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State
from blobforge.domain.needs import are_met
from blobforge.objectstore.client import StoredObject
from blobforge.ports.job_store import Change, Queue

CLOSE_IN_AGE = timedelta(seconds=60)
"""A listing tells the age of a marker to the second, and the clocks of a store's parts differ: markers as close as this
are told apart by what is in them."""
MOST_BODIES = 10_000
SIFTED_AT_ONCE = 64
MOST_SIFTED = 2_000
"""So many jobs of other workers are passed over at one look; the next one goes on behind them."""


class Outcome(Enum):
    REFUSED = "the taker does not want it"
    GONE = "its marker led nowhere"
    UNSUITED = "it needs what the worker has not"


class Taken(NamedTuple):
    """Another worker has it, at least until then as far as we know."""

    until: datetime


class Claims:
    """Threads may share it: they look for jobs one after the other, and write at the same time."""

    def __init__(
        self, objects: Objects, reader: Reader, changes: Changes, crew: Crew, *, chance: random.Random | None = None
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._changes = changes
        self._crew = crew
        self._chance = chance or random.Random()  # noqa: S311 - it only spreads workers
        self._lock = threading.RLock()
        self._lines: dict[tuple[Lane, frozenset[str]], Line] = {}
        """One for whoever can do the same: what is not for one may be for another."""
        self._bodies: dict[str, StoredObject] = {}
        self._in_hand: set[str] = set()
        self._specimen: Job | None = None
        self.outcomes: Counter[str] = Counter()
        """How often a claim succeeded, how often it met another worker, and how often one was seen to be busy."""

    def try_out(self, take: Change, queue: Queue, limit: int) -> None:
        """Shows a job to the taker without taking it: a fault of its own shows before anything is written. One that
        was read before will do; only who has seen none looks for some."""
        if self._specimen is not None:
            _wanted(take, self._specimen)
            return
        with self._lock:
            lines = self._look(queue)
            for candidate in self._choose(lines, limit, set()):
                body = self._body(candidate)
                if body is not None:
                    _wanted(take, self._reader.told(*_place(candidate), body).job)

    def take(self, take: Change, queue: Queue, limit: int, *, own: Sequence[Celled] = ()) -> list[Celled]:
        """Up to `limit` jobs, the most urgent first. `own` are failed jobs of this process that may be due by now."""
        claimed = self._take_own(take, queue, limit, own)
        passed_over: set[str] = set()
        unsuited = 0
        with self._lock:
            lines = self._look(queue) if len(claimed) < limit else {}
        while len(claimed) < limit and unsuited < MOST_SIFTED:
            with self._lock:
                chosen = self._choose(lines, limit - len(claimed), passed_over)
                self._in_hand.update(candidate.name for candidate in chosen)
            if not chosen:
                break
            try:
                outcomes = self._crew.each(lambda candidate: self._claim(candidate, take, queue.has), chosen)
            finally:
                with self._lock:
                    self._in_hand.difference_update(candidate.name for candidate in chosen)
            for candidate, outcome in zip(chosen, outcomes, strict=True):
                self._note(lines[candidate.lane], candidate, outcome, passed_over)
                if isinstance(outcome, Celled):
                    claimed.append(outcome)
            if Outcome.UNSUITED in outcomes:
                unsuited += outcomes.count(Outcome.UNSUITED) + self._sift(lines, queue.has)
        return sorted(claimed, key=lambda standing: _rank(standing.job))

    def freed(self, job: Job) -> None:
        """A job that this process has just made free needs no listing to be found."""
        lane = Lane(job.project, job.type)
        with self._lock:
            for line in [line for (of, _), line in self._lines.items() if of == lane]:
                line.add(Candidate(lane, job.priority, job.source_hash, "", self._objects.now()))

    # Which

    def _look(self, queue: Queue) -> dict[Lane, Line]:
        lanes = [Lane(queue.project, kind) for kind in dict.fromkeys(queue.types)]
        hints = self._crew.each(lambda lane: read_hint(self._objects, lane), lanes)
        lines = {lane: self._lines.setdefault((lane, queue.has), self._new_line(lane)) for lane in lanes}
        for lane, tokens in zip(lanes, hints, strict=True):
            lines[lane].look(tokens)
        return lines

    def _new_line(self, lane: Lane) -> Line:
        return Line(self._objects, lane, roll=self._chance.random)

    def _choose(self, lines: dict[Lane, Line], count: int, passed_over: set[str]) -> list[Candidate]:
        """Of the most urgent tier that has any: the oldest where that can be told, any where workers are many."""
        besides = passed_over | self._in_hand
        offers = {lane: line.offers(besides=besides) for lane, line in lines.items()}
        urgent = min((found[0].priority for found in offers.values() if found), default=None)
        found = [one for listed in offers.values() for one in listed if one.priority == urgent]
        if all(line.is_few and not line.has_met_others for line in lines.values()):
            return self._oldest(found, count)
        if any(line.is_few for line in lines.values()):
            self._chance.shuffle(found)
        return found[:count]

    def _oldest(self, found: Sequence[Candidate], count: int) -> list[Candidate]:
        """By the listing, as far as that tells; those of about the same age by what is in them."""
        by_age = sorted(found, key=lambda one: one.modified)
        chosen: list[Candidate] = []
        while by_age and len(chosen) < count:
            close = [one for one in by_age if one.modified - by_age[0].modified <= CLOSE_IN_AGE]
            bodies = self._crew.each(self._body, close)
            told = [
                (_rank(self._reader.told(*_place(one), body).job), one)
                for one, body in zip(close, bodies, strict=True)
                if body is not None
            ]
            chosen += [one for _, one in sorted(told)]
            by_age = by_age[len(close) :]
        return chosen[:count]

    def _body(self, candidate: Candidate) -> StoredObject | None:
        """A marker is read once, however often it is looked at; None when it is gone."""
        known = self._bodies.get(candidate.name)
        if known is not None and candidate.etag in ("", known.etag):
            return known
        stored = self._objects.get(candidate.name)
        if stored is None:
            return None
        # Without the lock: whoever holds it may be waiting for the threads of the crew.
        if len(self._bodies) > MOST_BODIES:
            self._bodies.clear()
        self._bodies[candidate.name] = stored
        return stored

    def _sift(self, lines: dict[Lane, Line], has: frozenset[str]) -> int:
        """Where one job is not for this worker, more may follow: many markers are read at once, and each only once."""
        with self._lock:
            offers = {lane: line.offers(besides=self._in_hand)[:SIFTED_AT_ONCE] for lane, line in lines.items()}
            found = [candidate for offered in offers.values() for candidate in offered]
            read = self._crew.each(self._body, found)
            unsuited = [
                candidate
                for candidate, stored in zip(found, read, strict=True)
                if stored is not None and not are_met(parse_todo_body(stored.body).needs, has)
            ]
            for candidate in unsuited:
                self._bodies.pop(candidate.name, None)
                lines[candidate.lane].unsuited(candidate)
            return len(unsuited)

    # One claim

    def _claim(self, candidate: Candidate, take: Change, has: frozenset[str]) -> Celled | Taken | Outcome:
        if candidate.cell and (busy := self._busy(candidate)) is not None:
            return busy
        stored = self._body(candidate)
        if stored is None:
            return Outcome.GONE
        key, priority = _place(candidate)
        waiting, fresh = parse_todo_body(stored.body), self._reader.told(key, priority, stored)
        self._specimen = fresh.job
        if not are_met(waiting.needs, has):
            return Outcome.UNSUITED
        if not waiting.has_cell:
            after = _spent(fresh.job) or _wanted(take, fresh.job)
            if after is None:
                return Outcome.REFUSED
            record = fresh.record.moved(after)
            cell = Cell(STATE_OF[after.state], fresh.generation, record, self._changes.instance)
            if (written := self._changes.create(cell)) is not None:
                return self._begun(written)
        return self._claim_cell(candidate, waiting.generation, take, has)

    def _busy(self, candidate: Candidate) -> Taken | None:
        """Of a job whose cell was listed: reading it is cheaper than an attempt to claim."""
        found = self._reader.cell(candidate.lane, CellName(candidate.source_hash, candidate.cell))
        return self._taken(found[0]) if found is not None and found[0].state in IN_PROGRESS else None

    def _taken(self, cell: Cell) -> Taken:
        return Taken(cell.job.lease_expires_at or self._objects.now())

    def _claim_cell(
        self, candidate: Candidate, generation: int, take: Change, has: frozenset[str]
    ) -> Celled | Taken | Outcome:
        lane, source_hash = candidate.lane, candidate.source_hash
        found = self._reader.cell(lane, CellName(source_hash, generation))
        if found is None:
            return self._led_nowhere(candidate)
        cell, etag = found
        if (passed_by := self._not_to_be_had(candidate, cell, has)) is not None:
            return passed_by
        after = _wanted(take, cell.job)
        if after is None:
            return Outcome.REFUSED
        out = self._reader.out(lane, source_hash)
        standing = Celled(cell, etag, out)
        if out is not None and out.generation >= generation:
            self._changes.tidy(cell.job.key, out.generation)
            return Outcome.GONE
        new = Cell(STATE_OF[after.state], generation, cell.record.moved(after), self._changes.instance)
        return self._changes.replace(standing, new) or Taken(self._objects.now())

    def _not_to_be_had(self, candidate: Candidate, cell: Cell, has: frozenset[str]) -> Taken | Outcome | None:
        """Why a marker leads to no job that may be taken now; None when it does."""
        if cell.state in IN_PROGRESS:
            return self._taken(cell)
        if cell.state is not CellState.PENDING:
            self._objects.delete(candidate.name)
            return Outcome.GONE
        if cell.job.priority > candidate.priority:
            # It was put into a less urgent tier since its marker was listed, and waits for its turn there.
            self._changes.reindex(cell)
            return Outcome.GONE
        return None if are_met(cell.job.needs, has) else Outcome.UNSUITED

    def _begun(self, written: Celled) -> Celled | Taken | Outcome:
        """Unless its marker was left over from a run that was published; and a job whose budget is spent, as the marker
        of another program may say, is dead and not begun."""
        if self._changes.is_done(written):
            return Outcome.GONE
        if written.cell.state in IN_PROGRESS:
            return written
        self._changes.reindex(written.cell)
        return Outcome.GONE

    def _led_nowhere(self, candidate: Candidate) -> Outcome:
        """A marker without the cell that it names: what is left of a job that was done, or of another generation."""
        key, _ = _place(candidate)
        standing = self._reader.look(key)
        if isinstance(standing, Done):
            self._changes.tidy(key, standing.out.generation)
        elif isinstance(standing, Celled) and standing.cell.state not in IN_PROGRESS:
            self._changes.reindex(standing.cell)
        return Outcome.GONE

    def _take_own(self, take: Change, queue: Queue, limit: int, own: Sequence[Celled]) -> list[Celled]:
        claimed: list[Celled] = []
        for standing in own:
            job = standing.job
            if len(claimed) >= limit or job.project != queue.project or job.type not in queue.types:
                continue
            if not are_met(job.needs, queue.has):
                continue
            after = _wanted(take, job)
            if after is None or after.state is not State.RUNNING:
                continue
            cell = Cell(CellState.HELD, standing.generation, standing.record.moved(after), self._changes.instance)
            if (written := self._changes.replace(standing, cell)) is not None:
                self._objects.delete(lane_of(job.key).marker("failed", job.source_hash))
                claimed.append(written)
        return claimed

    def _note(self, line: Line, candidate: Candidate, outcome: Celled | Taken | Outcome, passed_over: set[str]) -> None:
        with self._lock:
            self._bodies.pop(candidate.name, None)
            if isinstance(outcome, Celled):
                self.outcomes["claimed"] += 1
                line.claimed(candidate, until=self._taken(outcome.cell).until)
            elif isinstance(outcome, Taken):
                self.outcomes["busy" if candidate.cell else "met"] += 1
                line.met(candidate, until=outcome.until)
            elif outcome is Outcome.REFUSED:
                passed_over.add(candidate.name)
            elif outcome is Outcome.UNSUITED:
                line.unsuited(candidate)
            else:
                line.missed(candidate)


def _place(candidate: Candidate) -> tuple[JobKey, int]:
    return candidate.lane.key(candidate.source_hash), candidate.priority


def _spent(job: Job) -> Job | None:
    """Dead, when there is no attempt left."""
    if job.attempts < job.max_attempts:
        return None
    message = f"its marker says that it failed {job.attempts} times"
    return job._replace(state=State.DEAD, error_code=SPENT, last_error=message)


def _wanted(take: Change, job: Job) -> Job | None:
    """The job as the taker makes it; None when it refuses it or leaves it as it is."""
    try:
        after = take(job)
    except BlobForgeError:
        return None
    return None if after == job else after


def _rank(job: Job) -> tuple[int, datetime, int]:
    return job.priority, job.created_at, job.id
