"""What a worker in the foreground shows on a terminal: who it is, and a line for each document that it lets go of."""

import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import click

from blobforge.cli import output
from blobforge.domain.endings import Completed, Declined, Ending, Failed
from blobforge.domain.errors import BlobForgeError, DiskFull, JobCancelled, StoreUnavailable
from blobforge.domain.job import Job, Lease, lease_of
from blobforge.domain.needs import in_words
from blobforge.domain.result_record import result_record
from blobforge.ports.processor import Progress
from blobforge.telemetry.screen_lines import INDENT, width_of, wrapped
from blobforge.worker.loop_messages import document_name, pages_of

if TYPE_CHECKING:
    from blobforge.wiring import Introduction

TOLD_HERE = frozenset({"blobforge.worker.loop_messages", "blobforge.wiring.workers"})
"""Loggers whose news these lines are."""

_HASH = 8
_NAME_LEAST, _NAME_MOST = 12, 60
_PAGES, _SECONDS, _FATE = 10, 10, 9
_COLOURS = {logging.INFO: None, logging.WARNING: "yellow"}


class Fate(NamedTuple):
    """What became of a document, in a word or two, and what else there is to say of it."""

    word: str
    level: int
    remarks: tuple[str, ...] = ()


class WorkerScreen:
    """A Watcher: the loop's log is for machines, and this is for who started it."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._began: dict[Lease, float] = {}

    def claimed(self, job: Job) -> None:
        """One line a document is enough; `blobforge watch` shows what is under way."""
        self._began[lease_of(job)] = self._monotonic()

    def progressed(self, job: Job, progress: Progress) -> None:
        """Told with the heartbeat, and shown by `blobforge watch`."""

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        now = datetime.now().astimezone()
        for ending, outcome in outcomes:
            fate, until = fate_of(ending, outcome), self._monotonic()
            took = timedelta(seconds=until - self._began.pop(lease_of(ending.job), until))
            if logging.getLogger("blobforge").isEnabledFor(fate.level):
                lines = document_lines(ending.job, outcome, fate, took=took, now=now, width=width_of(sys.stderr))
                _show(lines, fate.level)

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        """Logged by the loop."""


def introduce(worker: "Introduction") -> None:
    if not logging.getLogger("blobforge").isEnabledFor(logging.INFO):
        return
    slots = f"{worker.slots} slot{'' if worker.slots == 1 else 's'} for {worker.types}"
    lines = [
        f"{datetime.now().astimezone():%H:%M:%S} worker {worker.worker_id}: {slots}, project {worker.project}",
        f"{INDENT}queue: {worker.queue}",
        f"{INDENT}store: {worker.store}",
        f"{INDENT}engines: {worker.engines}; languages of OCR: {worker.languages}",
    ]
    width = width_of(sys.stderr)
    _show([wrapped(output.printable(line, sys.stderr), width, indent=INDENT) for line in lines], logging.INFO)


def fate_of(ending: Ending, outcome: Job | BlobForgeError) -> Fate:
    if isinstance(outcome, JobCancelled):
        return Fate("cancelled", logging.INFO)
    if not isinstance(outcome, Job):
        return Fate("lost", logging.WARNING, (str(outcome),))
    if isinstance(ending, Completed):
        return _result(outcome)
    if isinstance(ending, Failed):
        tries = f"attempt {outcome.attempts} of {outcome.max_attempts}"
        return Fate(outcome.state.value, logging.WARNING, (f"{_failure(ending)} ({tries})",))
    if isinstance(ending, Declined):
        lacks = " and ".join(map(in_words, sorted(ending.needs)))
        return Fate("left", logging.WARNING, (f"for a worker that has {lacks}: {_failure(ending)}",))
    return Fate("released", logging.INFO)


def document_lines(
    job: Job, outcome: Job | BlobForgeError, fate: Fate, *, took: timedelta, now: datetime, width: int
) -> Iterator[str]:
    """The document in columns, and below it what there is to say of it."""
    from rich.cells import cell_len, set_cell_size

    room = width - len(INDENT) - _HASH - _PAGES - _SECONDS - _FATE - 2 * 4
    room = min(max(room, _NAME_LEAST), _NAME_MOST)
    name = output.printable(document_name(job), sys.stderr)
    if cell_len(name) > room:
        name = set_cell_size(name, room - 1).rstrip() + "…"
    pages = pages_of(outcome) if isinstance(outcome, Job) and fate.word == "completed" else 0
    counted = f"{pages} page{'' if pages == 1 else 's'}" if pages else ""
    lasted = output.duration_text(took)
    columns = [set_cell_size(name, room), counted.rjust(_PAGES), lasted.rjust(_SECONDS), fate.word]
    yield f"{now:%H:%M:%S} {job.source_hash[:_HASH]}  {'  '.join(columns)}"
    for remark in fate.remarks:
        indent = INDENT + " " * (_HASH + 2)
        yield wrapped(indent + output.printable(remark, sys.stderr), width, indent=indent)


def _result(job: Job) -> Fate:
    record = result_record(job)
    remarks = tuple(remark for remark in (record.gaps, record.doubts) if remark)
    return Fate("completed", logging.WARNING if remarks else logging.INFO, remarks)


def _failure(ending: Failed | Declined) -> str:
    return f"{ending.failure.code}: {ending.failure.message}"


def _show(lines: Sequence[str] | Iterator[str], level: int) -> None:
    colour = _COLOURS[level] if output.has_colour(sys.stderr) else None
    for line in lines:
        click.echo(click.style(line, fg=colour) if colour else line, err=True)
