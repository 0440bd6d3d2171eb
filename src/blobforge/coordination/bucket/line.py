"""The waiting jobs of one lane, as far as this process has looked: what is listed is used up before it lists again.

Tiers are strict: nothing of a tier is offered while a more urgent one may have something free. Within a tier that one
page does not hold, every worker begins at a place of its own and walks round from there, so that many workers seldom
meet; who meets another one goes elsewhere.
"""

import random
from collections.abc import Callable, Container
from datetime import datetime, timedelta
from typing import NamedTuple

from blobforge.coordination.bucket.hint import Tokens
from blobforge.coordination.bucket.names import TIERS, Lane, parse_waiting
from blobforge.coordination.bucket.objects import Objects
from blobforge.objectstore.client import ObjectFacts

PAGE = 64
"""So many markers are looked at together: few enough that most are still free when their turn comes."""
FULL_LOOK = timedelta(seconds=300)
"""A hint may be lost; so often at least the line is listed whatever it says, a little more or less by chance."""
MISSES = 2
"""A page on which so many jobs turned out to be others' is left."""
_LAST = "~"
"""Behind every hash."""


class Candidate(NamedTuple):
    lane: Lane
    priority: int
    source_hash: str
    etag: str
    modified: datetime

    @property
    def name(self) -> str:
        return self.lane.waiting(self.priority, self.source_hash)


class _Walk(NamedTuple):
    """Round a tier: from `start` to its end, then from its beginning to `start`."""

    priority: int
    start: str
    at: str
    has_turned: bool


class _Halt(NamedTuple):
    """A walk that was left for something more urgent, with what was at hand."""

    walk: _Walk
    found: list[Candidate]


class _Taken(NamedTuple):
    """A marker of a job that another worker holds at least until then, unless it lets go of it and writes a new one."""

    etag: str
    until: datetime


