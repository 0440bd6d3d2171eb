"""How the views write times, shares and stages: short, for they stand in columns."""

from datetime import timedelta

from blobforge.cli import output
from blobforge.domain.worker_report import RunningJob


def short_time(duration: timedelta) -> str:
    """`45s`, `2m30s`, `1h05m`, `3d04h`."""
    total = max(round(duration.total_seconds()), 0)
    minutes, seconds = divmod(total, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d{hours:02}h"
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m{seconds:02}s" if minutes else f"{seconds}s"


def time_left_text(job: RunningJob, *, heard: timedelta) -> str:
    """`~45s`, counted down since the worker said so; `soon` when that is over."""
    if job.eta_seconds is None:
        return ""
    left = timedelta(seconds=job.eta_seconds) - heard
    return f"~{short_time(left)}" if left >= timedelta(seconds=1) else "soon"


def stage_text(job: RunningJob) -> str:
    """`Recognizing Text: 5/12`."""
    if job.stage is None:
        return "Working"
    stage = job.stage[:1].upper() + job.stage[1:]
    return f"{stage}: {job.current}/{job.total}" if job.total else stage


def share_done(job: RunningJob) -> float:
    return min(job.current / job.total, 1.0) if job.total else 0.0


def percent(used: float | None, total: float | None) -> str:
    return "" if used is None or not total else f"{100 * used / total:.0f}%"


def rate_text(rate: float | None) -> str:
    """Units a second, or a minute where that is less than one."""
    if rate is None:
        return ""
    return f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min"


def size_or_nothing(size: int | None) -> str:
    return "" if size is None else output.size_text(size)
