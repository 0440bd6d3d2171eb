"""`blobforge hydrate`: finished results beside their sources."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.existing_path import ExistingPath
from blobforge.cli.flaws import warn_of_flaws
from blobforge.cli.jobs import id_json
from blobforge.cli.links import follow_links_option, tell_not_followed
from blobforge.cli.output import json_option
from blobforge.cli.progress import counted
from blobforge.cli.queue import opened_pair
from blobforge.clock import SystemClock
from blobforge.conversion.durable_ledger import DurableLedger
from blobforge.domain.json_value import JsonObject
from blobforge.ingest.links import Links
from blobforge.results.hydration import UNKNOWN, Hydrated, Hydration, HydrationOutcome
from blobforge.worker.results import ResultStore

if TYPE_CHECKING:
    from blobforge.config.settings import Settings

MOST_SHOWN = 20
"""So many documents without a result are named one by one; `--json` names them all."""


@click.command()
@click.argument("paths", nargs=-1, required=True, type=ExistingPath(), metavar="PATH...")
@click.option("--force", is_flag=True, help="Overwrite outputs that were edited, or are of another document.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@follow_links_option
@json_option
def command(paths: tuple[Path, ...], *, force: bool, dry_run: bool, follow_links: bool, as_json: bool) -> int:
    """Write finished results beside their sources.

    For every document below each PATH that has a finished result, writes <name>.md and <name>.assets/ beside it. The
    document is known by its content; of a Git LFS pointer, by the hash in it. A file that was edited stays as it is.

    Exit code: 0 all documents have their whole result, 3 some do not, or pages are missing in it, 1 none does.

    With --json: documents, written, current, unfinished, failed, states (of the unfinished), links_not_followed,
    dry_run, and results, a list of path, outcome, state, job_id, output, pages, pages_failed, doubts, code, message.
    """
    settings = context.settings_of_queue()
    links = Links(paths, follow_all=follow_links)
    with ExitStack() as stack:
        hydration = _open(settings, stack)
        account = list((hydration.dry_run if dry_run else hydration.run)(paths, force=force, links=links))
    account.sort(key=lambda entry: entry.path)
    if as_json:
        output.print_json(_account_json(account, links.not_followed, dry_run=dry_run))
    else:
        _tell(account, dry_run=dry_run)
        tell_not_followed(links.not_followed)
    missing = sum(entry.outcome in (HydrationOutcome.FAILED, HydrationOutcome.UNFINISHED) for entry in account)
    if not missing:
        return exit_codes.PARTIAL if any(entry.pages_failed for entry in account) else exit_codes.OK
    return exit_codes.PARTIAL if missing < len(account) else exit_codes.ERROR


def _open(settings: "Settings", stack: ExitStack) -> Hydration:
    from blobforge import wiring

    queue = stack.enter_context(opened_pair(settings))
    catalog = wiring.open_catalog(settings)
    stack.callback(catalog.close)
    return Hydration(
        queue,
        ResultStore(wiring.open_blobs(settings)),
        catalog,
        DurableLedger(catalog),
        SystemClock(),
        project=settings.project,
        job_type=wiring.PDF,
    )


def _account_json(account: Sequence[Hydrated], links_not_followed: Sequence[str], *, dry_run: bool) -> JsonObject:
    counts = Counter(entry.outcome for entry in account)
    return {
        "documents": len(account),
        **{outcome.value: counts[outcome] for outcome in HydrationOutcome},
        "states": dict(_states(account)),
        "links_not_followed": list(links_not_followed),
        "dry_run": dry_run,
        "results": [_entry_json(entry) for entry in account],
    }


def _entry_json(entry: Hydrated) -> JsonObject:
    return {
        "path": entry.path,
        "outcome": entry.outcome.value,
        "state": entry.state,
        "job_id": None if entry.job_id is None else id_json(entry.job_id),
        "output": entry.output,
        "pages": entry.pages,
        "pages_failed": entry.pages_failed,
        "doubts": entry.doubts or None,
        "code": entry.code,
        "message": entry.message,
    }


def _states(account: Sequence[Hydrated]) -> Counter[str]:
    return Counter(entry.state or UNKNOWN for entry in account if entry.outcome is HydrationOutcome.UNFINISHED)


def _tell(account: Sequence[Hydrated], *, dry_run: bool) -> None:
    for entry in account:
        if entry.outcome is HydrationOutcome.FAILED:
            output.warn(f"{entry.message} [{entry.code}]")
    unfinished = [entry for entry in account if entry.outcome is HydrationOutcome.UNFINISHED]
    for entry in unfinished[:MOST_SHOWN]:
        output.say(f"{entry.path}: {entry.message}")
    if len(unfinished) > MOST_SHOWN:
        output.say(f"… and {counted(len(unfinished) - MOST_SHOWN, 'more document')}; --json names them all")
    warn_of_flaws((entry.path, entry.gaps) for entry in account)
    warn_of_flaws((entry.path, entry.doubts) for entry in account)
    counts = Counter(entry.outcome for entry in account)
    written = f"{counts[HydrationOutcome.WRITTEN]} {'would be written' if dry_run else 'written'}"
    parts = [written]
    parts += [f"{counts[HydrationOutcome.CURRENT]} written before"] if counts[HydrationOutcome.CURRENT] else []
    states = _states(account).items()
    parts += [f"{count} {'not in this queue' if state == UNKNOWN else state}" for state, count in states]
    parts += [f"{counts[HydrationOutcome.FAILED]} failed"] if counts[HydrationOutcome.FAILED] else []
    missing = sum(entry.pages_failed for entry in account)
    gaps = f"; {counted(missing, 'page')} missing in them" if missing else ""
    output.say(f"{counted(len(account), 'document')}: {', '.join(parts)}{gaps}")
