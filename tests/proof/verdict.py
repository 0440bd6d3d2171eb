"""What must hold when a schedule is over: first of the bucket alone, then of what each actor was told."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from tests.proof.actors import FINAL, lease_name
from tests.proof.ending import Aftermath, aftermath_of
from tests.proof.explorer import Ending, Told, Written
from tests.proof.rooms import Rooms, disorder_in, generation_in
from tests.proof.stepper import Note

from blobforge.testing.simulated_bucket import Contents, Held

SECOND = " 2"
"""Behind the name of the second actor, where both do the same."""
_CHANCE = re.compile(rb'"(?:nonce|instance)":"[0-9a-f]*"|blobforge [0-9a-f]{16}|"[1-5]_[a-z]+": "[0-9a-f]{12}"')
IN_PROGRESS = ("held", "finalising")
ENDED = frozenset({"done", "dead", "purged", "absent"})


class Verdict:
    """Judges the endings of schedules about one document. Equal buckets have the same aftermath, which is run once."""

    def __init__(self, source_hash: str, start: Rooms, *, may_publish_late: bool = False) -> None:
        """`may_publish_late`: a worker frozen while it publishes cannot be stopped by a cancel that comes later."""
        self._hash = source_hash
        self._start = start
        self._may_publish_late = may_publish_late
        self._known: dict[object, Aftermath] = {}

    def on(self, ending: Ending) -> list[str]:
        after = self._aftermath(ending.world.contents, ending.now)
        return [
            *after.complaints,
            *of_publishing(ending.world.written),
            *of_order(after),
            *of_claims([note for actor in ending.actors for note in actor.notes], after),
            *self._of_promises(ending, after),
        ]

    def _aftermath(self, contents: Contents, now: datetime) -> Aftermath:
        key = (frozenset((name, *_without_chance(held)) for name, held in contents.objects.items()), now)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = aftermath_of(contents, now, [self._hash])
        return known

    def _of_promises(self, ending: Ending, after: Aftermath) -> Iterable[str]:
        told = {note.what for actor in ending.actors for note in actor.notes}
        names = {actor.name.removesuffix(SECOND) for actor in ending.actors}
        start, drained, left = self._start, after.drained[self._hash], after.left[self._hash]
        if (not start.is_empty or "ingested" in told) and drained.state == "absent":
            yield "the job is lost"
        if drained.state == "dead" and not self._may_be_dead(drained, names):
            yield f"it is dead after {drained.records[-1].attempts} attempts, and nobody wanted that"
        if "completed" in told and drained.out == 0:
            yield "a worker was told that it is completed, and nothing is published"
        if "retried" in told and not names & {"cancel", "forget"} and drained.out <= start.out:
            yield f"a retry was promised, and there is no result of it: it is {drained.state}"
        if "cancelled" in told and not names & {"retry", "ingest"} and after.claimed:
            yield "a cancel was promised, and the job runs again"
        if "cancelled" in told and "retry" not in names and ending.world.written and not self._may_publish_late:
            yield "a cancel was promised, and a result is published all the same"
        if left.state in IN_PROGRESS and not any(_may_be_at_it(actor) for actor in ending.actors):
            yield f"it is {left.state}, and everyone has gone home"
        if "forgotten" in told and not names & {"retry", "ingest"} and drained.state not in ("purged", "absent"):
            yield f"the job was forgotten, and it is {drained.state}"

    def _may_be_dead(self, drained: Rooms, names: set[str]) -> bool:
        last = drained.records[-1]
        if last.is_cancelled:
            return "cancel" in names or self._start.state == "dead"
        return last.attempts >= last.max_attempts or last.error_code == FINAL.code


def _may_be_at_it(actor: Told) -> bool:
    """It was gone before its end, or was left without an answer."""
    return not actor.is_over or any(note.what == "asked again" for note in actor.notes)


def _without_chance(held: Held) -> tuple[object, ...]:
    """Without what no later step depends on."""
    return _CHANCE.sub(b"", held.body), tuple(fact for fact in held.metadata if fact[0] != "nonce")


def of_publishing(written: Sequence[Written]) -> list[str]:
    generations = [generation_in(write.metadata) for write in written]
    twice = [generation for generation, times in Counter(generations).items() if times > 1]
    complaints = [f"generation {generation} was published twice" for generation in twice]
    if generations != sorted(generations):
        complaints.append(f"a result was replaced by an older one: generations {generations}")
    return complaints


def of_order(after: Aftermath) -> list[str]:
    complaints = [complaint for rooms in after.swept.values() for complaint in disorder_in(rooms)]
    stuck = [rooms.state for rooms in after.drained.values() if rooms.state not in ENDED]
    return complaints + [f"a healthy worker does not finish it: it stays {state}" for state in stuck]


def of_claims(notes: Sequence[Note], after: Aftermath) -> list[str]:
    claimed = [note.value for note in notes if note.what == "claimed"] + [lease_name(job) for job in after.claimed]
    twice = [lease for lease, times in Counter(claimed).items() if times > 1]
    over = [note.value for note in notes if note.what == "over budget"]
    return [f"{lease} was given twice" for lease in twice] + [f"{lease} is over its budget" for lease in over]
