"""`blobforge reprocess`: documents of the queue once more, by another engine or other options."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, output
from blobforge.cli.choices import ENGINE, JOB_TYPE
from blobforge.cli.confirming import agrees, can_ask
from blobforge.cli.filters import parse_where
from blobforge.cli.jobs import find_job, id_json
from blobforge.cli.output import json_option
from blobforge.cli.processor_options import parse_options
from blobforge.cli.progress import counted
from blobforge.cli.queue import PAGE, opened_with_store, pages
from blobforge.domain.errors import BlobForgeError, EngineUnavailable, InvalidValue
from blobforge.domain.job import Job, State, title
from blobforge.ports.job_store import JobFilter
from blobforge.results.reprocessing import Sorting, sort_out, without_lost, without_sourceless
from blobforge.worker.order import with_same_password

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.domain.json_value import JsonObject
    from blobforge.domain.recipe import Recipe
    from blobforge.ports.coordinator import Coordinator

MANY = 10
"""Beyond so many documents a person is asked, and a program says --yes."""
_LEFT_IN_PEACE = frozenset({State.RUNNING, State.CANCELLED})
"""States that are only chosen by name."""


@click.command()
@click.argument("jobs", nargs=-1, metavar="[HASH|#ID...]")
@click.option("--where", multiple=True, metavar="CONDITION", help="All jobs of which this holds; may be repeated.")
@click.option("--all", "is_all", is_flag=True, help="All completed documents, as 'plan' counts them.")
@click.option(
    "--engine",
    type=ENGINE,
    help="The engine that reads them; 'blobforge processors' lists them.  [default: the settings']",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the processor.")
@click.option("--type", "job_type", default="pdf", show_default=True, type=JOB_TYPE, help="The job type.")
@click.option("--dry-run", is_flag=True, help="Only say what would be redone.")
@click.option("--yes", is_flag=True, help=f"Do not ask before more than {MANY} documents are redone.")
@json_option
def command(
    jobs: tuple[str, ...],
    *,
    where: tuple[str, ...],
    is_all: bool,
    engine: str | None,
    options: tuple[str, ...],
    job_type: str,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Process documents again, by another engine, other options or newer versions.

    Gives their jobs a new order, made of the settings and these options, and runs them by it; the sources come from
    the store. The published result stays until the new one takes its place, and is kept by its recipe even then. What
    has a result of that recipe already is left in peace.

    A CONDITION is state=…, engine=…, recipe=… (its beginning), code=…, tag=…, since=… (2h, 7d, 2026-11-01), gaps
    or doubts.
    Running and cancelled jobs are chosen by their state or one by one only. Those that wait already are not among
    --all; --where state=pending gives them another order.

    With --json: matched, current, redone, passed_over (a list of job_id, message), pending (how many wait and are not
    among --all), recipe_id (null where the engine is not installed here), dry_run.
    """
    if not jobs and not where and not is_all:
        raise click.UsageError("say which: HASH, --where CONDITION or --all")
    from blobforge import wiring

    settings = context.settings_of_queue(engine=engine)
    wanted = parse_options(options)
    order = wiring.order_for(settings, job_type, wanted)
    condition = parse_where(where) if where else None
    recipe = _recipe(settings, job_type, wanted)
    with opened_with_store(settings) as opened:
        queue = opened.coordinator
        chosen = _chosen(queue, settings.project, job_type, jobs, condition, is_all=is_all)
        mended = cache(lambda: wiring.mended_by(settings, job_type, wanted))
        sorting = sort_out(chosen, None if recipe is None else recipe.id, mended)
        blobs = wiring.open_blobs(settings)
        # A result that the queue itself publishes is what makes its job completed: none can be lost.
        sorting = sorting if opened.publishes else without_lost(sorting, blobs)
        sorting = without_sourceless(sorting, blobs)
        pending = _left_pending(queue, settings.project, job_type, chosen) if is_all else 0
        refused: list[JsonObject] = []
        if not dry_run:
            _require_agreement(sorting, yes=yes)
            refused = _reprocess(queue, sorting.redo, order)
    _tell(sorting, refused, recipe, dry_run=dry_run, as_json=as_json, pending=pending)
    if pending and not as_json:
        wait = "1 document waits" if pending == 1 else f"{pending} documents wait"
        output.say(
            f"{wait} already and by the order from before; 'blobforge reprocess --where state=pending' changes it"
        )


