"""The picture of a queue that `dashboard` and `watch` show: facts in, something that rich can print out."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from blobforge.cli.job_table import document_name
from blobforge.cli.jobs import SHORT_HASH
from blobforge.cli.overview.facts import Overview, SeenWorker, WorkerState
from blobforge.cli.overview.paper import STATE_STYLES, Paper
from blobforge.cli.overview.table import Field, fitted
from blobforge.cli.overview.words import (
    rate_text,
    share_done,
    short_time,
    size_or_nothing,
    stage_text,
    time_left_text,
)
from blobforge.cli.overview.workers import totals_line, workers_table
from blobforge.domain.job import Job, State
from blobforge.domain.worker_report import RunningJob

WIDE = 120
FRESH = timedelta(seconds=5)


class Rows(NamedTuple):
    """At most so many of each."""

    running: int
    workers: int
    failures: int


SHORT = Rows(running=8, workers=8, failures=5)
ALL = Rows(running=1_000, workers=1_000, failures=20)


def board(overview: Overview, paper: Paper, rows: Rows) -> RenderableType:
    parts: list[RenderableType] = [_head(overview, paper), Text(), _counts(overview), _done(overview, paper)]
    parts += _flaws(overview)
    parts += _pauses(overview)
    parts += _running(overview, paper, rows.running)
    parts += _workers(overview, paper, rows.workers)
    parts += _failures(overview, paper, rows.failures)
    return Group(*parts)


def verbose_board(overview: Overview, paper: Paper) -> RenderableType:
    """Nothing left out, and the counts of each job type."""
    types = sorted({kind for kind, _ in overview.counts})
    fields = [Field("TYPE"), *(Field(state.value.upper(), right=True) for state in State)]
    rows = [
        [paper.text(kind), *(Text(f"{overview.counts.get((kind, state), 0):,}") for state in State)] for kind in types
    ]
    by_type = _section("Types", fitted(fields, rows, width=paper.width)) if rows else []
    return Group(board(overview, paper, ALL), *by_type)


def rows_for(overview: Overview, *, height: int) -> Rows:
    """What fits on a screen: each section gets a row in turn for as long as there are lines."""
    wanted = [len(overview.running), len(overview.workers), len(overview.failures)]
    # The head, the line below the workers, and for each section an empty line, its title and the names of its columns.
    untold = len(_untold(overview))
    untold += bool(untold and not overview.running)  # the empty line above them
    free = height - 4 - len(_flaws(overview)) - len(overview.pauses) - untold - 1 - 3 * sum(map(bool, wanted))
    given = [min(count, 1) for count in wanted]
    free -= sum(given)
    while free > 0 and given != wanted:
        for place, count in enumerate(wanted):
            if given[place] < count and free > 0:
                given[place] += 1
                free -= 1
    # Where something is left out, a line says so.
    given = [max(got - 1, 1) if got < count else got for got, count in zip(given, wanted, strict=True)]
    return Rows(*given)


def _head(overview: Overview, paper: Paper) -> Text:
    name = Text.assemble(("BlobForge", "bold"), paper.signs.between, paper.text(overview.project))
    clock = f"{overview.now.astimezone():%Y-%m-%d %H:%M:%S}"
    name.append(clock.rjust(max(paper.width - name.cell_len, len(clock) + 2)), style="dim")
    return name


def _counts(overview: Overview) -> Text:
    """Six counts in one line, the empty ones dim."""
    parts = []
    for state in State:
        count = overview.count(state)
        number = Text(f"{count:,}", style=f"bold {STATE_STYLES[state]}" if count else "dim")
        parts.append(Text.assemble(number, (f" {state.value}", "" if count else "dim")))
    return Text("  ").join(parts)


def _done(overview: Overview, paper: Paper) -> Text:
    total = sum(overview.counts.values())
    if not total:
        return Text("no jobs yet; put some in with 'blobforge submit PATH'", style="dim")
    share = overview.count(State.COMPLETED) / total
    left = overview.time_left
    # Never 100% while something is not done.
    told = f" {int(share * 100)}%" + (f", {_about(left)} left" if left is not None else "")
    return paper.bar(share, width=min(paper.width - len(told), 100)).append(told)


def _pauses(overview: Overview) -> list[Text]:
    """Why nothing happens, though workers are idle and jobs wait."""
    return [
        Text(
            f"{pause.type} is paused since {short_time(overview.now - pause.since)}, by {pause.by}: "
            f"blobforge resume {pause.type}",
            style="yellow",
        )
        for pause in overview.pauses
    ]


def _flaws(overview: Overview) -> list[Text]:
    """What is done and not whole, or not beyond doubt: a bar that is full would hide it."""
    flaws = {"gaps": sum(overview.gaps.values()), "doubts": sum(overview.doubts.values())}
    return [
        Text(
            f"{count:,} {'result has' if count == 1 else 'results have'} {name}: blobforge list --{name}",
            style="yellow",
        )
        for name, count in flaws.items()
        if count
    ]


def _about(duration: timedelta) -> str:
    return f"~{short_time(duration)}"


_RUNNING = (
    Field("DOCUMENT", cut=True),
    Field(""),
    Field("STAGE"),
    Field("ELAPSED", right=True),
    Field("ETA", right=True),
    Field("SIZE", rank=3, right=True),
    Field("RATE", rank=4, right=True),
    Field("WORKER", rank=2),
    Field("HASH", rank=5),
)


def _running(overview: Overview, paper: Paper, most: int) -> list[RenderableType]:
    running = overview.running
    if not running:
        untold = _untold(overview)
        return [Text(), *untold] if untold else []
    rows = [_running_row(worker, job, overview, paper) for worker, job in running[:most]]
    # What is short may be over by now: a worker tells of its jobs with its heartbeat only.
    oldest = max(worker.heard for worker, _ in running)
    title = f"Running, as told up to {short_time(oldest)} ago" if oldest >= FRESH else "Running"
    table = fitted(_RUNNING, rows, width=paper.width)
    return _section(title, table, *_more(len(running) - most), *_untold(overview))


def _untold(overview: Overview) -> list[Text]:
    """Where the list is older than the counts, so that nobody takes it for all there is."""
    lost, new = overview.held_by_lost, overview.not_told
    lines = []
    if lost:
        held = f"{lost:,} {'is' if lost == 1 else 'are'} held by lost workers"
        lines.append(Text(f"{held}, until their leases end: blobforge why HASH", style="yellow"))
    if new:
        lines.append(Text(f"{new:,} {'runs' if new == 1 else 'run'} of which no worker has told yet", style="dim"))
    return lines


def _running_row(worker: SeenWorker, job: RunningJob, overview: Overview, paper: Paper) -> list[Text]:
    elapsed = timedelta(seconds=job.elapsed_seconds) + worker.heard
    if job.started_at is not None:
        elapsed = overview.now - job.started_at
    return [
        paper.text(job.name or job.source_hash[:SHORT_HASH]),
        paper.bar(share_done(job), width=24 if paper.width >= WIDE else 10),
        paper.text(stage_text(job), style="cyan"),
        Text(short_time(elapsed)),
        Text(time_left_text(job, heard=worker.heard), style="bold"),
        Text(size_or_nothing(job.size)),
        Text(rate_text(job.rate)),
        paper.text(worker.report.name, style="dim"),
        paper.text(job.source_hash[:SHORT_HASH], style="dim"),
    ]


def _workers(overview: Overview, paper: Paper, most: int) -> list[RenderableType]:
    if not overview.workers:
        return [Text(), Text("no worker is signed in; start one with 'blobforge worker'", style="yellow")]
    table = workers_table(overview.workers[:most], paper)
    hint = [] if _are_measured(overview.workers) else [Text(_NO_METER, style="dim")]
    left_out = _more(len(overview.workers) - most)
    return _section("Workers", table, *left_out, totals_line(overview.totals, paper), *hint)


_NO_METER = "no worker measures CPU and RAM: pip install 'blobforge[metrics]' where they run"


def _are_measured(workers: Sequence[SeenWorker]) -> bool:
    """Also where there was no heartbeat yet that could have told."""
    alive = [worker for worker in workers if worker.standing is not WorkerState.LOST]
    machines = [worker.report.machine for worker in alive]
    return not machines or any(machine.cpu_percent is not None or machine.disk_total is None for machine in machines)


def _failures(overview: Overview, paper: Paper, most: int) -> list[RenderableType]:
    if not overview.failures:
        return []
    is_dead = overview.failures[0].state is State.DEAD
    title = "Dead, until someone retries them" if is_dead else "Failed, to be tried again"
    fields = [Field("DOCUMENT", cut=True), Field("CODE"), Field("TRIES", rank=2, right=True), Field("AGE", right=True)]
    if paper.width >= WIDE:
        fields.append(Field("WHY", cut=True))
    rows = [_failure_row(job, overview, paper)[: len(fields)] for job in overview.failures[:most]]
    total = overview.count(overview.failures[0].state)
    return _section(title, fitted(fields, rows, width=paper.width), *_more(total - len(rows)))


def _failure_row(job: Job, overview: Overview, paper: Paper) -> list[Text]:
    name = document_name(job) or job.source_hash[:SHORT_HASH]
    return [
        Text.assemble((f"{paper.signs.bad} ", STATE_STYLES[job.state]), paper.text(name)),
        paper.text(job.error_code or "", style=STATE_STYLES[job.state]),
        Text(f"{job.attempts}/{job.max_attempts}"),
        Text(f"{short_time(overview.now - job.updated_at)} ago", style="dim"),
        paper.text(job.last_error or ""),
    ]


def _section(title: str, *parts: RenderableType) -> list[RenderableType]:
    return [Text(), Text(title, style="bold"), *parts]


def _more(count: int) -> list[RenderableType]:
    return [Text(f"and {count:,} more", style="dim")] if count > 0 else []
