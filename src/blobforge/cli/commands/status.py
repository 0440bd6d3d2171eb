"""`blobforge status`: one document, or the whole queue."""

from datetime import datetime, timedelta

import click

from blobforge.cli import context, output
from blobforge.cli.jobs import find_job, id_json, job_json, priority_text
from blobforge.cli.output import Column, json_option
from blobforge.cli.overview.as_json import pause_json, worker_json
from blobforge.cli.overview.facts import look_at_workers
from blobforge.cli.progress import counted
from blobforge.clock import SystemClock
from blobforge.domain.events import History
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import UNRECORDED
from blobforge.domain.result_record import result_record
from blobforge.ports.coordinator import Coordinator


@click.command()
@click.argument("job", required=False, metavar="[HASH|#ID]")
@json_option
def command(job: str | None, *, as_json: bool) -> None:
    """How one document or the whole queue is doing.

    With --json and a job: job, attempts, events, files. Without: project, counts by type and state, gaps (published
    results that miss pages, by type), doubts (those of repaired files or with doubtful pages), paused
    (types, with since and by), workers.
    """
    from blobforge import wiring

    settings = context.settings_of_queue()
    opened = wiring.open_known_coordinator(settings)
    try:
        if job is None:
            lost_after = timedelta(seconds=settings.worker.lease_seconds)
            _queue(opened.coordinator, settings.project, lost_after=lost_after, as_json=as_json)
        else:
            _job(opened.coordinator, find_job(opened.coordinator, job, project=settings.project), as_json=as_json)
    finally:
        opened.close()


def _queue(coordinator: Coordinator, project: str, *, lost_after: timedelta, as_json: bool) -> None:
    counts = coordinator.counts(project=project)
    flaws = {"gaps": coordinator.gaps(project=project), "doubts": coordinator.doubts(project=project)}
    pauses = coordinator.pauses(project=project)
    types = sorted({job_type for job_type, _ in counts})
    workers = look_at_workers(coordinator, now=SystemClock().now(), lost_after=lost_after)
    if as_json:
        by_type: JsonObject = {kind: {state.value: counts.get((kind, state), 0) for state in State} for kind in types}
        paused = [pause_json(pause) for pause in pauses]
        known = [worker_json(worker) for worker in workers]
        flawed: JsonObject = {name: dict(found) for name, found in flaws.items()}
        output.print_json({"project": project, "counts": by_type, **flawed, "paused": paused, "workers": known})
        return
    columns = [Column("TYPE", keep=True), *(Column(state.value.upper(), right=True, keep=True) for state in State)]
    rows = [[kind, *(str(counts.get((kind, state), 0)) for state in State)] for kind in types]
    for name, found in flaws.items():
        if found:
            columns.append(Column(name.upper(), right=True, keep=True))
            rows = [[*row, str(found.get(row[0], 0))] for row in rows]
    if rows:
        output.print_table(columns, rows)
    else:
        output.say(f"no jobs in project {project}; put some in with 'blobforge submit PATH'")
    for pause in pauses:
        since = output.age_text(pause.since, now=SystemClock().now())
        output.print_line(f"type {pause.type}: paused {since} by {pause.by}; 'blobforge resume {pause.type}' ends it")
    for worker in workers:
        age = output.age_text(worker.last_heartbeat, now=SystemClock().now())
        output.print_line(f"worker {worker.id}: {worker.standing}, {worker.type}, last heard {age}")


def _job(coordinator: Coordinator, job: Job, *, as_json: bool) -> None:
    history, files = coordinator.history(job.id), coordinator.files(job.id)
    if as_json:
        output.print_json(
            {
                "job": job_json(job),
                "attempts": [_row_json(attempt._asdict()) for attempt in history.attempts],
                "events": [_row_json(event._asdict()) for event in history.events],
                "files": [_row_json(record._asdict()) for record in files],
            }
        )
        return
    facts = [
        ("job", f"#{job.id} ({job.project}/{job.type})"),
        ("document", job.source_path or "unknown"),
        ("hash", job.source_hash),
        ("state", job.state.value),
        ("priority", priority_text(job)),
        ("attempts", f"{job.attempts} of {job.max_attempts}"),
        ("error", f"{job.last_error} [{job.error_code}]" if job.error_code else ""),
        *_result_facts(job),
    ]
    output.print_table([Column("FACT", keep=True), Column("VALUE")], [fact for fact in facts if fact[1]])
    _print_history(history)


def _result_facts(job: Job) -> list[tuple[str, str]]:
    """In words; `--json` has all of it."""
    if job.result is None:
        return []
    record = result_record(job)
    if record.recipe_id == UNRECORDED:
        return [("result", "made by another program, which tells nothing of it ('blobforge preview' shows it)")]
    parts = [counted(record.pages, "page"), counted(record.images, "picture")]
    parts += [output.size_text(record.size)] if record.size else []
    recipe = f"; recipe {record.recipe_id}" if record.recipe_id else ""
    return [("result", ", ".join(parts) + recipe), ("gaps", record.gaps), ("doubts", record.doubts)]


def _print_history(history: History) -> None:
    output.print_line()
    rows = [
        [f"{event.at:%Y-%m-%d %H:%M:%S}", event.kind, event.worker_id or "", event.detail or ""]
        for event in history.events
    ]
    output.print_table(
        [Column("WHEN (UTC)", keep=True), Column("WHAT", keep=True), Column("WORKER"), Column("WHY")], rows
    )


def _row_json(facts: dict[str, object]) -> JsonObject:
    rows = {name: _value_json(value) for name, value in facts.items()}
    return {**rows, "job_id": id_json(int(str(rows["job_id"])))} if "job_id" in rows else {**rows}


def _value_json(value: object) -> str | int | None:
    """Times in the form that they have in the job."""
    if isinstance(value, datetime):
        return value.isoformat()
    assert value is None or isinstance(value, int | str), "a row holds text, numbers and times"
    return value