def _recipe(settings: Settings, job_type: str, options: JsonObject) -> Recipe | None:
    from blobforge import wiring

    try:
        return wiring.recipe_for(settings, job_type, options)
    except EngineUnavailable:
        return None


def _chosen(
    queue: Coordinator,
    project: str,
    job_type: str,
    names: tuple[str, ...],
    condition: JobFilter | None,
    *,
    is_all: bool,
) -> list[Job]:
    """Each once, whatever it was chosen by. Raises NotFound, InvalidValue."""
    found = {job.id: job for name in names for job in [_named(queue, name, project, job_type)]}
    filters = [] if condition is None else [condition._replace(project=project, type=job_type)]
    if is_all:
        filters.append(JobFilter(project=project, type=job_type, state=State.COMPLETED))
    for wanted in filters:
        for page in pages(queue, wanted):
            found |= {job.id: job for job in page if wanted.state is not None or job.state not in _LEFT_IN_PEACE}
    return list(found.values())


def _named(queue: Coordinator, name: str, project: str, job_type: str) -> Job:
    """The order is made for one type: by that of another one, the job would fail."""
    job = find_job(queue, name, project=project)
    if job.type != job_type:
        raise InvalidValue(f"{title(job)} is of the type {job.type}: say --type {job.type}")
    return job


def _left_pending(queue: Coordinator, project: str, job_type: str, chosen: list[Job]) -> int:
    pending = queue.counts(project=project).get((job_type, State.PENDING), 0)
    return pending - sum(job.state is State.PENDING for job in chosen)


def _require_agreement(sorting: Sorting, *, yes: bool) -> None:
    count = len(sorting.redo)
    if count <= MANY or yes:
        return
    if not can_ask():
        raise click.UsageError(f"{count} documents would be redone; say --yes, or --dry-run to look first")
    if not agrees(f"Redo {count} documents?"):
        raise click.Abort


def _reprocess(queue: Coordinator, jobs: list[Job], order: str) -> list[JsonObject]:
    """Those that were passed over, and why."""
    refused: list[JsonObject] = []
    for start in range(0, len(jobs), PAGE):
        part = jobs[start : start + PAGE]
        outcomes = zip(part, queue.reprocess(part, lambda job: with_same_password(job, order)), strict=True)
        refused += [
            {"job_id": id_json(job.id), "message": str(outcome)}
            for job, outcome in outcomes
            if isinstance(outcome, BlobForgeError)
        ]
    return refused


def _sourceless(job: Job) -> JsonObject:
    where = "its document is neither in the store nor at its path"
    return {"job_id": id_json(job.id), "message": f"{title(job)}: {where}; ingest it again, and then reprocess it"}


def _tell(
    sorting: Sorting,
    refused: list[JsonObject],
    recipe: Recipe | None,
    *,
    pending: int,
    dry_run: bool,
    as_json: bool,
) -> None:
    matched = len(sorting.redo) + len(sorting.current) + len(sorting.sourceless)
    redone = 0 if dry_run else len(sorting.redo) - len(refused)
    refused = [*refused, *(_sourceless(job) for job in sorting.sourceless)]
    if as_json:
        output.print_json(
            {
                "matched": matched,
                "current": len(sorting.current),
                "redone": redone,
                "passed_over": [*refused],
                "pending": pending,
                "recipe_id": None if recipe is None else recipe.id,
                "dry_run": dry_run,
            }
        )
        return
    for entry in refused:
        output.warn(f"{entry['message']}; passed over")
    passed = f", {len(refused)} passed over" if refused else ""
    have = "has" if len(sorting.current) == 1 else "have"
    current = f", {len(sorting.current)} {have} such a result already" if sorting.current else ""
    if dry_run:
        output.say(f"{counted(len(sorting.redo), 'document')} would be redone{current}{passed}")
    else:
        output.say(f"{counted(redone, 'document')} to be redone{current}{passed}")
