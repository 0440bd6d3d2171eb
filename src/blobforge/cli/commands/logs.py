"""`blobforge logs`: what went wrong with a document, attempt by attempt."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, output
from blobforge.cli.job_table import job_label
from blobforge.cli.jobs import find_job, job_json
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_queue
from blobforge.domain.errors import StoreUnavailable
from blobforge.worker.error_log import BEFORE_OURS, FailedAttempt, all_failed, attempt_json, read_error_log

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.domain.events import History
    from blobforge.domain.job import Job


@click.command()
@click.argument("job", metavar="HASH|#ID")
@json_option
def command(job: str, *, as_json: bool) -> None:
    """Show the failed attempts of a job with what the worker knew: stage, page and traceback.

    An attempt whose log is not there, as when its worker was killed, is told from the history of the job. Of a job that
    another program has failed, in a bucket that was adopted, it is the last error, with lease 0.

    With --json: job, and attempts, oldest first, a list of lease, attempt, time, worker, code, message, outcome,
    stage, page, filename, traceback (null where nobody wrote it down).
    """
    settings = context.settings_of_queue()
    with opened_queue(settings) as queue:
        found = find_job(queue, job, project=settings.project)
        history = queue.history(found.id)
    attempts = _attempts(settings, found, history)
    if as_json:
        output.print_json({"job": job_json(found), "attempts": [attempt_json(attempt) for attempt in attempts]})
        return
    if not attempts:
        output.say(f"{job_label(found)}: no attempt has failed; it is {found.state}")
    for number, attempt in enumerate(attempts):
        if number:
            output.print_line()
        _print(attempt)


def _attempts(settings: Settings, job: Job, history: History) -> list[FailedAttempt]:
    """Those that were written down, and from the history those that were not."""
    from blobforge import wiring

    try:
        written = read_error_log(wiring.open_blobs(settings), job)
    except StoreUnavailable as error:
        output.warn(f"the error log cannot be read, so that there are no tracebacks: {error}")
        written = []
    return all_failed(job, history, written)


_BECAME = {
    "died": "the job failed for good",
    "failed": "the job failed, and was to be tried again",
    "expired": "the worker was gone before it finished",
}
"""In words that leave no doubt about who died."""


def _print(attempt: FailedAttempt) -> None:
    number = "the last error"
    if attempt.attempt is not None:
        number = f"attempt {attempt.attempt}"
    elif attempt.lease != BEFORE_OURS:
        number = f"claim {attempt.lease}"
    when = f"{attempt.time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    became = _BECAME.get(attempt.outcome, attempt.outcome)
    output.print_line(f"{number}, {when}, by worker {attempt.worker or 'unknown'}: {became}")
    output.print_paragraph(f"{attempt.message or 'no message'} [{attempt.code or 'no code'}]", indent="  ")
    place = [f"stage {attempt.stage}"] if attempt.stage else []
    place += [f"page {attempt.page}"] if attempt.page is not None else []
    if place:
        output.print_line(f"  at {', '.join(place)}")
    for line in (attempt.traceback or "").rstrip().splitlines():
        output.print_line(f"  | {line}")
