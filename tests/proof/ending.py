"""A fair ending: the faults are over, janitors look until nothing moves, and one healthy worker does what there is."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tests.proof import dice
from tests.proof.explorer import PAUSE
from tests.proof.puppet import Seat
from tests.proof.queue import desk_of
from tests.proof.rooms import Rooms, rooms_of

from blobforge.domain.endings import Completed
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.testing.simulated_bucket import Contents, SimulatedBucket

MOST_ROUNDS = 12
NEWS = ("queue/hint", "registry/")
"""Names whose change is no move of a job."""


RoomsByHash = dict[str, Rooms]


class Aftermath(NamedTuple):
    left: RoomsByHash
    """As the actors left it."""
    swept: RoomsByHash
    """After the janitors."""
    drained: RoomsByHash
    """After the worker."""
    claimed: list[Job]
    """By the worker."""
    complaints: list[str]


def aftermath_of(contents: Contents, now: datetime, hashes: Sequence[str]) -> Aftermath:
    def rooms(at: Contents) -> RoomsByHash:
        return {source_hash: rooms_of(at, source_hash) for source_hash in hashes}

    bucket = SimulatedBucket(start=now + PAUSE)
    bucket.contents = contents
    complaints = [] if _comes_to_rest(bucket) else [f"janitors still move things after {MOST_ROUNDS} looks"]
    after_sweeps = rooms(bucket.contents)
    claimed: list[Job] = []
    for turn in range(MOST_ROUNDS):
        job = _worked_off(bucket, turn)
        if job is None:
            break
        claimed.append(job)
    else:
        complaints.append(f"it is claimed again after {MOST_ROUNDS} runs that all succeeded")
    if not _comes_to_rest(bucket):
        complaints.append("janitors do not come to rest after the last run")
    return Aftermath(rooms(contents), after_sweeps, rooms(bucket.contents), claimed, complaints)


def _comes_to_rest(bucket: SimulatedBucket) -> bool:
    for turn in range(MOST_ROUNDS):
        before = _moved_by_jobs(bucket.contents)
        with _seat(bucket, f"last janitor {turn} {bucket.time}") as seat:
            desk = desk_of(seat)
            desk.mend()
            desk.sweep()
        bucket.advance(PAUSE)
        if _moved_by_jobs(bucket.contents) == before:
            return True
    return False


def _worked_off(bucket: SimulatedBucket, turn: int) -> Job | None:
    with _seat(bucket, f"last worker {turn} {bucket.time}") as seat:
        desk = desk_of(seat)
        claimed = desk.claim(WorkerId("last worker"))
        for job in claimed:
            desk.service.settle([Completed(job, "{}")])
    return claimed[0] if claimed else None


def _moved_by_jobs(contents: Contents) -> set[tuple[str, str]]:
    return {(name, held.etag) for name, held in contents.objects.items() if not name.startswith(NEWS)}


class _seat:  # noqa: N801 - it reads as a phrase where it is used
    """A seat whose requests all arrive."""

    def __init__(self, bucket: SimulatedBucket, name: str) -> None:
        self._seat = Seat(name, bucket.objects(), lambda _what, _value: None, lambda _: None)
        self._hand = dice.in_hand(name, bucket.now)

    def __enter__(self) -> Seat:
        self._hand.__enter__()
        return self._seat

    def __exit__(self, *problem: object) -> None:
        self._hand.__exit__(None, None, None)
