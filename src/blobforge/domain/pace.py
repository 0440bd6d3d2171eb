"""The rate of a stage of some work, and the time that is left for it."""

from datetime import datetime, timedelta
from typing import NamedTuple


class StageProgress(NamedTuple):
    """One stage of a job: its units when it was first reported, and now."""

    stage: str
    began: datetime
    began_with: int
    current: int
    total: int


def first_stage(stage: str, current: int, total: int, *, began: datetime) -> StageProgress:
    """The stage that a job began with: all of its units were done since then."""
    return StageProgress(stage, began, 0, current, total)


def later_stage(stage: str, current: int, total: int, *, now: datetime) -> StageProgress:
    """A stage that is first reported now: when its earlier units were done is unknown."""
    return StageProgress(stage, now, current, current, total)


def moved(progress: StageProgress, current: int, total: int, *, now: datetime) -> StageProgress:
    """The same stage later. Where units are done again, the measurement starts over."""
    if current < progress.current:
        return later_stage(progress.stage, current, total, now=now)
    return progress._replace(current=current, total=total)


def rate(progress: StageProgress, *, now: datetime) -> float | None:
    """Units a second; None where too little is known."""
    seconds = (now - progress.began).total_seconds()
    done = progress.current - progress.began_with
    return done / seconds if done > 0 and seconds > 0 else None


def time_left(progress: StageProgress, *, now: datetime) -> timedelta | None:
    """Until this stage is over, if it goes on as it did; None where too little is known."""
    pace = rate(progress, now=now)
    return None if pace is None else timedelta(seconds=max(progress.total - progress.current, 0) / pace)
