"""The waiting jobs of one lane, as far as this process has looked: what is listed is used up before it lists again.

Tiers are strict: nothing of a tier is offered while a more urgent one may have something free. Where a tier holds many
jobs, every worker begins at a place of its own and goes on from there, so that many workers seldom meet; who finds the
tracks of another one goes elsewhere.
"""

import random
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from blobforge.coordination.bucket.change_token import ChangeTokens
from blobforge.coordination.bucket.names import TIERS, Lane, parse_record_name, parse_waiting
from blobforge.coordination.bucket.objects import Objects
from blobforge.objectstore.client import PAGE, ObjectFacts

FEW = 64
"""A tier of so many jobs is taken in the order of their age, or at random where workers are many."""
FULL_LOOK = timedelta(minutes=6)
"""A hint may be lost; so often at least the line is listed whatever it says, a little more or less by chance."""
UNSUITED_FOR = timedelta(days=1)
_LAST = "~"
"""Behind every hash."""


class Candidate(NamedTuple):
    lane: Lane
    priority: int
    source_hash: str
    etag: str
    modified: datetime
    generation: int = 0
    """The generation of its record, where one was listed: it may be running."""

    @property
    def name(self) -> str:
        return self.lane.waiting(self.priority, self.source_hash)


class _Scan(NamedTuple):
    """Round a tier: from `start` to its end, then from its beginning to `start`."""

    priority: int
    start: str
    at: str
    has_turned: bool


class _SuspendedScan(NamedTuple):
    """A walk that was left for something more urgent, with what was at hand."""

    walk: _Scan
    found: list[Candidate]


class _NotBefore(NamedTuple):
    """A marker that is of no use before that time, unless it is written anew."""

    etag: str
    until: datetime


