"""Random schedules: three to eleven actors on several documents, several faults, wrong clocks, in virtual time.

Everything is drawn from the seed, so that a schedule that fails can be played again.
"""

import random
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from tests.proof import actors
from tests.proof.actors import patiently
from tests.proof.ending import Aftermath, aftermath_of
from tests.proof.harness import Harness, Role, TooLong
from tests.proof.queue import QUEUE, queue_of
from tests.proof.rooms import OUT
from tests.proof.stepper import ActorContext, Note
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
    harness = Harness(
        SimulatedBucket(),
        roles,
        seed=seed,
        faults=chance.randint(0, MOST_FAULTS),
        watched=lambda key: key.startswith(OUT),
        check=wrong_with,
    )
    try:
        harness.run()
    except TooLong as problem:
        return Scheduled(seed, len(harness.log), [str(problem)], harness.log)
    return Scheduled(seed, len(harness.log), _judged(harness, documents), harness.log)


def _drawn(chance: random.Random, documents: list[str]) -> list[Role]:
    count = chance.randint(FEWEST_ACTORS, MOST_ACTORS)
    kinds = chance.choices(list(_KINDS), weights=[weight for weight, _ in _KINDS.values()], k=count - 2)
    scripts = [("ingest", actors.ingest), ("worker", busy_worker), *((kind, _KINDS[kind][1]) for kind in kinds)]
    return [_role(chance, place, kind, script, documents) for place, (kind, script) in enumerate(scripts)]


def _role(chance: random.Random, place: int, kind: str, script: Callable[..., None], documents: list[str]) -> Role:
    name = f"{kind} {place}"
    if kind in ("worker", "janitor"):
        return Role(name, script, begins_within=WITHIN_SECONDS)
    if kind == "recovery":
        return Role(name, partial(script, of=f"worker {chance.randrange(MOST_ACTORS)}"), begins_within=WITHIN_SECONDS)
    if kind == "ingest" and place == 0:
        return Role(name, partial(_ingest_all, documents=documents), begins_within=1)
    return Role(name, partial(script, document=chance.choice(documents)), begins_within=WITHIN_SECONDS)


def _ingest_all(context: ActorContext, *, documents: list[str]) -> None:
    for document in documents:
        actors.ingest(context, document=document)


def busy_worker(context: ActorContext) -> None:
    """Claims job after job. It is slow at times, and fails at times."""
    queue, chance = queue_of(context), random.Random(context.name)
    for _ in range(6):
        claimed = patiently(context, lambda: queue.service.claim(QUEUE, worker_id=WorkerId(context.name)))
        if not claimed:
            context.sleep(chance.uniform(10, 600))
        for job in claimed or []:
            ending = chance.choices(_ENDINGS, weights=[5, 3, 1, 1])[0]
            actors.work_on(
                context, queue.service, job, ending, beats=chance.randrange(4), seconds=chance.uniform(10, 600)
            )


def _fails(job: Job) -> Ending:
    return Failed(job, actors.PASSING)


def _fails_for_good(job: Job) -> Ending:
    return Failed(job, actors.FINAL)


def _succeeds(job: Job) -> Ending:
    return Completed(job, "{}")


_ENDINGS: list[Callable[[Job], Ending]] = [_succeeds, _fails, _fails_for_good, Released]


def janitor(context: ActorContext) -> None:
    queue = queue_of(context)
    for _ in range(4):
        patiently(context, queue.reconcile)
        patiently(context, queue.sweep)
        context.sleep(600)


_KINDS: dict[str, tuple[int, Callable[..., None]]] = {
    "worker": (6, busy_worker),
    "janitor": (4, janitor),
    "recovery": (1, actors.recovery),
    "ingest": (2, actors.ingest),
    "cancel": (2, actors.cancel),
    "requeue": (1, actors.requeue),
    "retry": (3, actors.retry),
    "retry left": (1, actors.retry_with_what_is_left),
    "promote": (1, partial(actors.reprioritise, to=Priority.CRITICAL)),
    "demote": (1, partial(actors.reprioritise, to=Priority.BACKGROUND)),
    "forget": (1, actors.forget),
}
"""With how often each is drawn."""


def _judged(harness: Harness, documents: list[str]) -> list[str]:
    hashes = [str(hash_of(document)) for document in documents]
    after = aftermath_of(harness.bucket.contents, harness.bucket.time + timedelta(minutes=1), hashes)
    notes = [note for actor in harness.actors for note in actor.notes]
    broken = [f"{actor.name} breaks down: {actor.error}" for actor in harness.actors if actor.error]
    complaints = [*harness.complaints, *broken, *after.complaints, *of_order(after), *of_claims(notes, after)]
    for source_hash in hashes:
        complaints += of_publishing([write for write in harness.written if source_hash in write.key])
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
