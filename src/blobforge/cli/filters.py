"""Choosing jobs by what is known of them: the options that `list` and others share."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from blobforge.cli.choices import JOB_TYPE
from blobforge.clock import SystemClock
from blobforge.domain.job import Job, State
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter

if TYPE_CHECKING:
    from blobforge.domain.ids import JobId

Function = TypeVar("Function", bound=Callable[..., object])

_AGO = re.compile(r"([0-9]{1,6})\s*(s|min|m|h|d|w)")
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}


class Since(click.ParamType[datetime]):
    """How long ago (`90min`, `2h`, `7d`), or a day or a time (`2026-11-01`, `2026-11-01T08:30`) of this machine's
    clock."""

    name = "since"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        text = str(value).strip()
        try:
            if (found := _AGO.fullmatch(text.lower())) is not None:
                return SystemClock().now() - timedelta(seconds=int(found[1]) * _UNITS[found[2]])
            return datetime.fromisoformat(text).astimezone()
        except (ValueError, OverflowError):
            self.fail(f"{text!r} is no time: write 2h, 7d or 2026-11-01", param, ctx)


SINCE = Since()


class Filters(NamedTuple):
    """What was asked for on the command line; None means any."""

    state: str | None
    job_type: str | None
    worker: str | None
    since: datetime | None
    tag: str | None
    code: str | None
    gaps: bool
    doubts: bool

    def wanted(self, project: str) -> JobFilter:
        return JobFilter(
            project=project,
            type=self.job_type,
            state=State(self.state) if self.state else None,
            code=self.code,
            since=self.since,
            tag=self.tag,
            gaps=self.gaps,
            doubts=self.doubts,
        )


def filter_options(function: Function) -> Function:
    """The options of a choice of jobs, as the keyword arguments of `Filters`."""
    for option in reversed(
        (
            click.option(
                "--state", type=click.Choice([state.value for state in State]), help="Only jobs in this state."
            ),
            click.option("--type", "job_type", type=JOB_TYPE, help="Only jobs of this type."),
            click.option("--gaps", is_flag=True, help="Only jobs whose result misses pages."),
            click.option("--doubts", is_flag=True, help="Only jobs whose file was repaired, or with doubtful pages."),
            click.option("--code", help="Only jobs with this error code, such as timed_out."),
            click.option("--tag", help="Only jobs with this tag."),
            click.option(
                "--since", type=SINCE, metavar="TIME", help="Only jobs that changed since: 2h, 7d, 2026-11-01."
            ),
            click.option("--worker", metavar="NAME", help="Only jobs that this worker runs."),
        )
    ):
        function = option(function)
    return function


def page_of(
    coordinator: Coordinator, filters: Filters, *, project: str, after: "JobId | None", limit: int
) -> list[Job]:
    """Newest first. A worker is named by its id, or by its name, which several processes may share."""
    wanted = filters.wanted(project)
    if filters.worker is None:
        return coordinator.page(wanted, after=after, limit=limit)
    ids = [worker.id for worker in coordinator.workers() if filters.worker in (worker.id, _name_in(worker.id))]
    found = [
        job
        for worker_id in ids
        for job in coordinator.page(wanted._replace(worker_id=worker_id), after=after, limit=limit)
    ]
    return sorted(found, key=lambda job: -job.id)[:limit]


def _name_in(worker_id: str) -> str:
    """An id is its worker's name, the number of its process and a part by chance."""
    return worker_id.rsplit(".", 2)[0]


def parse_where(texts: Sequence[str]) -> JobFilter:
    """From `state=dead`, `since=7d`, `gaps` and the like, all of which must hold."""
    wanted = JobFilter()
    for text in texts:
        name, _, value = text.partition("=")
        if name == "gaps" and value in _YES:
            wanted = wanted._replace(gaps=True)
        elif name == "doubts" and value in _YES:
            wanted = wanted._replace(doubts=True)
        elif name in _CONDITIONS and value:
            wanted = wanted._replace(**{name: _CONDITIONS[name](value)})
        else:
            known = ", ".join(f"{name}=…" for name in _CONDITIONS)
            raise click.BadParameter(
                f"{text!r} is no condition; there are {known}, gaps and doubts", param_hint="--where"
            )
    return wanted


_YES = ("", "yes", "true")


def _state_in(text: str) -> State:
    try:
        return State(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no state; there are {', '.join(State)}", param_hint="--where") from error


_CONDITIONS: Mapping[str, Callable[[str], Any]] = {
    "state": _state_in,
    "engine": str,
    "recipe": str,
    "code": str,
    "tag": str,
    "since": lambda text: SINCE.convert(text, None, None),
}
