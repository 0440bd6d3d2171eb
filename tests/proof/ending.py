"""A fair ending: the faults are over, janitors look until nothing moves, and one healthy worker does what there is."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from tests.proof import dice
from tests.proof.explorer import PAUSE
from tests.proof.queue import QUEUE, queue_of, swept
from tests.proof.replay import Seat
from tests.proof.rooms import Rooms

from blobforge.domain.endings import Completed
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.testing.simulated_bucket import Contents, SimulatedBucket

MOST_ROUNDS = 12
NEWS = ("queue/hint", "registry/")
"""Names whose change is no move of a job."""


class Aftermath(NamedTuple):
    swept: Rooms
    """After the janitors."""
    drained: Rooms
    """After the worker."""
    claimed: list[int]
    """The numbers of the leases that it got."""
    complaints: list[str]


def aftermath_of(contents: Contents, now: datetime, *, rooms: Callable[[Contents], Rooms]) -> Aftermath:
    bucket = SimulatedBucket(start=now + PAUSE)
    bucket.contents = contents
    complaints = [] if _comes_to_rest(bucket) else [f"janitors still move things after {MOST_ROUNDS} looks"]
    after_sweeps = rooms(bucket.contents)
    claimed: list[int] = []
    for turn in range(MOST_ROUNDS):
        job = _worked_off(bucket, turn)
        if job is None:
            break
        claimed.append(job.lease_number)
    else:
        complaints.append(f"it is claimed again after {MOST_ROUNDS} runs that all succeeded")
    if not _comes_to_rest(bucket):
        complaints.append("janitors do not come to rest after the last run")
    return Aftermath(after_sweeps, rooms(bucket.contents), claimed, complaints)


def _comes_to_rest(bucket: SimulatedBucket) -> bool:
    for turn in range(MOST_ROUNDS):
        before = _moved_by_jobs(bucket.contents)
        with _seat(bucket, f"last janitor {turn} {bucket.time}") as seat:
            swept(seat)
        bucket.advance(PAUSE)
        if _moved_by_jobs(bucket.contents) == before:
            return True
    return False


def _worked_off(bucket: SimulatedBucket, turn: int) -> Job | None:
    with _seat(bucket, f"last worker {turn} {bucket.time}") as seat:
        service = queue_of(seat)
        claimed = service.claim(QUEUE, worker_id=WorkerId("last worker"))
        for job in claimed:
            service.settle([Completed(job, "{}")])
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
