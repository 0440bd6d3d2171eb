"""Choosing many jobs at once by their state and error code."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import click

from blobforge.cli import output
from blobforge.cli.choices import JOB_TYPE
from blobforge.cli.output import Column
from blobforge.cli.queue import pages
from blobforge.domain.job import Job, State
from blobforge.domain.result_record import result_record
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter

Function = TypeVar("Function", bound=Callable[..., object])


class Choice(NamedTuple):
    """None means any. Of completed jobs, those whose result has gaps; their codes say why."""

    project: str
    state: State
    job_type: str | None
    code: str | None

    def pages(self, coordinator: Coordinator) -> Iterator[list[Job]]:
        has_gaps = self.state is State.COMPLETED
        code = None if has_gaps else self.code
        wanted = JobFilter(project=self.project, type=self.job_type, state=self.state, code=code, gaps=has_gaps)
        for jobs in pages(coordinator, wanted):
            chosen = [job for job in jobs if self.code is None or self.code in self._codes_of(job)]
            if chosen:
                yield chosen

    def code_of(self, job: Job) -> str:
        return next(iter(self._codes_of(job)), "")

    def _codes_of(self, job: Job) -> list[str]:
        if self.state is State.COMPLETED:
            return list(result_record(job).codes)
        return [job.error_code] if job.error_code else []


def choice_options(function: Function) -> Function:
    """The options --code, --type and --dry-run."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Only say what would be done."),
        click.option("--type", "job_type", type=JOB_TYPE, help="Only jobs of this type."),
        click.option("--code", help="Only jobs with this error code, such as timed_out."),
    ):
        function = option(function)
    return function


def print_codes(codes: Counter[str]) -> None:
    if codes:
        rows = [[code or "none", str(count)] for code, count in codes.most_common()]
        output.print_table([Column("ERROR", keep=True), Column("JOBS", right=True, keep=True)], rows)
