"""The workers, each in a line, and all of them together."""

from collections.abc import Sequence
from datetime import timedelta

from rich.table import Table
from rich.text import Text

from blobforge.cli import output
from blobforge.cli.overview.facts import SeenWorker, Totals, WorkerState
from blobforge.cli.overview.paper import Paper
from blobforge.cli.overview.table import Field, fitted
from blobforge.cli.overview.words import percent, short_time

_STYLES = {
    WorkerState.WORKING: "green",
    WorkerState.IDLE: "",
    WorkerState.SLEEPING: "blue",
    WorkerState.DRAINING: "yellow",
    WorkerState.LOST: "red",
}

_FIELDS = (
    Field("WORKER", cut=True),
    Field("STATE"),
    Field("BUSY", right=True),
    Field("CPU", rank=2, right=True),
    Field("RAM", rank=2, right=True),
    Field("DISK", rank=5, right=True),
    Field("DONE", rank=1, right=True),
    Field("FAILED", rank=3, right=True),
    Field("DATA", rank=7, right=True),
    Field("AVG", rank=6, right=True),
    Field("PER HOUR", rank=4, right=True),
    Field("WINDOWS", rank=8),
    Field("TYPES", rank=9),
    Field("PROCESS", rank=10),
    Field("HEARD", rank=1, right=True),
)


def workers_table(workers: Sequence[SeenWorker], paper: Paper) -> Table:
    return fitted(_FIELDS, [_row(worker, paper) for worker in workers], width=paper.width)


def totals_line(totals: Totals, paper: Paper) -> Text:
    """`2 workers · 3 of 4 slots busy · 120 an hour · 340 done, 2 failed · 4.1 s each · 1.2 GB`, as far as it fits."""
    parts = [
        f"{totals.alive} worker{'' if totals.alive == 1 else 's'}",
        f"{totals.lost} lost" if totals.lost else "",
        f"{totals.busy} of {totals.slots} slots busy",
        f"{totals.jobs_per_hour:,.0f} an hour",
        f"{totals.jobs_completed:,} done, {totals.jobs_failed:,} failed",
        "" if totals.avg_processing_time is None else f"{_seconds(totals.avg_processing_time)} each",
        output.size_text(totals.bytes_processed) if totals.bytes_processed else "",
    ]
    line = Text(style="dim")
    for part in filter(None, parts):
        more = f"{paper.signs.between if line else ''}{part}"
        if line.cell_len + len(more) <= paper.width:
            line.append(more)
    return line


def _row(worker: SeenWorker, paper: Paper) -> list[Text]:
    report, is_lost = worker.report, worker.standing is WorkerState.LOST
    machine, metrics = report.machine, report.metrics
    style = _STYLES[worker.standing]
    cpu = "" if machine.cpu_percent is None else f"{machine.cpu_percent:.0f}%"
    # How busy a machine was when it was last heard of says nothing once that is long ago.
    busy = (
        ["", "", "", ""]
        if is_lost
        else [
            f"{worker.busy}/{report.slots}",
            cpu,
            percent(machine.memory_used, machine.memory_total),
            percent(machine.disk_used, machine.disk_total),
        ]
    )
    return [
        Text.assemble((f"{_sign(worker, paper)} ", style), paper.text(report.name)),
        Text(_state(worker), style=style),
        *map(Text, busy),
        Text(f"{metrics.jobs_completed:,}"),
        Text(f"{metrics.jobs_failed:,}", style="yellow" if metrics.jobs_failed else ""),
        Text(output.size_text(metrics.bytes_processed)),
        Text("" if metrics.avg_processing_time is None else _seconds(metrics.avg_processing_time)),
        Text("" if is_lost else f"{metrics.jobs_per_hour:,.0f}"),
        paper.text(" ".join(report.run_windows)),
        paper.text(worker.type),
        paper.text(worker.id),
        Text(f"{short_time(worker.heard)} ago", style=style if is_lost else "dim"),
    ]


def _state(worker: SeenWorker) -> str:
    opens_at = worker.report.opens_at
    if worker.standing is WorkerState.SLEEPING and opens_at is not None:
        return f"until {opens_at.astimezone():%H:%M}"
    return worker.standing.value


def _sign(worker: SeenWorker, paper: Paper) -> str:
    if worker.standing is WorkerState.LOST:
        return paper.signs.lost
    return paper.signs.quiet if worker.standing in (WorkerState.IDLE, WorkerState.SLEEPING) else paper.signs.live


def _seconds(seconds: float) -> str:
    return output.duration_text(timedelta(seconds=seconds))
