"""The speed of a stage of a job, and the time that the rest of it will take."""

from datetime import datetime, timedelta
from typing import NamedTuple


class Leg(NamedTuple):
    """One stage of a job: its progress when it was first reported, and its progress now."""

    stage: str
    began: datetime
    began_with: int
    current: int
    total: int


def first_leg(stage: str, current: int, total: int, *, began: datetime) -> Leg:
    """The stage that a job began with: all of its units were done since then."""
    return Leg(stage, began, 0, current, total)


def next_leg(stage: str, current: int, total: int, *, now: datetime) -> Leg:
    """A stage that is first reported now; when its earlier units were done is unknown."""
    return Leg(stage, now, current, current, total)


def moved(leg: Leg, current: int, total: int, *, now: datetime) -> Leg:
    """The same stage a little later. Who has to do units again begins anew."""
    if current < leg.current:
        return next_leg(leg.stage, current, total, now=now)
    return leg._replace(current=current, total=total)


def rate(leg: Leg, *, now: datetime) -> float | None:
    """Units a second; None where too little is known."""
    seconds = (now - leg.began).total_seconds()
    done = leg.current - leg.began_with
    return done / seconds if done > 0 and seconds > 0 else None


def time_left(leg: Leg, *, now: datetime) -> timedelta | None:
    """Until this stage is over, if it goes on as it did; None where too little is known."""
    pace = rate(leg, now=now)
    return None if pace is None else timedelta(seconds=max(leg.total - leg.current, 0) / pace)
