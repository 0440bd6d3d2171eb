"""Run windows: the hours of the day in which a worker may work, in local time."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from typing import NamedTuple

from blobforge.domain.errors import InvalidValue

Local = Callable[[datetime], datetime]
"""Converts to local time, with its daylight saving."""

_FORM = re.compile(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})")
_MINUTE = timedelta(minutes=1)
_MINUTES_TO_LOOK_AT = 49 * 60
"""Two days and the hour that a day may have more."""


class RunWindow(NamedTuple):
    """From `opens` until just before `closes`; over midnight where it closes before it opens."""

    opens: time
    closes: time

    def __str__(self) -> str:
        closes = "24:00" if self.closes == time() else f"{self.closes:%H:%M}"
        return f"{self.opens:%H:%M}-{closes}"

    def holds(self, wall: time) -> bool:
        if self.opens < self.closes:
            return self.opens <= wall < self.closes
        return wall >= self.opens or wall < self.closes


def parse_run_windows(text: str) -> tuple[RunWindow, ...]:
    """Windows such as `22:00-06:00`, several with commas between them. Raises InvalidValue."""
    return tuple(parse_run_window(part.strip()) for part in text.split(",") if part.strip())


def parse_run_window(text: str) -> RunWindow:
    """Raises InvalidValue."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise InvalidValue(f"{text!r} is no run window: write two times of day, such as 22:00-06:00")
    opens, closes = _time(text, found[1], found[2]), _time(text, found[3], found[4])
    if opens == closes and found[3] != "24":
        raise InvalidValue(f"the run window {text!r} ends when it begins; leave it out to work all day")
    return RunWindow(opens, closes)


def is_open(windows: Sequence[RunWindow], *, now: datetime, local: Local) -> bool:
    """Without windows, always."""
    wall = local(now).time()
    return not windows or any(window.holds(wall) for window in windows)


def next_change(windows: Sequence[RunWindow], *, now: datetime, local: Local) -> datetime | None:
    """When the windows next open, or close if they are open; None where that never happens."""
    was_open = is_open(windows, now=now, local=local)
    # Minute by minute: at a change of daylight saving an hour is missing or comes twice, which needs no special case
    # then.
    moment = now.replace(second=0, microsecond=0)
    for _ in range(_MINUTES_TO_LOOK_AT if windows else 0):
        moment += _MINUTE
        if is_open(windows, now=moment, local=local) is not was_open:
            return moment
    return None


def _time(text: str, hours: str, minutes: str) -> time:
    """`24:00` is the end of the day."""
    hour, minute = int(hours), int(minutes)
    if (hour, minute) == (24, 0):
        return time()
    if hour > 23 or minute > 59:
        raise InvalidValue(f"{text!r} is no run window: there is no {hours}:{minutes} on a clock")
    return time(hour, minute)
