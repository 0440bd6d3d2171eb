"""Random schedules: three to eleven actors on several documents, several faults, wrong clocks, in virtual time.

Everything is drawn from the seed, so that a schedule that fails can be played again.
"""

import random
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from tests.proof import cast
from tests.proof.cast import patiently
from tests.proof.ending import Aftermath, aftermath_of
from tests.proof.puppet import Note, Seat
from tests.proof.queue import QUEUE, desk_of
from tests.proof.rooms import OUT
from tests.proof.stage import Role, Stage, TooLong
from tests.proof.verdict import of_claims, of_order, of_publishing
from tests.proof.writes import wrong_with

from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.domain.priority import Priority
from blobforge.testing.builders import hash_of
from blobforge.testing.simulated_bucket import SimulatedBucket

FEWEST_ACTORS, MOST_ACTORS = 3, 11
MOST_DOCUMENTS = 4
MOST_FAULTS = 8
WITHIN_SECONDS = 3_000.0
"""In so much time the actors begin."""


class Scheduled(NamedTuple):
    seed: int
    steps: int
    complaints: list[str]
    log: list[str]


def scheduled(seed: int) -> Scheduled:
    chance = random.Random(seed)
    documents = [f"document {number}" for number in range(chance.randint(1, MOST_DOCUMENTS))]
    roles = _drawn(chance, documents)
    stage = Stage(
        SimulatedBucket(),
        roles,
        seed=seed,
        faults=chance.randint(0, MOST_FAULTS),
        watched=lambda key: key.startswith(OUT),
        check=wrong_with,
    )
    try:
        stage.run()
    except TooLong as problem:
        return Scheduled(seed, len(stage.log), [str(problem)], stage.log)
    return Scheduled(seed, len(stage.log), _judged(stage, documents), stage.log)


def _drawn(chance: random.Random, documents: list[str]) -> list[Role]:
    count = chance.randint(FEWEST_ACTORS, MOST_ACTORS)
    kinds = chance.choices(list(_KINDS), weights=[weight for weight, _ in _KINDS.values()], k=count - 2)
    plays = [("ingest", cast.ingest), ("worker", busy_worker), *((kind, _KINDS[kind][1]) for kind in kinds)]
    return [_role(chance, place, kind, play, documents) for place, (kind, play) in enumerate(plays)]


def _role(chance: random.Random, place: int, kind: str, play: Callable[..., None], documents: list[str]) -> Role:
    name = f"{kind} {place}"
    if kind in ("worker", "janitor"):
        return Role(name, play, begins_within=WITHIN_SECONDS)
    if kind == "recovery":
        return Role(name, partial(play, of=f"worker {chance.randrange(MOST_ACTORS)}"), begins_within=WITHIN_SECONDS)
    if kind == "ingest" and place == 0:
        return Role(name, partial(_ingest_all, documents=documents), begins_within=1)
    return Role(name, partial(play, document=chance.choice(documents)), begins_within=WITHIN_SECONDS)


def _ingest_all(seat: Seat, *, documents: list[str]) -> None:
    for document in documents:
        cast.ingest(seat, document=document)


def busy_worker(seat: Seat) -> None:
    """Claims job after job. It is slow at times, and fails at times."""
    desk, chance = desk_of(seat), random.Random(seat.name)
    for _ in range(6):
        claimed = patiently(seat, lambda: desk.service.claim(QUEUE, worker_id=WorkerId(seat.name)))
        if not claimed:
            seat.sleep(chance.uniform(10, 600))
        for job in claimed or []:
            ending = chance.choices(_ENDINGS, weights=[5, 3, 1, 1])[0]
            cast.work_on(seat, desk.service, job, ending, beats=chance.randrange(4), seconds=chance.uniform(10, 600))


def _fails(job: Job) -> Ending:
    return Failed(job, cast.PASSING)


def _fails_for_good(job: Job) -> Ending:
    return Failed(job, cast.FINAL)


def _succeeds(job: Job) -> Ending:
    return Completed(job, "{}")


_ENDINGS: list[Callable[[Job], Ending]] = [_succeeds, _fails, _fails_for_good, Released]


def janitor(seat: Seat) -> None:
    desk = desk_of(seat)
    for _ in range(4):
        patiently(seat, desk.reconcile)
        patiently(seat, desk.sweep)
        seat.sleep(600)


_KINDS: dict[str, tuple[int, Callable[..., None]]] = {
    "worker": (6, busy_worker),
    "janitor": (4, janitor),
    "recovery": (1, cast.recovery),
    "ingest": (2, cast.ingest),
    "cancel": (2, cast.cancel),
    "requeue": (1, cast.requeue),
    "retry": (3, cast.retry),
    "retry left": (1, cast.retry_with_what_is_left),
    "promote": (1, partial(cast.reprioritise, to=Priority.CRITICAL)),
    "demote": (1, partial(cast.reprioritise, to=Priority.BACKGROUND)),
    "forget": (1, cast.forget),
}
"""With how often each is drawn."""


def _judged(stage: Stage, documents: list[str]) -> list[str]:
    hashes = [str(hash_of(document)) for document in documents]
    after = aftermath_of(stage.bucket.contents, stage.bucket.time + timedelta(minutes=1), hashes)
    notes = [note for actor in stage.actors for note in actor.notes]
    broken = [f"{actor.name} breaks down: {actor.error}" for actor in stage.actors if actor.error]
    complaints = [*stage.complaints, *broken, *after.complaints, *of_order(after), *of_claims(notes, after)]
    for source_hash in hashes:
        complaints += of_publishing([write for write in stage.written if source_hash in write.key])
        complaints += _lost(source_hash, notes, after)
    return complaints


def _lost(source_hash: str, notes: list[Note], after: Aftermath) -> list[str]:
    told = {note.what for note in notes if note.value is not None and note.value.startswith(source_hash[:8])}
    state = after.drained[source_hash].state
    if "ingested" in told and state == "absent":
        return [f"{source_hash[:8]} is lost"]
    if state == "purged" and "forgotten" not in told and not any(note.what == "asked again" for note in notes):
        return [f"{source_hash[:8]} is forgotten, and nobody wanted that"]
    if "completed" in told and not after.drained[source_hash].out:
        return [f"{source_hash[:8]} was completed, and nothing is published"]
    return []
