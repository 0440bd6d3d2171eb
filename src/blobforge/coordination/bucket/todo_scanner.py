"""Pages through the markers of pending jobs of one lane; lists again only when the listed ones are used up.

Tiers are strict: no job of a tier is a candidate while a more urgent tier may have one. In a large tier every worker
starts its scan at a random position, so that workers seldom conflict; after a conflict it starts at another one.
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

SMALL_TIER = 64
"""A tier of at most so many jobs is claimed in the order of age, or at random after conflicts."""
FULL_LISTING_EVERY = timedelta(minutes=6)
"""A change token may be lost: so often, with jitter, the lane is listed whatever the token says."""
UNSUITED_FOR = timedelta(days=1)
_LAST = "~"
"""Sorts after every hash."""


class Candidate(NamedTuple):
    """A marker that may be claimed. It may be stale: only the record decides."""

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
    """A scan of a tier that wraps around: from `start` to the end, then from the beginning to `start`."""

    priority: int
    start: str
    at: str
    has_wrapped: bool


class _SuspendedScan(NamedTuple):
    """A scan that was interrupted for a more urgent tier, with its unused candidates."""

    scan: _Scan
    found: list[Candidate]


class _Skip(NamedTuple):
    """A marker that is no candidate while it has this ETag, and is forgotten after `until`."""

    etag: str
    until: datetime


class TodoScanner:
    """Gives candidates in strict order of the tiers; claims tell it how each of them went."""

    def __init__(self, objects: Objects, lane: Lane, *, roll: Callable[[], float] = random.random) -> None:
        self._objects = objects
        self._lane = lane
        self._roll = roll
        self._tokens: ChangeTokens | None = None
        self._found: list[Candidate] = []
        self._small_tiers: frozenset[int] = frozenset()
        """The listed tiers that are complete and have at most SMALL_TIER jobs."""
        self._skipped: dict[str, _Skip] = {}
        self._generations: dict[str, int] = {}
        self._checks_records = False
        self._scan: _Scan | None = None
        self._suspended: _SuspendedScan | None = None
        self._is_page_full = False
        self._after: str | None = ""
        """Where the next listing starts; None after the last page."""
        self._fully_listed_at: datetime | None = None
        self._full_listing_wait = FULL_LISTING_EVERY
        self.has_conflicts = False

    @property
    def is_small_tier(self) -> bool:
        """Whether the candidates are of a small tier."""
        return not self._found or self._found[0].priority in self._small_tiers

    def refresh(self, tokens: ChangeTokens) -> None:
        """Restarts if a more urgent tier than that of the candidates has changed, or if a full listing is due."""
        is_full_listing_due = self._is_full_listing_due()
        has_changed = self._tokens is None or any(
            tokens.get(tier) != self._tokens.get(tier) for tier in range(1, self._current_tier())
        )
        if has_changed or is_full_listing_due:
            self._tokens = tokens
            self._restart()
        if is_full_listing_due:
            self._forget_conflicts()

    def candidates(self, *, excluding: AbstractSet[str] = frozenset()) -> list[Candidate]:
        """Those of the most urgent tier that has any; lists more pages until one is found or the last page was read.

        Jobs without a record come first, since others may be running. `excluding` are names of markers.
        """
        while True:
            # Names are built on demand, and a page has a thousand.
            free = [one for one in self._found if one.name not in excluding] if excluding else self._found
            if free and self._checks_records:
                self._mark_recorded()
            elif free or self._after is None:
                urgent = [candidate for candidate in free if candidate.priority == free[0].priority]
                return [candidate for candidate in urgent if not candidate.generation] or urgent
            else:
                self._list_next_page()

    def on_claimed(self, candidate: Candidate, *, until: datetime) -> None:
        """Its marker stays while the job runs."""
        self._remove(candidate)
        self._skipped[candidate.source_hash] = _Skip(candidate.etag, until)

    def on_gone(self, candidate: Candidate) -> None:
        """Another worker claimed it, and probably works on its neighbours too. A stale marker that is still there is
        skipped until it is written again, or until the next full listing."""
        self._remove(candidate)
        self._skipped[candidate.source_hash] = _Skip(candidate.etag, self._objects.now())
        self._restart_after_conflict(candidate.priority)

    def on_conflict(self, candidate: Candidate, *, until: datetime) -> None:
        """Another worker holds it: its marker stays, and is skipped until that lease ends."""
        self._remove(candidate)
        self._skipped[candidate.source_hash] = _Skip(candidate.etag, until)
        self.has_conflicts = True
        if candidate.priority in self._small_tiers:
            self._checks_records = not candidate.generation
        else:
            self._restart_after_conflict(candidate.priority)

    def on_unsuited(self, candidate: Candidate) -> None:
        """This worker lacks an ability: the marker is skipped until it is written again."""
        self._remove(candidate)
        self._skipped[candidate.source_hash] = _Skip(candidate.etag, self._objects.now() + UNSUITED_FOR)

    def add(self, candidate: Candidate) -> None:
        """A job that this process itself has just made claimable."""
        self._skipped.pop(candidate.source_hash, None)
        if self._tokens is None:
            return  # the first listing will find it
        kept = [other for other in self._found if other.source_hash != candidate.source_hash]
        listed_to = kept[-1].priority if kept else self._scan.priority if self._scan is not None else 0
        # A tier that is not listed yet may have older jobs: its listing will find this one too.
        if candidate.priority <= listed_to or self._after is None:
            self._found = sorted([*kept, candidate], key=lambda other: other.priority)

    # When to restart

    def _current_tier(self) -> int:
        """The tier of the candidates: changes of it and of less urgent tiers can wait."""
        if self._found:
            return self._found[0].priority
        return self._scan.priority if self._scan is not None else len(TIERS) + 1

    def _is_full_listing_due(self) -> bool:
        """By the bucket's clock, which has a resolution of a second and may be set back."""
        return (
            self._fully_listed_at is None or abs(self._objects.now() - self._fully_listed_at) >= self._full_listing_wait
        )

    def _restart(self) -> None:
        if self._scan is not None:
            kept = [candidate for candidate in self._found if candidate.priority == self._scan.priority]
            self._suspended = _SuspendedScan(self._scan, kept)
        self._found, self._scan, self._after = [], None, ""

    def _forget_conflicts(self) -> None:
        """Conflicts of the last period say nothing about the next one."""
        now = self._objects.now()
        self._fully_listed_at, self._full_listing_wait = now, FULL_LISTING_EVERY * (0.75 + self._roll() / 2)
        self._skipped = {name: skip for name, skip in self._skipped.items() if now < skip.until}
        self._generations = {}
        self.has_conflicts = False

    # Listing

    def _list_next_page(self) -> None:
        if self._scan is not None:
            self._scan_next_page(self._scan)
            return
        listed = self._objects.page(self._lane.todo, after=self._after or None)
        markers = self._markers(listed)
        if len(listed) < PAGE:
            self._after = None
        elif markers and markers[0].priority == markers[-1].priority:
            self._start_scan(markers[0].priority)
            return
        else:
            # The last tier may go on after this page: it is listed by itself later.
            markers = [marker for marker in markers if marker.priority != markers[-1].priority] or markers
            self._after = self._end_of_tier(markers[-1].priority) if markers else listed[-1].name
        tiers = [list(tier) for _, tier in groupby(markers, key=lambda marker: marker.priority)]
        self._small_tiers = frozenset(tier[0].priority for tier in tiers if len(tier) <= SMALL_TIER)
        for tier in tiers:
            first = 0 if len(tier) <= SMALL_TIER else int(self._roll() * len(tier))
            self._found += self._not_skipped(tier[first:] + tier[:first])

    def _start_scan(self, priority: int) -> None:
        """Resumes the suspended scan of this tier, or starts at a random position."""
        suspended, self._suspended, self._small_tiers = self._suspended, None, frozenset()
        if suspended is not None and suspended.scan.priority == priority:
            self._scan = suspended.scan
            self._found += suspended.found
            return
        name = f"{self._lane.todo}{TIERS[priority - 1]}/{int(self._roll() * 16**8):08x}"
        self._scan = _Scan(priority, name, name, has_wrapped=False)

    def _scan_next_page(self, scan: _Scan) -> None:
        tier = f"{self._lane.todo}{TIERS[scan.priority - 1]}/"
        listed = self._objects.page(tier, after=scan.at)
        markers = self._markers(listed)
        self._is_page_full = len(listed) == PAGE
        if scan.has_wrapped:
            markers = [marker for marker in markers if marker.name <= scan.start]
        elif scan.at == scan.start and markers:
            # The range before the first marker was emptied by a worker that is now at the beginning of this page.
            first = int(self._roll() * len(markers))
            scan, markers = scan._replace(start=markers[first - 1].name if first else scan.start), markers[first:]
        self._found += self._not_skipped(markers)
        if self._is_page_full and (not scan.has_wrapped or listed[-1].name <= scan.start):
            self._scan = scan._replace(at=listed[-1].name)
        elif not scan.has_wrapped:
            self._scan = scan._replace(at=tier, has_wrapped=True)
        else:
            self._scan, self._after = None, self._end_of_tier(scan.priority)

    def _end_of_tier(self, priority: int) -> str:
        return f"{self._lane.todo}{TIERS[priority - 1]}/{_LAST}"

    def _markers(self, listed: list[ObjectFacts]) -> list[Candidate]:
        """Foreign objects are left out; the reconciler reports them."""
        return [
            Candidate(self._lane, *name, facts.etag, facts.modified, self._generations.get(name.source_hash, 0))
            for facts in listed
            if (name := parse_waiting(facts.name)) is not None
        ]

    def _not_skipped(self, markers: list[Candidate]) -> list[Candidate]:
        return [marker for marker in markers if not self._is_skipped(marker)]

    def _is_skipped(self, marker: Candidate) -> bool:
        skip = self._skipped.get(marker.source_hash)
        return skip is not None and skip.etag == marker.etag

    # Conflicts

    def _restart_after_conflict(self, priority: int) -> None:
        """The candidates are stale: scans a large tier from another position, and lists one that may have become small
        from its beginning."""
        self._found = [candidate for candidate in self._found if candidate.priority < priority]
        is_long = self._scan is not None and self._is_page_full
        self._scan, self._suspended = None, None
        if is_long:
            self._start_scan(priority)
        else:
            self._after = f"{self._lane.todo}{TIERS[priority - 1]}/"

    def _mark_recorded(self) -> None:
        """Notes which candidates have a record: those may be running, the others are certainly free."""
        self._checks_records = False
        first = min(candidate.source_hash for candidate in self._found)
        listed = self._objects.page(self._lane.records, after=f"{self._lane.records}{first[:-1]}")
        names = sorted(name for facts in listed if (name := parse_record_name(facts.name)) is not None)
        self._generations = {name.source_hash: name.generation for name in names}
        self._found = [
            candidate._replace(generation=self._generations.get(candidate.source_hash, 0)) for candidate in self._found
        ]

    def _remove(self, candidate: Candidate) -> None:
        self._found = [other for other in self._found if other.source_hash != candidate.source_hash]
