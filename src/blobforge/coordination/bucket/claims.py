"""Claims: a marker names a job, and the process whose conditional write of its record succeeds holds it."""

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
from blobforge.coordination.bucket.stored_state import PublishedJob, Recorded, StateReader, Unclaimed
from blobforge.coordination.bucket.todo_scanner import Candidate, TodoScanner
from blobforge.coordination.bucket.transitions import Transitions
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State, claim_order
from blobforge.domain.needs import are_met
from blobforge.objectstore.client import StoredObject
from blobforge.ports.job_store import Change, Queue
from blobforge.thread_pool import ThreadPool

CLOSE_IN_AGE = timedelta(seconds=60)
"""A listing gives the age of a marker to the second, and the clocks of a store's nodes differ: markers whose ages are
as close as this are ordered by their contents."""
MOST_BODIES = 10_000
UNSUITED_READ_AT_ONCE = 64
MOST_UNSUITED = 2_000
"""A claim gives up after so many jobs that its worker cannot do; the next claim goes on after them."""


class NotClaimed(Enum):
    """Why a candidate was passed over, other than that somebody holds it."""

    REFUSED = "the change refuses it"
    GONE = "its marker is stale"
    UNSUITED = "its needs are not met"


class HeldByAnother(NamedTuple):
    """Another worker holds it, at least until then as far as we know."""

    until: datetime


