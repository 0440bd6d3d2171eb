"""`blobforge worker`: takes jobs from the queue and does them."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.choices import JOB_TYPE
from blobforge.cli.groups import HelpfulGroup
from blobforge.cli.job_table import document_name
from blobforge.cli.jobs import SHORT_HASH, job_json, priority_text
from blobforge.cli.output import Column, json_option
from blobforge.cli.worker_ending import ending_for
from blobforge.cli.worker_health import health
from blobforge.cli.worker_screen import introduce
from blobforge.cli.working import once_it_answers, until_when, watcher_for, work
from blobforge.clock import SystemClock
from blobforge.domain.errors import InvalidValue
from blobforge.domain.run_window import parse_run_window, parse_run_windows
from blobforge.domain.worker_report import MOST_SLOTS
from blobforge.ports.job_store import Queue
from blobforge.worker.claim_preview import ClaimPreview, preview_claims
from blobforge.worker.feed import Until
from blobforge.worker.run_schedule import RunSchedule

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.wiring import OpenedWorker


def _joined(_ctx: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> str | None:
    """Run windows as the setting has them; None where none was given."""
    try:
        return ",".join(str(parse_run_window(text.strip())) for text in texts) or None
    except InvalidValue as error:
        raise click.BadParameter(str(error)) from error


@click.group(cls=HelpfulGroup, invoke_without_command=True)
@click.option("--slots", type=click.IntRange(1, MOST_SLOTS), help="Documents at the same time.  [default: all cores]")
@click.option(
    "--type",
    "types",
    multiple=True,
    default=("pdf",),
    show_default=True,
    type=JOB_TYPE,
    help="Job types to take.",
)
@click.option("--run-once", is_flag=True, help="Do one job, if there is one, and end.")
@click.option("--drain", is_flag=True, help="End when the queue is empty.")
@click.option("--dry-run", is_flag=True, help="Only say which jobs would be claimed next.")
@click.option(
    "--run-window",
    "run_windows",
    multiple=True,
    metavar="HH:MM-HH:MM",
    callback=_joined,
    help="Take jobs only at this time of day, such as 22:00-06:00; may be given several times.",
)
@click.option(
    "--abort-outside-window",
    is_flag=True,
    flag_value=True,
    default=None,
    help="Give running jobs back when the window closes, and do not finish them.",
)
@click.option("--on-term", type=click.Choice(["release", "finish"]), help="What SIGTERM does to running jobs.")
@click.option("--grace-seconds", type=float, help="How long 'finish' may take.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    types: tuple[str, ...],
    run_once: bool,
    drain: bool,
    dry_run: bool,
    as_json: bool,
    **flags: object,
) -> int:
    """Run a worker on the queue.

    The first SIGTERM or Ctrl-C hands running jobs back (or finishes them, with --on-term finish, for up to
    --grace-seconds); a second one skips the grace time.

    A queue or a store on another machine that does not answer is waited for, also at the start; a refused password ends
    the worker at once.

    Exit code, with --drain or --run-once: 0 all that it did is whole, 3 documents failed, pages of them are missing or
    jobs wait that no worker like this one can do, 130 a signal ended it before all was done. Whenever: 4 a server
    refuses its secret.

    With --json, at the end: completed, failed, released, lost, cancelled, and of the completed ones gaps, how many miss
    pages, and doubts, how many are of repaired files or have doubtful pages.
    With --dry-run: jobs, waiting, opens_at, paused.
    """
    if ctx.invoked_subcommand is not None:
        return exit_codes.OK
    if run_once and drain:
        raise click.UsageError("--run-once and --drain exclude each other")
    settings = context.settings(**flags)
    if dry_run:
        _foretell(settings, types, limit=1 if run_once else settings.worker.slots, as_json=as_json)
        return exit_codes.OK
    return _work(settings, types, until_when(run_once=run_once, drain=drain), as_json=as_json)


command.add_command(health)


def _work(settings: "Settings", types: Sequence[str], until: Until, *, as_json: bool) -> int:
    from blobforge import wiring

    wiring.require_worker_secret(settings)
    watcher = watcher_for(settings)

    def open_worker() -> "OpenedWorker":
        return wiring.open_worker(wiring.with_own_project(settings), types=types, until=until, watcher=watcher)

    opened = once_it_answers(open_worker, settings)
    if opened.introduction is not None and context.logs_to_a_screen(settings):
        introduce(opened.introduction)
    return work(opened, ending=ending_for(settings), ends_by_itself=until is not Until.STOPPED, as_json=as_json)


def _foretell(settings: "Settings", types: Sequence[str], *, limit: int, as_json: bool) -> None:
    from blobforge import wiring

    settings = wiring.with_own_project(settings)
    has = wiring.abilities_of(types)
    clock = SystemClock()
    opens_at = RunSchedule(parse_run_windows(settings.worker.run_windows), clock=clock).opens_at()
    opened = wiring.open_known_coordinator(settings)
    try:
        queue = Queue(settings.project, tuple(types), has)
        preview = preview_claims(opened.coordinator, queue, limit=limit, now=clock.now())
    finally:
        opened.close()
    if as_json:
        output.print_json(
            {
                "jobs": [job_json(job) for job in preview.jobs],
                "waiting": preview.waiting,
                "opens_at": None if opens_at is None else opens_at.isoformat(),
                "paused": list(preview.paused),
            }
        )
    else:
        _print_preview(preview, opens_at)


def _print_preview(preview: ClaimPreview, opens_at: datetime | None) -> None:
    for job_type in preview.paused:
        output.say(f"jobs of the type {job_type} are paused: none would be claimed until 'blobforge resume {job_type}'")
    if not preview.jobs:
        if not preview.paused:
            output.say("nothing waits: no job would be claimed")
        return
    columns = [
        *(Column("HASH"), Column("DOCUMENT", cut=True), Column("SIZE", right=True)),
        *(Column("PRIORITY", rank=1), Column("TYPE", rank=2), Column("ID", rank=3)),
    ]
    output.print_table(
        columns,
        [
            [
                job.source_hash[:SHORT_HASH],
                document_name(job) or "unknown",
                "" if job.source_size is None else output.size_text(job.source_size),
                priority_text(job),
                job.type,
                f"#{job.id}",
            ]
            for job in preview.jobs
        ],
    )
    when = "now" if opens_at is None else f"at {opens_at.astimezone():%H:%M}, when the run window opens"
    output.say(f"these {len(preview.jobs)} of {preview.waiting} would be claimed {when}; nothing was claimed")
