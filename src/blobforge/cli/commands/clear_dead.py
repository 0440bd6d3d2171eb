"""`blobforge clear-dead`: jobs that were given up leave the queue for good, or go back to the result they have."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, output
from blobforge.cli.many import Choice, choice_options, print_codes
from blobforge.cli.output import json_option
from blobforge.cli.queue import PAGE, opened_unless_mismatched
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import JsonObject
from blobforge.ports.blob_store import error_log_key
from blobforge.ports.coordinator import Cleared

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.ports.coordinator import Coordinator


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@choice_options
@json_option
def command(*, yes: bool, code: str | None, job_type: str | None, dry_run: bool, as_json: bool) -> None:
    """Remove dead jobs from the queue, with their history and their error logs.

    It is as if they had never been submitted: submitting the same document again makes a new job. Their sources stay
    in the store until the next gc; in a bucket, gc keeps those that the manifest lists.

    A job that has a result from before, as after a reprocess that died, is not removed: it is completed again, with
    that result. A job that somebody retries meanwhile stays.

    With --json: matched, cleared (removed for good), restored (completed again), by_code (how many of each error
    code), dry_run.
    """
    settings = context.settings_of_queue()
    with opened_unless_mismatched(settings) as queue:
        choice = Choice(project=settings.project, state=State.DEAD, job_type=job_type, code=code)
        dead = [job for jobs in choice.pages(queue) for job in jobs]
        codes = Counter(job.error_code or "" for job in dead)
        if not as_json:
            print_codes(codes)
        foreseen = _foreseen(dead)
        may_clear = bool(dead) and not dry_run and (yes or _is_agreed(foreseen))
        cleared = _clear(queue, settings, dead) if may_clear else Cleared(0, 0)
    if as_json:
        account: JsonObject = {"matched": len(dead), "cleared": cleared.purged, "restored": cleared.restored}
        output.print_json({**account, "by_code": dict(codes.most_common()), "dry_run": dry_run})
    elif dry_run:
        output.say(_told(foreseen, "would be cleared"))
    else:
        changed = len(dead) - sum(cleared)
        output.say(_told(cleared, "cleared") + (f", {changed} changed meanwhile and stayed" if changed else ""))


def _foreseen(dead: Sequence[Job]) -> Cleared:
    restored = sum(job.result is not None for job in dead)
    return Cleared(len(dead) - restored, restored)


def _told(cleared: Cleared, word: str) -> str:
    back = f", {cleared.restored} completed again with the result from before" if cleared.restored else ""
    return f"{cleared.purged} {word}{back}"


def _is_agreed(foreseen: Cleared) -> bool:
    if not output.is_terminal(sys.stdin):
        raise click.UsageError("nobody can be asked here: say --yes to remove them, or --dry-run to look")
    jobs = "1 dead job" if foreseen.purged == 1 else f"{foreseen.purged} dead jobs"
    back = f", and complete {foreseen.restored} again with the result from before" if foreseen.restored else ""
    return click.confirm(f"Remove {jobs} for good, history included{back}?", abort=True, err=True)


def _clear(queue: Coordinator, settings: Settings, dead: Sequence[Job]) -> Cleared:
    purged = restored = 0
    for start in range(0, len(dead), PAGE):
        part = dead[start : start + PAGE]
        cleared = queue.clear_dead(part)
        purged, restored = purged + cleared.purged, restored + cleared.restored
        _remove_logs(queue, settings, part)
    return Cleared(purged, restored)


def _remove_logs(queue: Coordinator, settings: Settings, jobs: Sequence[Job]) -> None:
    """Of those that are gone; a server has done so itself. What cannot be removed does no harm: the next attempt of the
    document replaces it."""
    from blobforge import wiring

    if wiring.is_behind_server(settings):
        return
    stayed = {job.id for job in queue.get_many([job.id for job in jobs])}
    try:
        blobs = wiring.open_blobs(settings)
        for job in jobs:
            if job.id not in stayed:
                blobs.delete(error_log_key(job.source_hash))
    except StoreUnavailable as error:
        output.warn(f"some error logs are left behind: {error}")