class TodoScanner:
    def __init__(self, objects: Objects, lane: Lane, *, roll: Callable[[], float] = random.random) -> None:
        self._objects = objects
        self._lane = lane
        self._roll = roll
        self._tokens: ChangeTokens | None = None
        self._found: list[Candidate] = []
        self._few: frozenset[int] = frozenset()
        """The tiers at hand that were listed whole and hold few jobs."""
        self._taken: dict[str, _NotBefore] = {}
        self._records: dict[str, int] = {}
        self._is_crowded = False
        self._walk: _Scan | None = None
        self._halted: _SuspendedScan | None = None
        self._is_page_full = False
        self._after: str | None = ""
        """Where the next listing begins; None when the end was seen."""
        self._looked_at: datetime | None = None
        self._wait = FULL_LOOK
        self.has_met_others = False

    @property
    def is_few(self) -> bool:
        """Of what is offered now."""
        return not self._found or self._found[0].priority in self._few

    def look(self, tokens: ChangeTokens) -> None:
        """Begins anew if there is news more urgent than what is at hand, or if the last look is long ago."""
        is_long_ago = self._is_long_ago()
        is_news = self._tokens is None or any(
            tokens.get(tier) != self._tokens.get(tier) for tier in range(1, self._urgency())
        )
        if is_news or is_long_ago:
            self._tokens = tokens
            self._begin()
        if is_long_ago:
            self._forget()

    def offers(self, *, besides: AbstractSet[str] = frozenset()) -> list[Candidate]:
        """The free ones of the most urgent tier that has any; lists on until one is found or the end is seen.

        `besides` are names that the caller has no use for now.
        """
        while True:
            # Names are made on demand, and a page has a thousand.
            free = [one for one in self._found if one.name not in besides] if besides else self._found
            if free and self._is_crowded:
                self._look_who_is_busy()
            elif free or self._after is None:
                urgent = [candidate for candidate in free if candidate.priority == free[0].priority]
                return [candidate for candidate in urgent if not candidate.generation] or urgent
            else:
                self._list_on()

    def on_claimed(self, candidate: Candidate, *, until: datetime) -> None:
        """Its marker stays while it runs."""
        self._remove(candidate)
        self._taken[candidate.source_hash] = _NotBefore(candidate.etag, until)

    def on_gone(self, candidate: Candidate) -> None:
        """It was gone: whoever took it is at work on the rest of what we know. A marker that is there and leads nowhere
        is left alone until it is written anew, or until the next look at everything."""
        self._remove(candidate)
        self._taken[candidate.source_hash] = _NotBefore(candidate.etag, self._objects.now())
        self._go_elsewhere(candidate.priority)

    def on_conflict(self, candidate: Candidate, *, until: datetime) -> None:
        """Another worker has it: its marker stays, and is not offered again before that one's lease is over."""
        self._remove(candidate)
        self._taken[candidate.source_hash] = _NotBefore(candidate.etag, until)
        self.has_met_others = True
        if candidate.priority in self._few:
            self._is_crowded = not candidate.generation
        else:
            self._go_elsewhere(candidate.priority)

    def on_unsuited(self, candidate: Candidate) -> None:
        """It is not for this worker, and is not looked at again unless its marker is written anew."""
        self._remove(candidate)
        self._taken[candidate.source_hash] = _NotBefore(candidate.etag, self._objects.now() + UNSUITED_FOR)

    def add(self, candidate: Candidate) -> None:
        """A job that this process itself has just made free."""
        self._taken.pop(candidate.source_hash, None)
        if self._tokens is None:
            return  # the first listing will find it
        kept = [other for other in self._found if other.source_hash != candidate.source_hash]
        known = kept[-1].priority if kept else self._walk.priority if self._walk is not None else 0
        # Of the tiers behind, others may be as urgent: the listing that comes to them finds it.
        if candidate.priority <= known or self._after is None:
            self._found = sorted([*kept, candidate], key=lambda other: other.priority)

    # When to begin anew

    def _urgency(self) -> int:
        """The tier that is being worked on: news of it and of less urgent ones can wait."""
        if self._found:
            return self._found[0].priority
        return self._walk.priority if self._walk is not None else len(TIERS) + 1

    def _is_long_ago(self) -> bool:
        """By the bucket's time, which is known to the second, and may be set back."""
        return self._looked_at is None or abs(self._objects.now() - self._looked_at) >= self._wait

    def _begin(self) -> None:
        if self._walk is not None:
            kept = [candidate for candidate in self._found if candidate.priority == self._walk.priority]
            self._halted = _SuspendedScan(self._walk, kept)
        self._found, self._walk, self._after = [], None, ""

    def _forget(self) -> None:
        """What was learned of others long ago."""
        now = self._objects.now()
        self._looked_at, self._wait = now, FULL_LOOK * (0.75 + self._roll() / 2)
        self._taken = {name: taken for name, taken in self._taken.items() if now < taken.until}
        self._records = {}
        self.has_met_others = False

    # Listing

    def _list_on(self) -> None:
        if self._walk is not None:
            self._walk_on(self._walk)
            return
        listed = self._objects.page(self._lane.todo, after=self._after or None)
        markers = self._markers(listed)
        if len(listed) < PAGE:
            self._after = None
        elif markers and markers[0].priority == markers[-1].priority:
            self._set_out(markers[0].priority)
            return
        else:
            # The last tier of the page may go on behind it: it has a page of its own later.
            markers = [marker for marker in markers if marker.priority != markers[-1].priority] or markers
            self._after = self._end_of(markers[-1].priority) if markers else listed[-1].name
        tiers = [list(tier) for _, tier in groupby(markers, key=lambda marker: marker.priority)]
        self._few = frozenset(tier[0].priority for tier in tiers if len(tier) <= FEW)
        for tier in tiers:
            first = 0 if len(tier) <= FEW else int(self._roll() * len(tier))
            self._found += self._free(tier[first:] + tier[:first])

    def _set_out(self, priority: int) -> None:
        """Where we left off, or at a place of our own."""
        halted, self._halted, self._few = self._halted, None, frozenset()
        if halted is not None and halted.walk.priority == priority:
            self._walk = halted.walk
            self._found += halted.found
            return
        name = f"{self._lane.todo}{TIERS[priority - 1]}/{int(self._roll() * 16**8):08x}"
        self._walk = _Scan(priority, name, name, has_turned=False)

    def _walk_on(self, walk: _Scan) -> None:
        tier = f"{self._lane.todo}{TIERS[walk.priority - 1]}/"
        listed = self._objects.page(tier, after=walk.at)
        markers = self._markers(listed)
        self._is_page_full = len(listed) == PAGE
        if walk.has_turned:
            markers = [marker for marker in markers if marker.name <= walk.start]
        elif walk.at == walk.start and markers:
            # Whoever emptied the stretch before this page is at work at its beginning.
            first = int(self._roll() * len(markers))
            walk, markers = walk._replace(start=markers[first - 1].name if first else walk.start), markers[first:]
        self._found += self._free(markers)
        if self._is_page_full and (not walk.has_turned or listed[-1].name <= walk.start):
            self._walk = walk._replace(at=listed[-1].name)
        elif not walk.has_turned:
            self._walk = walk._replace(at=tier, has_turned=True)
        else:
            self._walk, self._after = None, self._end_of(walk.priority)

    def _end_of(self, priority: int) -> str:
        return f"{self._lane.todo}{TIERS[priority - 1]}/{_LAST}"

    def _markers(self, listed: list[ObjectFacts]) -> list[Candidate]:
        """What is no marker of ours is passed over; the janitor names it."""
        return [
            Candidate(self._lane, *name, facts.etag, facts.modified, self._records.get(name.source_hash, 0))
            for facts in listed
            if (name := parse_waiting(facts.name)) is not None
        ]

    def _free(self, markers: list[Candidate]) -> list[Candidate]:
        return [marker for marker in markers if not self._is_taken(marker)]

    def _is_taken(self, marker: Candidate) -> bool:
        taken = self._taken.get(marker.source_hash)
        return taken is not None and taken.etag == marker.etag

    # Others

    def _go_elsewhere(self, priority: int) -> None:
        """What is at hand is too old: we go to another place in the tier. One that may have become short is listed from
        its beginning."""
        self._found = [candidate for candidate in self._found if candidate.priority < priority]
        is_long = self._walk is not None and self._is_page_full
        self._walk, self._halted = None, None
        if is_long:
            self._set_out(priority)
        else:
            self._after = f"{self._lane.todo}{TIERS[priority - 1]}/"

    def _look_who_is_busy(self) -> None:
        """Those without a record are free; one that has a record may be running."""
        self._is_crowded = False
        first = min(candidate.source_hash for candidate in self._found)
        listed = self._objects.page(self._lane.records, after=f"{self._lane.records}{first[:-1]}")
        names = sorted(name for facts in listed if (name := parse_record_name(facts.name)) is not None)
        self._records = {name.source_hash: name.generation for name in names}
        self._found = [
            candidate._replace(generation=self._records.get(candidate.source_hash, 0)) for candidate in self._found
        ]

    def _remove(self, candidate: Candidate) -> None:
        self._found = [other for other in self._found if other.source_hash != candidate.source_hash]
