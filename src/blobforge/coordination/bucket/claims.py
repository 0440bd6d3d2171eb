"""Taking jobs out of the scanner: the marker tells of a job, and whoever creates or changes its record first has it."""

import random
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from blobforge.coordination.bucket.change_token import read_change_tokens
from blobforge.coordination.bucket.job_record import (
    IN_PROGRESS,
    SPENT,
    STATE_OF,
    JobRecord,
    RecordState,
    parse_todo_body,
)
from blobforge.coordination.bucket.names import Lane, RecordName, lane_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.coordination.bucket.stored_state import PublishedJob, Recorded, StateReader
from blobforge.coordination.bucket.todo_scanner import Candidate, TodoScanner
from blobforge.coordination.bucket.transitions import Transitions
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State
from blobforge.domain.needs import are_met
from blobforge.objectstore.client import StoredObject
from blobforge.ports.job_store import Change, Queue
from blobforge.thread_pool import ThreadPool

CLOSE_IN_AGE = timedelta(seconds=60)
"""A listing tells the age of a marker to the second, and the clocks of a store's parts differ: markers as close as this
are told apart by what is in them."""
MOST_BODIES = 10_000
SIFTED_AT_ONCE = 64
MOST_SIFTED = 2_000
"""So many jobs of other workers are passed over at one look; the next one goes on behind them."""


class NotClaimed(Enum):
    REFUSED = "the taker does not want it"
    GONE = "its marker led nowhere"
    UNSUITED = "it needs what the worker has not"


class HeldByAnother(NamedTuple):
    """Another worker has it, at least until then as far as we know."""

    until: datetime


