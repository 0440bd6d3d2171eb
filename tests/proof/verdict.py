"""What must hold when a play is over: first of the bucket alone, then of what each actor was told."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from tests.proof.cast import FINAL
from tests.proof.ending import Aftermath, aftermath_of
from tests.proof.explorer import Ending, Told, Written
from tests.proof.replay import Note
from tests.proof.rooms import Rooms, disorder_in, generation_in, rooms_of

from blobforge.testing.simulated_bucket import Contents, Held

SECOND = " 2"
"""Behind the name of the second actor, where both do the same."""
_CHANCE = re.compile(rb'"(?:nonce|instance)":"[0-9a-f]*"|blobforge [0-9a-f]{16}|"[1-5]_[a-z]+": "[0-9a-f]{12}"')
ENDED = frozenset({"done", "dead", "purged", "absent"})


class Verdict:
    """Judges the endings of plays about one document. Equal buckets have the same aftermath, which is run once."""

    def __init__(self, source_hash: str, start: Rooms) -> None:
        self._hash = source_hash
        self._start = start
        self._known: dict[object, Aftermath] = {}

    def on(self, ending: Ending) -> list[str]:
        after = self._aftermath(ending.world.contents, ending.now)
        return [
            *after.complaints,
            *_of_publishing(ending.world.written),
            *self._of_order(after),
            *self._of_claims(ending.actors, after),
            *self._of_promises(ending, after),
        ]

    def _aftermath(self, contents: Contents, now: datetime) -> Aftermath:
        key = (frozenset((name, *_without_chance(held)) for name, held in contents.objects.items()), now)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = aftermath_of(contents, now, rooms=lambda one: rooms_of(one, self._hash))
        return known

    def _of_order(self, after: Aftermath) -> list[str]:
        complaints = disorder_in(after.swept)
        if after.drained.state not in ENDED:
            complaints.append(f"a healthy worker does not finish it: it stays {after.drained.state}")
        return complaints

    def _of_claims(self, actors: Sequence[Told], after: Aftermath) -> list[str]:
        numbers = [*_values(actors, "claimed"), *after.claimed]
        twice = [number for number, times in Counter(numbers).items() if times > 1]
        complaints = [f"lease {number} was given twice" for number in twice]
        return complaints + [f"attempt {number} is over its budget" for number in _values(actors, "over budget")]

    def _of_promises(self, ending: Ending, after: Aftermath) -> Iterable[str]:
        told = {note.what for actor in ending.actors for note in actor.notes}
        names = {actor.name.removesuffix(SECOND) for actor in ending.actors}
        start, drained, was_done = self._start, after.drained, bool(ending.world.written)
        if (not start.is_empty or "ingested" in told) and drained.state == "absent":
            yield "the job is lost"
        if drained.state == "dead" and not self._may_be_dead(drained, names):
            yield f"it is dead after {drained.cells[-1].attempts} attempts, and nobody wanted that"
        if "completed" in told and drained.out == 0:
            yield "a worker was told that it is completed, and nothing is published"
        if "retried" in told and not names & {"cancel", "forget"} and drained.out <= start.out:
            yield f"a retry was promised, and there is no result of it: it is {drained.state}"
        if "cancelled" in told and not names & {"retry", "ingest"} and after.claimed:
            yield "a cancel was promised, and the job runs again"
        if "cancelled" in told and not was_done and not start.out and drained.state == "done":
            yield "a cancel was promised, and its result was published by nobody who was at it"
        if "forgotten" in told and not names & {"retry", "ingest"} and drained.state not in ("purged", "absent"):
            yield f"the job was forgotten, and it is {drained.state}"

    def _may_be_dead(self, drained: Rooms, names: set[str]) -> bool:
        last = drained.cells[-1]
        if last.is_cancelled:
            return "cancel" in names or self._start.state == "dead"
        return last.attempts >= last.max_attempts or last.error_code == FINAL.code


def _without_chance(held: Held) -> tuple[object, ...]:
    """Without what no later step depends on."""
    return _CHANCE.sub(b"", held.body), tuple(fact for fact in held.metadata if fact[0] != "nonce")


def _of_publishing(written: Sequence[Written]) -> list[str]:
    generations = [generation_in(write.metadata) for write in written]
    twice = [generation for generation, times in Counter(generations).items() if times > 1]
    complaints = [f"generation {generation} was published twice" for generation in twice]
    if generations != sorted(generations):
        complaints.append(f"a result was replaced by an older one: generations {generations}")
    return complaints


def _values(actors: Sequence[Told], what: str) -> list[int]:
    notes: Iterable[Note] = (note for actor in actors for note in actor.notes)
    return [note.value for note in notes if note.what == what and isinstance(note.value, int)]
