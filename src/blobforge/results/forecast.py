"""Estimates how long some work will take from work that was done. Pure.

Documents run concurrently, are queued together, and are cut into slices: the time from a document's claim to its end
says little. What counts is the throughput of all of them while any was in work. So each document is given the time by
which its end extends the busy time, and these times add up to the busy time.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

MOST_LIKELY = 1.28
"""Deviations to either side within which four of five fall."""


class Done(NamedTuple):
    """A document that was converted."""

    started_at: datetime
    completed_at: datetime
    pages: int


class MeasuredPace(NamedTuple):
    """`worked` is the time in which anybody was at work, `at_once` how many documents were under way on average.
    `scatter` is how far one document is from the rule, in seconds."""

    documents: int
    pages: int
    worked: timedelta
    at_once: float
    seconds_a_page: float
    scatter: float


class Estimate(NamedTuple):
    low: timedelta
    likely: timedelta
    high: timedelta


def pace_of(done: Sequence[Done]) -> MeasuredPace | None:
    """None when nothing can be said."""
    pages = sum(document.pages for document in done)
    shares = _shares(done)
    worked = sum(shares)
    if not pages or worked <= 0:
        return None
    rate = worked / pages
    under_way = sum((document.completed_at - document.started_at).total_seconds() for document in done)
    errors = sum((share - rate * document.pages) ** 2 for share, document in zip(shares, _in_order(done), strict=True))
    return MeasuredPace(
        documents=len(done),
        pages=pages,
        worked=timedelta(seconds=worked),
        at_once=under_way / worked,
        seconds_a_page=rate,
        # One document alone tells nothing of the scatter: then it may be as large as itself.
        scatter=math.sqrt(errors / (len(done) - 1)) if len(done) > 1 else worked,
    )


def estimate(pace: MeasuredPace, *, documents: int, pages: int) -> Estimate:
    """For so many documents with so many pages in all, by as many workers as there were."""
    likely = pace.seconds_a_page * pages
    by_chance = pace.scatter * math.sqrt(documents)
    by_ignorance = pace.scatter * math.sqrt(pace.documents) * pages / pace.pages
    margin = MOST_LIKELY * math.hypot(by_chance, by_ignorance)
    # However the documents scatter, they do not take less than a third, and hardly nothing.
    low = max(likely - margin, likely / 3)
    return Estimate(timedelta(seconds=low), timedelta(seconds=likely), timedelta(seconds=likely + margin))


def _in_order(done: Sequence[Done]) -> list[Done]:
    return sorted(done, key=lambda document: document.completed_at)


def _shares(done: Sequence[Done]) -> list[float]:
    """By how much each document's end, in their order, moved forward the time that was worked."""
    shares: list[float] = []
    begins = _beginnings(done)
    reached: datetime | None = None
    for document, begin in zip(_in_order(done), begins, strict=True):
        start = begin if reached is None else max(reached, begin)
        shares.append(max((document.completed_at - start).total_seconds(), 0.0))
        reached = document.completed_at
    return shares


def _beginnings(done: Sequence[Done]) -> list[datetime]:
    """For each document in the order of ends: when the first of those was claimed that ended with it or later."""
    begins: list[datetime] = []
    for document in reversed(_in_order(done)):
        begins.append(min(document.started_at, begins[-1]) if begins else document.started_at)
    return begins[::-1]
