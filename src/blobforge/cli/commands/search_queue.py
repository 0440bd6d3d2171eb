"""`blobforge search-queue`: jobs by the words of their path and tags."""

import shlex
from collections.abc import Iterator, Sequence
from itertools import islice

import click

from blobforge.cli import context, output
from blobforge.cli.choices import JOB_TYPE
from blobforge.cli.job_table import print_jobs
from blobforge.cli.jobs import job_json
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_queue, pages
from blobforge.domain.job import Job, State, tags_of
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter


@click.command()
@click.argument("query", nargs=-1, required=True, metavar="QUERY")
@click.option("--state", type=click.Choice([state.value for state in State]), help="Only jobs in this state.")
@click.option("--type", "job_type", type=JOB_TYPE, help="Only jobs of this type.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000), help="At most so many.")
@json_option
def command(query: tuple[str, ...], *, state: str | None, job_type: str | None, limit: int, as_json: bool) -> None:
    """Find jobs whose path or tags hold all words of QUERY, newest first.

    Upper and lower case are the same. A job has the path by which its document came first; 'blobforge search' knows
    all paths of the documents that were ingested.

    With --json: jobs, and more, whether there are others beyond --limit.
    """
    words = [word.casefold() for part in query for word in part.split()]
    if not words:
        raise click.UsageError("say at least one word")
    settings = context.settings_of_queue()
    wanted = JobFilter(project=settings.project, type=job_type, state=State(state) if state else None)
    with opened_queue(settings) as queue:
        # One more than is shown, to know whether there are others.
        found = list(islice(_matching(queue, wanted, words), limit + 1))
    jobs, more = found[:limit], len(found) > limit
    if as_json:
        output.print_json({"jobs": [job_json(job) for job in jobs], "more": more})
        return
    if jobs:
        print_jobs(jobs)
    else:
        again = shlex.join(["blobforge", "search", *words])
        output.say(
            f"no job matches {' '.join(words)!r}; a job is known by the path of its first copy, and this looks "
            f"among all that were ingested: {again}"
        )
    if more:
        output.say("there are more: say further words, or a larger --limit")


def _matching(queue: Coordinator, wanted: JobFilter, words: Sequence[str]) -> Iterator[Job]:
    for jobs in pages(queue, wanted):
        for job in jobs:
            text = _text(job)
            if all(word in text for word in words):
                yield job


def _text(job: Job) -> str:
    return "\n".join([job.source_path or "", *tags_of(job)]).casefold()
