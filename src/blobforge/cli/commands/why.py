"""`blobforge why`: what keeps a document from running, and what changes it."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from blobforge import extras
from blobforge.cli import context, exit_codes, output
from blobforge.cli.job_table import job_label
from blobforge.cli.jobs import find_job, job_json
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_with_any_store
from blobforge.clock import SystemClock
from blobforge.domain.errors import InvalidSettings, NotFound
from blobforge.domain.needs import NOTHING
from blobforge.domain.why import Explanation, Surroundings, explain, explain_unknown
from blobforge.worker.surroundings import surroundings_of

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.domain.job import Job
    from blobforge.ports.coordinator import Coordinator


@click.command()
@click.argument("job", metavar="HASH|#ID")
@json_option
def command(job: str, *, as_json: bool) -> int:
    """Say why a job does not run, or what became of it, and the commands that change it.

    With --json: job (null where there is none), reason (a stable word), explanation, commands.
    """
    settings = context.settings_of_queue()
    with opened_with_any_store(settings) as (queue, mismatch):
        try:
            found = find_job(queue, job, project=settings.project)
        except NotFound:
            _tell(None, explain_unknown(job), as_json=as_json)
            return exit_codes.ERROR
        explanation = explain(found, _surroundings(queue, settings, found), called=job)
    _tell(found, explanation, as_json=as_json)
    if mismatch is not None and not as_json:
        output.warn(f"here no worker could do it: {mismatch}")
    return exit_codes.OK


def _surroundings(queue: Coordinator, settings: Settings, job: Job) -> Surroundings:
    return surroundings_of(
        job,
        queue,
        workers=queue.workers(),
        now=SystemClock().now(),
        silent_after=timedelta(seconds=settings.worker.lease_seconds),
        has_here=_abilities(job),
    )


def _abilities(job: Job) -> frozenset[str]:
    """What this machine has for it, as far as it matters; nothing where its type is not served here."""
    from blobforge import wiring

    if job.needs:
        with suppress(InvalidSettings):
            return wiring.abilities_of([job.type])
    return NOTHING


def _tell(job: Job | None, explanation: Explanation, *, as_json: bool) -> None:
    commands = list(map(extras.as_here, explanation.commands))
    if as_json:
        output.print_json(
            {
                "job": None if job is None else job_json(job),
                "reason": explanation.reason.value,
                "explanation": explanation.text,
                "commands": commands,
            }
        )
        return
    if job is not None:
        output.print_line(f"{job_label(job)} is {job.state}.")
    for sentence in explanation.sentences:
        output.print_paragraph(sentence)
    for command in commands:
        output.print_line(f"  {command}")