class Line:
    def __init__(self, objects: Objects, lane: Lane, *, roll: Callable[[], float] = random.random) -> None:
        self._objects = objects
        self._lane = lane
        self._roll = roll
        self._tokens: Tokens | None = None
        self._found: list[Candidate] = []
        self._taken: dict[str, _Taken] = {}
        self._walk: _Walk | None = None
        self._halted: _Halt | None = None
        self._misses = 0
        self._after: str | None = ""
        """Where the next listing begins; None when the end was seen."""
        self._looked_at: datetime | None = None
        self._wait = FULL_LOOK
        self.has_met_others = False
        self.is_whole_tier = True

    def look(self, tokens: Tokens) -> None:
        """Begins anew if there is news more urgent than what is at hand, or if the last look is long ago."""
        is_news = self._tokens is None or any(
            tokens.get(tier) != self._tokens.get(tier) for tier in range(1, self._urgency())
        )
        if is_news or self._is_due():
            self._tokens = tokens
            self._begin()

    def offers(self, *, besides: Container[str] = ()) -> list[Candidate]:
        """The free ones of the most urgent tier that has any; lists on until one is found or the end is seen.

        `besides` are names that the caller has no use for now.
        """
        while True:
            free = [candidate for candidate in self._found if candidate.name not in besides]
            if free or self._after is None:
                return [candidate for candidate in free if candidate.priority == free[0].priority]
            self._list_on()

    def claimed(self, candidate: Candidate) -> None:
        self._remove(candidate)

    def missed(self, candidate: Candidate) -> None:
        """It was gone: whoever took it may be at work on the rest of the page."""
        self._remove(candidate)
        self._note_miss()

    def met(self, candidate: Candidate, *, until: datetime) -> None:
        """Another worker has it: its marker stays, and is not offered again before that one's lease is over."""
        self._remove(candidate)
        self._taken[candidate.source_hash] = _Taken(candidate.etag, until)
        self.has_met_others = True
        self._note_miss()

    def add(self, candidate: Candidate) -> None:
        """A job that this process itself has just made free."""
        self._taken.pop(candidate.source_hash, None)
        if self._tokens is None:
            return  # the first listing will find it
        kept = [other for other in self._found if other.source_hash != candidate.source_hash]
        if not kept or candidate.priority <= kept[-1].priority or self._after is None:
            self._found = sorted([*kept, candidate], key=lambda other: other.priority)

    def _urgency(self) -> int:
        """The tier that is being worked on: news of it and of less urgent ones can wait."""
        if self._found:
            return self._found[0].priority
        return self._walk.priority if self._walk is not None else len(TIERS) + 1

    def _is_due(self) -> bool:
        """By the bucket's time; when that was set back, at once."""
        if self._looked_at is None:
            return True
        return not self._looked_at <= self._objects.now() < self._looked_at + self._wait

    def _begin(self) -> None:
        now = self._objects.now()
        if self._walk is not None:
            kept = [candidate for candidate in self._found if candidate.priority == self._walk.priority]
            self._halted = _Halt(self._walk, kept)
        self._found, self._walk, self._after = [], None, ""
        self._taken = {name: taken for name, taken in self._taken.items() if now < taken.until}
        self.has_met_others = False
        self._looked_at, self._wait = now, FULL_LOOK * (0.75 + self._roll() / 2)

    def _list_on(self) -> None:
        if self._walk is not None:
            self._walk_on(self._walk)
            return
        listed = self._objects.page(self._lane.todo, after=self._after or None, limit=PAGE)
        markers = self._markers(listed)
        self.is_whole_tier = True
        if len(listed) < PAGE:
            self._after = None
        elif markers and markers[0].priority == markers[-1].priority:
            self._set_out(markers[0].priority)
            return
        else:
            # The last tier of the page may go on behind it: it has a page of its own later.
            markers = [marker for marker in markers if marker.priority != markers[-1].priority] or markers
            self._after = self._end_of(markers[-1].priority) if markers else listed[-1].name
        self._found += self._free(markers)

    def _walk_on(self, walk: _Walk) -> None:
        tier = f"{self._lane.todo}{TIERS[walk.priority - 1]}/"
        listed = self._objects.page(tier, after=walk.at, limit=PAGE)
        markers = self._markers(listed)
        self._misses = 0
        if walk.has_turned:
            markers = [marker for marker in markers if marker.name <= walk.start]
        self._found += self._free(markers)
        if len(listed) == PAGE and (not walk.has_turned or listed[-1].name <= walk.start):
            self._walk = walk._replace(at=listed[-1].name)
        elif not walk.has_turned:
            self._walk = walk._replace(at=tier, has_turned=True)
        else:
            self._walk, self._after = None, self._end_of(walk.priority)

    def _set_out(self, priority: int) -> None:
        """Where we left off, or at a place of our own."""
        halted, self._halted, self._misses = self._halted, None, 0
        self.is_whole_tier = False
        if halted is not None and halted.walk.priority == priority:
            self._walk = halted.walk
            self._found += halted.found
            return
        name = f"{self._lane.todo}{TIERS[priority - 1]}/{self._random_start()}"
        self._walk = _Walk(priority, name, name, has_turned=False)

    def _note_miss(self) -> None:
        """Where another worker is at work, its next jobs are the same as ours."""
        self._misses += 1
        if self._walk is not None and self._misses >= MISSES:
            self._found = [candidate for candidate in self._found if candidate.priority < self._walk.priority]
            self._set_out(self._walk.priority)

    def _random_start(self) -> str:
        return f"{int(self._roll() * 16**8):08x}"

    def _end_of(self, priority: int) -> str:
        return f"{self._lane.todo}{TIERS[priority - 1]}/{_LAST}"

    def _markers(self, listed: list[ObjectFacts]) -> list[Candidate]:
        """What is no marker of ours is passed over; the janitor names it."""
        return [
            Candidate(self._lane, *name, facts.etag, facts.modified)
            for facts in listed
            if (name := parse_waiting(facts.name)) is not None
        ]

    def _free(self, markers: list[Candidate]) -> list[Candidate]:
        return [marker for marker in markers if not self._is_taken(marker)]

    def _is_taken(self, marker: Candidate) -> bool:
        taken = self._taken.get(marker.source_hash)
        return taken is not None and taken.etag == marker.etag

    def _remove(self, candidate: Candidate) -> None:
        self._found = [other for other in self._found if other.source_hash != candidate.source_hash]
