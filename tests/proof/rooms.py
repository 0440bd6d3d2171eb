"""The objects of a document, parsed independently of the queue: the checker must not share its bugs."""

import json
from typing import NamedTuple

from blobforge.testing.simulated_bucket import Contents

TIERS = ("1_critical", "2_high", "3_normal", "4_low", "5_background")
TODO, CELLS, OUT = "queue/todo/", "queue/processing/", "store/out/"


class CellSeen(NamedTuple):
    generation: int
    state: str
    priority: str
    attempts: int
    max_attempts: int
    is_cancelled: bool
    error_code: str | None
    lease_number: int


class Rooms(NamedTuple):
    """All that tells of one document."""

    todo: tuple[str, ...]
    """The tiers in which it waits."""
    failed: bool
    dead: bool
    records: tuple[CellSeen, ...]
    """In the order of their generations."""
    out: int
    """The generation of what is published; 0 for nothing."""

    @property
    def is_empty(self) -> bool:
        return self == NOTHING

    @property
    def state(self) -> str:
        if self.records and self.records[-1].generation > self.out:
            return self.records[-1].state
        if self.out:
            return "done"
        return "fresh" if self.todo else "absent"


NOTHING = Rooms((), failed=False, dead=False, records=(), out=0)


def rooms_of(contents: Contents, source_hash: str) -> Rooms:
    # An empty record or result is what a cut write has left.
    names = {name: held for name, held in contents.objects.items() if held.body or not name.startswith((CELLS, OUT))}
    records = [
        _cell(names[name].body, name)
        for name in names
        if name.startswith(CELLS + source_hash) and name.removeprefix(CELLS + source_hash)[:2] in ("", ".g")
    ]
    out = names.get(f"{OUT}{source_hash}.zip")
    return Rooms(
        todo=tuple(tier for tier in TIERS if f"{TODO}{tier}/{source_hash}" in names),
        failed=f"queue/failed/{source_hash}" in names,
        dead=f"queue/dead/{source_hash}" in names,
        records=tuple(sorted(records)),
        out=generation_in(out.metadata) if out is not None else 0,
    )


def generation_in(metadata: tuple[tuple[str, str], ...]) -> int:
    return int(dict(metadata).get("generation", "1"))


def disorder_in(rooms: Rooms) -> list[str]:
    """What is wrong with a job that no worker holds, after sweeps."""
    state, last = rooms.state, rooms.records[-1] if rooms.records else None
    wanted = {
        "absent": ((), False, False),
        "done": ((), False, False),
        "purged": ((), False, False),
        "failed": ((), True, False),
        "dead": ((), False, True),
        "pending": ((last.priority,) if last else (), False, False),
        "fresh": (rooms.todo[:1], False, False),
    }.get(state)
    if wanted is None:
        return [f"it is stuck as {state}"]
    complaints = []
    if (rooms.todo, rooms.failed, rooms.dead) != wanted:
        complaints.append(
            f"it is {state}, and its markers are todo {rooms.todo}, failed {rooms.failed}, dead {rooms.dead}"
        )
    if state == "done" and rooms.records:
        complaints.append(
            f"it is done, and there are records of generations {[record.generation for record in rooms.records]}"
        )
    return complaints


def _cell(body: bytes, name: str) -> CellSeen:
    facts = json.loads(body)
    job = facts.get("job", {})
    return CellSeen(
        int(name.rpartition(".g")[2]) if ".g" in name else 1,
        facts["state"],
        facts["priority"],
        int(job["attempts"]),
        int(job["max_attempts"]),
        job["state"] == "cancelled",
        job.get("error_code"),
        int(job["lease_number"]),
    )