class Claims:
    """Threads may share it: they look for jobs one after the other, and write at the same time."""

    def __init__(
        self,
        objects: Objects,
        reader: StateReader,
        transitions: Transitions,
        pool: ThreadPool,
        *,
        chance: random.Random | None = None,
    ) -> None:
        self._objects = objects
        self._reader = reader
        self._transitions = transitions
        self._pool = pool
        self._chance = chance or random.Random()  # noqa: S311 - it only spreads workers
        self._lock = threading.RLock()
        self._scanners: dict[tuple[Lane, frozenset[str]], TodoScanner] = {}
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
            scanners = self._look(queue)
            for candidate in self._choose(scanners, limit, set()):
                body = self._body(candidate)
                if body is not None:
                    _wanted(take, self._reader.told(*_place(candidate), body).job)

    def take(self, take: Change, queue: Queue, limit: int, *, own: Sequence[Recorded] = ()) -> list[Recorded]:
        """Up to `limit` jobs, the most urgent first. `own` are failed jobs of this process that may be due by now."""
        claimed = self._take_own(take, queue, limit, own)
        passed_over: set[str] = set()
        unsuited = 0
        with self._lock:
            scanners = self._look(queue) if len(claimed) < limit else {}
        while len(claimed) < limit and unsuited < MOST_SIFTED:
            with self._lock:
                chosen = self._choose(scanners, limit - len(claimed), passed_over)
                self._in_hand.update(candidate.name for candidate in chosen)
            if not chosen:
                break
            try:
                outcomes = self._pool.each(lambda candidate: self._claim(candidate, take, queue.has), chosen)
            finally:
                with self._lock:
                    self._in_hand.difference_update(candidate.name for candidate in chosen)
            for candidate, outcome in zip(chosen, outcomes, strict=True):
                self._note(scanners[candidate.lane], candidate, outcome, passed_over)
                if isinstance(outcome, Recorded):
                    claimed.append(outcome)
            if NotClaimed.UNSUITED in outcomes:
                unsuited += outcomes.count(NotClaimed.UNSUITED) + self._sift(scanners, queue.has)
        return sorted(claimed, key=lambda current: _rank(current.job))

    def freed(self, job: Job) -> None:
        """A job that this process has just made free needs no listing to be found."""
        lane = Lane(job.project, job.type)
        with self._lock:
            for scanner in [scanner for (of, _), scanner in self._scanners.items() if of == lane]:
                scanner.add(Candidate(lane, job.priority, job.source_hash, "", self._objects.now()))

    # Which

    def _look(self, queue: Queue) -> dict[Lane, TodoScanner]:
        lanes = [Lane(queue.project, kind) for kind in dict.fromkeys(queue.types)]
        hints = self._pool.each(lambda lane: read_change_tokens(self._objects, lane), lanes)
        scanners = {lane: self._scanners.setdefault((lane, queue.has), self._new_line(lane)) for lane in lanes}
        for lane, tokens in zip(lanes, hints, strict=True):
            scanners[lane].look(tokens)
        return scanners

    def _new_line(self, lane: Lane) -> TodoScanner:
        return TodoScanner(self._objects, lane, roll=self._chance.random)

    def _choose(self, scanners: dict[Lane, TodoScanner], count: int, passed_over: set[str]) -> list[Candidate]:
        """Of the most urgent tier that has any: the oldest where that can be told, any where workers are many."""
        besides = passed_over | self._in_hand
        offers = {lane: scanner.offers(besides=besides) for lane, scanner in scanners.items()}
        urgent = min((found[0].priority for found in offers.values() if found), default=None)
        found = [one for listed in offers.values() for one in listed if one.priority == urgent]
        if all(scanner.is_few and not scanner.has_met_others for scanner in scanners.values()):
            return self._oldest(found, count)
        if any(scanner.is_few for scanner in scanners.values()):
            self._chance.shuffle(found)
        return found[:count]

    def _oldest(self, found: Sequence[Candidate], count: int) -> list[Candidate]:
        """By the listing, as far as that tells; those of about the same age by what is in them."""
        by_age = sorted(found, key=lambda one: one.modified)
        chosen: list[Candidate] = []
        while by_age and len(chosen) < count:
            close = [one for one in by_age if one.modified - by_age[0].modified <= CLOSE_IN_AGE]
            bodies = self._pool.each(self._body, close)
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

    def _sift(self, scanners: dict[Lane, TodoScanner], has: frozenset[str]) -> int:
        """Where one job is not for this worker, more may follow: many markers are read at once, and each only once."""
        with self._lock:
            offers = {
                lane: scanner.offers(besides=self._in_hand)[:SIFTED_AT_ONCE] for lane, scanner in scanners.items()
            }
            found = [candidate for offered in offers.values() for candidate in offered]
            read = self._pool.each(self._body, found)
            unsuited = [
                candidate
                for candidate, stored in zip(found, read, strict=True)
                if stored is not None and not are_met(parse_todo_body(stored.body).needs, has)
            ]
            for candidate in unsuited:
                self._bodies.pop(candidate.name, None)
                scanners[candidate.lane].on_unsuited(candidate)
            return len(unsuited)

    # One claim

    def _claim(self, candidate: Candidate, take: Change, has: frozenset[str]) -> Recorded | HeldByAnother | NotClaimed:
        if candidate.generation and (busy := self._busy(candidate)) is not None:
            return busy
        stored = self._body(candidate)
        if stored is None:
            return NotClaimed.GONE
        key, priority = _place(candidate)
        waiting, fresh = parse_todo_body(stored.body), self._reader.told(key, priority, stored)
        self._specimen = fresh.job
        if not are_met(waiting.needs, has):
            return NotClaimed.UNSUITED
        if not waiting.has_record:
            fresh = self._reader.recognised(fresh)
            after = _spent(fresh.job) or _wanted(take, fresh.job)
            if after is None:
                return NotClaimed.REFUSED
            history = fresh.history.moved(after)
            record = JobRecord(STATE_OF[after.state], fresh.generation, history, self._transitions.instance)
            if (written := self._transitions.create(record)) is not None:
                return self._begun(written)
        return self._claim_cell(candidate, waiting.generation, take, has)

    def _busy(self, candidate: Candidate) -> HeldByAnother | None:
        """Of a job whose record was listed: reading it is cheaper than an attempt to claim."""
        found = self._reader.record(candidate.lane, RecordName(candidate.source_hash, candidate.generation))
        return self._taken(found[0]) if found is not None and found[0].state in IN_PROGRESS else None

    def _taken(self, record: JobRecord) -> HeldByAnother:
        return HeldByAnother(record.job.lease_expires_at or self._objects.now())

    def _claim_cell(
        self, candidate: Candidate, generation: int, take: Change, has: frozenset[str]
    ) -> Recorded | HeldByAnother | NotClaimed:
        lane, source_hash = candidate.lane, candidate.source_hash
        found = self._reader.record(lane, RecordName(source_hash, generation))
        if found is None:
            return self._led_nowhere(candidate)
        record, etag = found
        if (passed_by := self._not_to_be_had(candidate, record, has)) is not None:
            return passed_by
        after = _wanted(take, record.job)
        if after is None:
            return NotClaimed.REFUSED
        out = self._reader.out(lane, source_hash)
        current = Recorded(record, etag, out)
        if out is not None and out.generation >= generation:
            self._transitions.tidy(record.job.key, out.generation)
            return NotClaimed.GONE
        new = JobRecord(STATE_OF[after.state], generation, record.history.moved(after), self._transitions.instance)
        return self._transitions.replace(current, new) or HeldByAnother(self._objects.now())

    def _not_to_be_had(
        self, candidate: Candidate, record: JobRecord, has: frozenset[str]
    ) -> HeldByAnother | NotClaimed | None:
        """Why a marker leads to no job that may be taken now; None when it does."""
        if record.state in IN_PROGRESS:
            return self._taken(record)
        if record.state is not RecordState.PENDING:
            self._objects.delete(candidate.name)
            return NotClaimed.GONE
        if record.job.priority > candidate.priority:
            # It was put into a less urgent tier since its marker was listed, and waits for its turn there.
            self._transitions.reindex(record)
            return NotClaimed.GONE
        return None if are_met(record.job.needs, has) else NotClaimed.UNSUITED

    def _begun(self, written: Recorded) -> Recorded | HeldByAnother | NotClaimed:
        """Unless its marker was left over from a run that was published; and a job whose budget is spent, as the marker
        of another program may say, is dead and not begun."""
        if self._transitions.is_done(written):
            return NotClaimed.GONE
        if written.record.state in IN_PROGRESS:
            return written
        self._transitions.reindex(written.record)
        return NotClaimed.GONE

    def _led_nowhere(self, candidate: Candidate) -> NotClaimed:
        """A marker without the cell that it names: what is left of a job that was done, or of another generation."""
        key, _ = _place(candidate)
        current = self._reader.look(key)
        if isinstance(current, PublishedJob):
            self._transitions.tidy(key, current.out.generation)
        elif isinstance(current, Recorded) and current.record.state not in IN_PROGRESS:
            self._transitions.reindex(current.record)
        return NotClaimed.GONE

    def _take_own(self, take: Change, queue: Queue, limit: int, own: Sequence[Recorded]) -> list[Recorded]:
        claimed: list[Recorded] = []
        for current in own:
            job = current.job
            if len(claimed) >= limit or job.project != queue.project or job.type not in queue.types:
                continue
            if not are_met(job.needs, queue.has):
                continue
            after = _wanted(take, job)
            if after is None or after.state is not State.RUNNING:
                continue
            record = JobRecord(
                RecordState.HELD, current.generation, current.history.moved(after), self._transitions.instance
            )
            if (written := self._transitions.replace(current, record)) is not None:
                self._objects.delete(lane_of(job.key).marker("failed", job.source_hash))
                claimed.append(written)
        return claimed

    def _note(
        self,
        scanner: TodoScanner,
        candidate: Candidate,
        outcome: Recorded | HeldByAnother | NotClaimed,
        passed_over: set[str],
    ) -> None:
        with self._lock:
            self._bodies.pop(candidate.name, None)
            if isinstance(outcome, Recorded):
                self.outcomes["claimed"] += 1
                scanner.on_claimed(candidate, until=self._taken(outcome.record).until)
            elif isinstance(outcome, HeldByAnother):
                self.outcomes["busy" if candidate.generation else "met"] += 1
                scanner.on_conflict(candidate, until=outcome.until)
            elif outcome is NotClaimed.REFUSED:
                passed_over.add(candidate.name)
            elif outcome is NotClaimed.UNSUITED:
                scanner.on_unsuited(candidate)
            else:
                scanner.on_gone(candidate)


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
