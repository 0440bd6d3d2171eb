"""`blobforge gc`: clears away what nobody needs any more in the store."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import timedelta

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.confirming import HINT, agrees, can_ask
from blobforge.cli.number_range import within
from blobforge.cli.output import Column, json_option
from blobforge.cli.progress import counted
from blobforge.clock import SystemClock
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings, StoreMismatch
from blobforge.domain.json_value import JsonObject
from blobforge.results.garbage import Garbage, Kind
from blobforge.results.garbage_collection import GarbageCollector, GarbageSurvey

MOST_DAYS = 36_500

MEANINGS = {
    Kind.RESULT: "results that no job publishes",
    Kind.SOURCE: "sources without a job",
    Kind.LOG: "error logs of completed jobs",
    Kind.TEMPORARY: "half-finished uploads",
}


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be deleted, and delete nothing.")
@click.option(
    "--older-than",
    "days",
    default=7.0,
    show_default=True,
    type=float,
    callback=within(0, MOST_DAYS, of="days"),
    metavar="DAYS",
    help="Keep what is younger.",
)
@click.option(
    "--only-queue",
    is_flag=True,
    help="First note that no other queue uses this store any more, and this one from nowhere else.",
)
@click.option("--yes", is_flag=True, help="Delete without asking; needed where there is no terminal.")
@json_option
def command(*, dry_run: bool, days: float, only_queue: bool, yes: bool, as_json: bool) -> int:
    """Clear away what nobody needs any more in the store.

    That is: results of recipes that no job publishes any more, sources without any job, error logs of completed
    jobs, and what cut off uploads have left. Published results, and the sources of this queue's jobs, always stay.
    What is young stays too, because a document is stored before its job is made.

    In a bucket, all that a marker, a lock, a result or the manifest names counts as needed, in every project; where
    something among the objects of the queue is not BlobForge's, nothing is deleted.

    The queue of the settings must be the only one that uses the store: what another queue knows looks unneeded here. So
    where another one was used with it, nothing is deleted, until you say with --only-queue that it is gone for good. It
    may be one at the same address whose database is lost, or this one in a file at another place, moved or copied.
    Nothing is deleted, either, where the store has results of documents that the queue has no job for, or whose job
    names another result that is gone: it was restored from an older backup then.

    Exit code: 0 done, or nothing to do, 2 nobody could be asked and --yes was not said.

    With --json: kinds, an object of count and bytes by kind; count, bytes, young (kept because of their age),
    deleted (whether), older_than_days, and blobs, a list of kind, key, size.
    """
    from blobforge import wiring

    settings = context.settings()
    wiring.require_server_machine(settings, "gc")
    opened = wiring.open_known_coordinator(settings)
    with closing(opened):
        if only_queue and not dry_run:
            wiring.confirm_only_queue(settings, opened)
        wiring.require_only_queue(settings, opened)
        # In a bucket, others may have stored documents of which only the manifest tells.
        manifest = wiring.open_manifest(settings) if opened.publishes else None
        collector = GarbageCollector(opened.coordinator, opened.blobs(), manifest)
        survey = collector.survey(before=SystemClock().now() - timedelta(days=days))
        if survey.blobs and not survey.needs.documents:
            raise InvalidSettings(
                f"the queue {shown_address(settings.queue)} has no jobs at all, so that everything in "
                f"the store {shown_address(settings.store)} would look unneeded; "
                "check that it is the queue of this store ('blobforge config show')"
            )
        if survey.unknown and not opened.publishes and not only_queue:
            raise StoreMismatch(_of_lost_jobs(survey, settings.queue, settings.store))
        if not as_json:
            _tell(survey, days=days)
        found = survey.everything
        is_agreed = bool(found) and not dry_run and (yes or _agrees(found, as_json=as_json))
        if is_agreed:
            found = collector.clear(survey)
    if as_json:
        output.print_json(_account_json(found, survey, days=days, deleted=is_agreed))
    elif is_agreed:
        output.say(f"deleted {_amount(found)}")
    elif found and not dry_run:
        output.say("nothing was deleted" + ("" if can_ask() else HINT))
    is_unanswered = bool(found) and not dry_run and not is_agreed and (as_json or not can_ask())
    return exit_codes.USAGE if is_unanswered else exit_codes.OK


def _of_lost_jobs(survey: GarbageSurvey, queue: str, store: str) -> str:
    """A bucket is its own queue: there the results are what it knows."""
    unknown = counted(len(survey.unknown), "document")
    return (
        f"the store {shown_address(store)} has results of {unknown}, such as {survey.unknown[0][:12]}, for which the "
        f"queue {shown_address(queue)} has no job, or names a result that is not there; no command leaves them so, and "
        "the queue was probably restored from an older backup. Submit again what it lost, and say "
        "'blobforge reprocess' for finished jobs whose result is gone ('blobforge plan' counts them), with the options "
        "that they were given last: when a worker has been there, what the store has is found, and not converted "
        "again. If nobody needs it any more, say so with 'blobforge gc --only-queue'; nothing was deleted"
    )


def _tell(survey: GarbageSurvey, *, days: float) -> None:
    found = survey.everything
    if found:
        rows = [
            [MEANINGS[kind], str(len(some)), output.size_text(sum(item.size for item in some))]
            for kind in Kind
            if (some := [item for item in found if item.kind is kind])
        ]
        output.print_table([Column("WHAT"), Column("COUNT", right=True, keep=True), Column("SIZE", right=True)], rows)
    else:
        output.say("nothing to clear away")
    if survey.young:
        output.say(f"{counted(survey.young, 'more blob')} younger than {days:g} days: kept for now")


def _agrees(found: Sequence[Garbage], *, as_json: bool) -> bool:
    return not as_json and agrees(f"Delete {_amount(found)}?")


def _amount(found: Sequence[Garbage]) -> str:
    return f"{counted(len(found), 'blob')} ({output.size_text(sum(item.size for item in found))})"


def _account_json(found: Sequence[Garbage], survey: GarbageSurvey, *, days: float, deleted: bool) -> JsonObject:
    return {
        "kinds": {kind.value: _totals(item for item in found if item.kind is kind) for kind in Kind},
        **_totals(found),
        "young": survey.young,
        "deleted": deleted,
        "older_than_days": days,
        "blobs": [{"kind": item.kind.value, "key": item.key, "size": item.size} for item in found],
    }


def _totals(found: Iterable[Garbage]) -> JsonObject:
    sizes = [item.size for item in found]
    return {"count": len(sizes), "bytes": sum(sizes)}