class Claims:
    """Threads may share it: they choose candidates one after the other, and write concurrently."""

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
        """One for each lane and set of abilities: what does not suit one worker may suit another."""
        self._bodies: dict[str, StoredObject] = {}
        self._in_flight: set[str] = set()
        self._sample: Job | None = None
        self.outcomes: Counter[str] = Counter()
        """How often a claim succeeded (`claimed`), lost a race (`conflict`), or read first that the job is `held`."""

    def check_take(self, take: Change, queue: Queue, limit: int) -> None:
        """Calls `take` on a job without claiming it, so that a bug in it raises before anything is written. A job that
        was read before will do; only where there is none are markers read."""
        if self._sample is not None:
            _after_take(take, self._sample)
            return
        with self._lock:
            scanners = self._refresh(queue)
            for candidate in self._choose(scanners, limit, set()):
                body = self._body(candidate)
                if body is not None:
                    _after_take(take, self._reader.parse_marker(*_key_and_priority(candidate), body).job)

    def take(self, take: Change, queue: Queue, limit: int, *, own: Sequence[Recorded] = ()) -> list[Recorded]:
        """Up to `limit` jobs, the most urgent first. `own` are failed jobs of this process that may be due by now."""
        claimed = self._take_own_failed(take, queue, limit, own)
        refused: set[str] = set()
        unsuited = 0
        with self._lock:
            scanners = self._refresh(queue) if len(claimed) < limit else {}
        while len(claimed) < limit and unsuited < MOST_UNSUITED:
            with self._lock:
                chosen = self._choose(scanners, limit - len(claimed), refused)
                self._in_flight.update(candidate.name for candidate in chosen)
            if not chosen:
                break
            try:
                outcomes = self._pool.each(lambda candidate: self._claim(candidate, take, queue.has), chosen)
            finally:
                with self._lock:
                    self._in_flight.difference_update(candidate.name for candidate in chosen)
            for candidate, outcome in zip(chosen, outcomes, strict=True):
                self._report(scanners[candidate.lane], candidate, outcome, refused)
                if isinstance(outcome, Recorded):
                    claimed.append(outcome)
            if NotClaimed.UNSUITED in outcomes:
                unsuited += outcomes.count(NotClaimed.UNSUITED) + self._skip_unsuited(scanners, queue.has)
        return sorted(claimed, key=lambda current: claim_order(current.job))

    def on_free(self, job: Job) -> None:
        """A job that this process has just made claimable needs no listing to be found."""
        lane = Lane(job.project, job.type)
        with self._lock:
            for scanner in [scanner for (of, _), scanner in self._scanners.items() if of == lane]:
                scanner.add(Candidate(lane, job.priority, job.source_hash, "", self._objects.now()))

    # Choosing candidates

    def _refresh(self, queue: Queue) -> dict[Lane, TodoScanner]:
        lanes = [Lane(queue.project, kind) for kind in dict.fromkeys(queue.types)]
        tokens_of_lanes = self._pool.each(lambda lane: read_change_tokens(self._objects, lane), lanes)
        scanners = {lane: self._scanners.setdefault((lane, queue.has), self._new_scanner(lane)) for lane in lanes}
        for lane, tokens in zip(lanes, tokens_of_lanes, strict=True):
            scanners[lane].refresh(tokens)
        return scanners

    def _new_scanner(self, lane: Lane) -> TodoScanner:
        return TodoScanner(self._objects, lane, roll=self._chance.random)

    def _choose(self, scanners: dict[Lane, TodoScanner], count: int, refused: set[str]) -> list[Candidate]:
        """From the most urgent tier that has any: in a small tier the oldest or, after conflicts, at random; in a large
        one in scan order."""
        excluding = refused | self._in_flight
        by_lane = {lane: scanner.candidates(excluding=excluding) for lane, scanner in scanners.items()}
        urgent = min((listed[0].priority for listed in by_lane.values() if listed), default=None)
        found = [one for listed in by_lane.values() for one in listed if one.priority == urgent]
        if all(scanner.is_small_tier and not scanner.has_conflicts for scanner in scanners.values()):
            return self._oldest(found, count)
        if any(scanner.is_small_tier for scanner in scanners.values()):
            self._chance.shuffle(found)
        return found[:count]

    def _oldest(self, found: Sequence[Candidate], count: int) -> list[Candidate]:
        """By the age in the listing; those of about the same age in the claim order of their jobs."""
        by_age = sorted(found, key=lambda one: one.modified)
        chosen: list[Candidate] = []
        while by_age and len(chosen) < count:
            close = [one for one in by_age if one.modified - by_age[0].modified <= CLOSE_IN_AGE]
            bodies = self._pool.each(self._body, close)
            ranked = [
                (claim_order(self._reader.parse_marker(*_key_and_priority(one), body).job), one)
                for one, body in zip(close, bodies, strict=True)
                if body is not None
            ]
            chosen += [one for _, one in sorted(ranked)]
            by_age = by_age[len(close) :]
        return chosen[:count]

    def _body(self, candidate: Candidate) -> StoredObject | None:
        """Cached: a marker is read once. None when it is gone."""
        known = self._bodies.get(candidate.name)
        if known is not None and candidate.etag in ("", known.etag):
            return known
        stored = self._objects.get(candidate.name)
        if stored is None:
            return None
        # Without the lock: its holder may be waiting for this thread of the pool.
        if len(self._bodies) > MOST_BODIES:
            self._bodies.clear()
        self._bodies[candidate.name] = stored
        return stored

    def _skip_unsuited(self, scanners: dict[Lane, TodoScanner], has: frozenset[str]) -> int:
        """After one job that does not suit this worker more may follow: reads many markers concurrently, each once."""
        with self._lock:
            by_lane = {
                lane: scanner.candidates(excluding=self._in_flight)[:UNSUITED_READ_AT_ONCE]
                for lane, scanner in scanners.items()
            }
            found = [candidate for listed in by_lane.values() for candidate in listed]
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
        if candidate.generation and (held := self._held_by_another(candidate)) is not None:
            return held
        stored = self._body(candidate)
        if stored is None:
            return NotClaimed.GONE
        key, priority = _key_and_priority(candidate)
        marker, unclaimed = parse_todo_body(stored.body), self._reader.parse_marker(key, priority, stored)
        self._sample = unclaimed.job
        if not are_met(marker.needs, has):
            return NotClaimed.UNSUITED
        if not marker.has_record:
            unclaimed = self._reader.recognised(unclaimed)
            after = _dead_if_spent(unclaimed.job) or _after_take(take, unclaimed.job)
            if after is None:
                return NotClaimed.REFUSED
            history = unclaimed.history.after(after)
            record = JobRecord(STATE_OF[after.state], unclaimed.generation, history, self._transitions.instance)
            if (written := self._transitions.create(record)) is not None:
                return self._checked(written)
        return self._claim_record(candidate, marker.generation, take, has)

    def _held_by_another(self, candidate: Candidate) -> HeldByAnother | None:
        """Reads a listed record first, which is cheaper than an attempt to claim."""
        found = self._reader.record(candidate.lane, RecordName(candidate.source_hash, candidate.generation))
        return HeldByAnother(self._lease_end(found[0])) if found is not None and found[0].state in IN_PROGRESS else None

    def _lease_end(self, record: JobRecord) -> datetime:
        return record.job.lease_expires_at or self._objects.now()

    def _claim_record(
        self, candidate: Candidate, generation: int, take: Change, has: frozenset[str]
    ) -> Recorded | HeldByAnother | NotClaimed:
        lane, source_hash = candidate.lane, candidate.source_hash
        found = self._reader.record(lane, RecordName(source_hash, generation))
        if found is None:
            return self._repair_stale_marker(candidate)
        record, etag = found
        if (reason := self._reason_to_skip(candidate, record, has)) is not None:
            return reason
        after = _after_take(take, record.job)
        if after is None:
            return NotClaimed.REFUSED
        out = self._reader.out(lane, source_hash)
        current = Recorded(record, etag, out)
        if out is not None and out.generation >= generation:
            self._transitions.remove_leftovers(record.job.key, out.generation)
            return NotClaimed.GONE
        new = JobRecord(STATE_OF[after.state], generation, record.history.after(after), self._transitions.instance)
        return self._transitions.replace(current, new) or HeldByAnother(self._objects.now())

    def _reason_to_skip(
        self, candidate: Candidate, record: JobRecord, has: frozenset[str]
    ) -> HeldByAnother | NotClaimed | None:
        """Why the job of a marker cannot be claimed now; None when it can."""
        if record.state in IN_PROGRESS:
            return HeldByAnother(self._lease_end(record))
        if record.state is not RecordState.PENDING:
            self._objects.delete(candidate.name)
            return NotClaimed.GONE
        if record.job.priority > candidate.priority:
            # Its priority was lowered since its marker was listed: it is claimed from that tier.
            self._transitions.reindex(record)
            return NotClaimed.GONE
        return None if are_met(record.job.needs, has) else NotClaimed.UNSUITED

    def _checked(self, written: Recorded) -> Recorded | HeldByAnother | NotClaimed:
        """The claim, unless the marker was left over from a published run, or the job is dead because its marker, which
        another program wrote, says that its attempts are spent."""
        if self._transitions.is_done(written):
            return NotClaimed.GONE
        if written.record.state in IN_PROGRESS:
            return written
        self._transitions.reindex(written.record)
        return NotClaimed.GONE

    def _repair_stale_marker(self, candidate: Candidate) -> NotClaimed:
        """A marker whose record is gone: left over from a completed job, or from another generation, or what is left of
        one whose record was cut off while it was written."""
        key, _ = _key_and_priority(candidate)
        current = self._reader.read(key)
        if isinstance(current, PublishedJob):
            self._transitions.remove_leftovers(key, current.out.generation)
        elif isinstance(current, Recorded) and current.record.state not in IN_PROGRESS:
            self._transitions.reindex(current.record)
        elif isinstance(current, Unclaimed):
            self._transitions.record_again(current)
        return NotClaimed.GONE

    def _take_own_failed(self, take: Change, queue: Queue, limit: int, own: Sequence[Recorded]) -> list[Recorded]:
        claimed: list[Recorded] = []
        for current in own:
            job = current.job
            if len(claimed) >= limit or job.project != queue.project or job.type not in queue.types:
                continue
            if not are_met(job.needs, queue.has):
                continue
            after = _after_take(take, job)
            if after is None or after.state is not State.RUNNING:
                continue
            record = JobRecord(
                RecordState.HELD, current.generation, current.history.after(after), self._transitions.instance
            )
            if (written := self._transitions.replace(current, record)) is not None:
                self._objects.delete(lane_of(job.key).marker("failed", job.source_hash))
                claimed.append(written)
        return claimed

    def _report(
        self,
        scanner: TodoScanner,
        candidate: Candidate,
        outcome: Recorded | HeldByAnother | NotClaimed,
        refused: set[str],
    ) -> None:
        with self._lock:
            self._bodies.pop(candidate.name, None)
            if isinstance(outcome, Recorded):
                self.outcomes["claimed"] += 1
                scanner.on_claimed(candidate, until=self._lease_end(outcome.record))
            elif isinstance(outcome, HeldByAnother):
                self.outcomes["held" if candidate.generation else "conflict"] += 1
                scanner.on_conflict(candidate, until=outcome.until)
            elif outcome is NotClaimed.REFUSED:
                refused.add(candidate.name)
            elif outcome is NotClaimed.UNSUITED:
                scanner.on_unsuited(candidate)
            else:
                scanner.on_gone(candidate)


def _key_and_priority(candidate: Candidate) -> tuple[JobKey, int]:
    return candidate.lane.key(candidate.source_hash), candidate.priority


def _dead_if_spent(job: Job) -> Job | None:
    """The job as dead, when it has no attempt left."""
    if job.attempts < job.max_attempts:
        return None
    message = f"its marker says that it failed {job.attempts} times"
    return job._replace(state=State.DEAD, error_code=SPENT, last_error=message)


def _after_take(take: Change, job: Job) -> Job | None:
    """The job after `take`; None when that refuses it or returns it unchanged."""
    try:
        after = take(job)
    except BlobForgeError:
        return None
    return None if after == job else after
