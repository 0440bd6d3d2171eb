"""The fair ending of a schedule: no more faults, sweeps until nothing changes, and one healthy worker."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from tests.proof import dice
from tests.proof.explorer import PAUSE
from tests.proof.queue import queue_of
from tests.proof.rooms import Rooms, rooms_of
from tests.proof.stepper import ActorContext

from blobforge.domain.endings import Completed
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.testing.simulated_bucket import Contents, SimulatedBucket
from blobforge.testing.simulated_client import S3Reply, S3Request

MOST_ROUNDS = 12
MOST_REQUESTS = 20_000
NOT_OF_JOBS = ("queue/hint", "registry/")
"""Names whose change is no transition of a job."""


RoomsByHash = dict[str, Rooms]


class Aftermath(NamedTuple):
    left: RoomsByHash
    """As the actors left it."""
    swept: RoomsByHash
    """After the sweeps."""
    drained: RoomsByHash
    """After the worker."""
    claimed: list[Job]
    """By the worker."""
    complaints: list[str]


def aftermath_of(contents: Contents, now: datetime, hashes: Sequence[str]) -> Aftermath:
    def rooms(at: Contents) -> RoomsByHash:
        return {source_hash: rooms_of(at, source_hash) for source_hash in hashes}

    bucket = _Limited(contents, now + PAUSE)
    try:
        return _followed(bucket, rooms)
    except Endless as problem:
        left = rooms(contents)
        return Aftermath(left, left, left, [], [str(problem)])


def _followed(bucket: SimulatedBucket, rooms: Callable[[Contents], RoomsByHash]) -> Aftermath:
    left = rooms(bucket.contents)
    complaints = [] if _comes_to_rest(bucket) else [f"sweeps still change something after {MOST_ROUNDS} rounds"]
    after_sweeps = rooms(bucket.contents)
    claimed: list[Job] = []
    for turn in range(MOST_ROUNDS):
        before = _objects_of_jobs(bucket.contents)
        claimed += _worked_off(bucket, turn)
        if not _comes_to_rest(bucket):
            complaints.append(f"sweeps still change something after run {turn + 1}")
        if _objects_of_jobs(bucket.contents) == before:
            break
    else:
        complaints.append(f"there is work to do after {MOST_ROUNDS} runs that all succeeded")
    return Aftermath(left, after_sweeps, rooms(bucket.contents), claimed, complaints)


class Endless(Exception):
    """A client repeats its requests for ever."""


class _Limited(SimulatedBucket):
    """A bucket that stops an endless client."""

    def __init__(self, contents: Contents, start: datetime) -> None:
        super().__init__(start=start)
        self.contents = contents
        self._requests = 0

    def send(self, request: S3Request) -> S3Reply:
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            raise Endless(f"there is no end of it: the last request is {request}")
        return super().send(request)


def _comes_to_rest(bucket: SimulatedBucket) -> bool:
    for turn in range(MOST_ROUNDS):
        before = _objects_of_jobs(bucket.contents)
        with _context(bucket, f"last janitor {turn} {bucket.time}") as context:
            queue = queue_of(context)
            queue.reconcile()
            queue.sweep()
        bucket.advance(PAUSE)
        if _objects_of_jobs(bucket.contents) == before:
            return True
    return False


def _worked_off(bucket: SimulatedBucket, turn: int) -> list[Job]:
    with _context(bucket, f"last worker {turn} {bucket.time}") as context:
        queue = queue_of(context)
        claimed = queue.claim(WorkerId("last worker"))
        queue.service.end([Completed(job, "{}") for job in claimed])
    return claimed


def _objects_of_jobs(contents: Contents) -> set[tuple[str, str]]:
    return {(name, held.etag) for name, held in contents.objects.items() if not name.startswith(NOT_OF_JOBS)}


@contextmanager
def _context(bucket: SimulatedBucket, name: str) -> Iterator[ActorContext]:
    with dice.in_hand(name, bucket.now):
        yield ActorContext(name, bucket.objects(), lambda _what, _value: None, lambda _: None)
