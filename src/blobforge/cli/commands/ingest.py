"""`blobforge ingest`: libraries of documents into the store, the queue and the manifest."""

import signal
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.ingest_display import IngestDisplay, display_for, entry_json, summary
from blobforge.cli.keys import ended_by_key
from blobforge.cli.links import follow_links_option, tell_not_followed
from blobforge.cli.output import json_option
from blobforge.cli.processor_options import parse_options
from blobforge.cli.signals import set_from_handler, stopped_by
from blobforge.cli.tiers import TIER
from blobforge.domain.errors import DiskFull, SourceError, StoreUnavailable
from blobforge.domain.json_value import JsonObject
from blobforge.domain.priority import Priority
from blobforge.gc_pause import gc_paused
from blobforge.ingest.following import Follower

if TYPE_CHECKING:
    from blobforge.ingest.account import IngestAccount
    from blobforge.wiring import OpenedIngest

LOOK_EVERY_SECONDS = 2.0
LOOK_SHARE = 20
"""Looking takes one part in so many of the time, however large the folder is."""


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--priority",
    default="3",
    type=TIER,
    metavar="TIER",
    help="1 (critical) to 5 (background), or a name.  [default: 3]",
)
@click.option("--tag", "tags", multiple=True, help="A word to find the documents by; may be given several times.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the processor, for what is new."
)
@click.option("--source", help="What the manifest calls the library.  [default: the folder's or repository's name]")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@follow_links_option
@click.option("--follow", is_flag=True, help="Go on watching for new and changed files, until q or Ctrl-C.")
@json_option
def command(
    paths: tuple[str, ...],
    *,
    priority: Priority,
    tags: tuple[str, ...],
    options: tuple[str, ...],
    source: str | None,
    dry_run: bool,
    follow: bool,
    follow_links: bool,
    as_json: bool,
) -> int:
    """Bring libraries of PDFs into the queue.

    PATH is a file, a folder, a pattern such as 'books/**/*.pdf', or a Git repository by its path or its address
    (https://..., ssh://..., git@host:path). Files are told by their first bytes, not by their names. Content that is
    there already is neither uploaded nor queued again; where else it was found, and its tags, go to the manifest. Run
    it again to go on after an interruption. A PATH that is not there is most often a typo: the command ends before
    anything is queued.

    Exit code: 0 all is there, 3 some documents failed, 1 all failed, 2 usage, 130 interrupted.

    With --json: found, uploaded, queued, skipped (counts by the state of the job that was there, or not_a_pdf), failed
    (counts by code), links_not_followed, dry_run, interrupted, seconds, and results, a list of path, outcome, state,
    code, message, uploaded, source_hash. With --follow, each result is a line of its own with event "document", and the
    rest is a last line with event "summary".
    """
    from blobforge import wiring

    if dry_run and follow:
        raise click.UsageError("--dry-run and --follow exclude each other")
    settings = context.settings_of_queue()
    stop = threading.Event()
    request = wiring.IngestRequest(
        paths=paths,
        priority=priority,
        tags=tags,
        source=source,
        options=parse_options(options),
        follow=follow,
        follow_links=follow_links,
    )
    began = time.monotonic()
    with ExitStack() as listening:
        listening.enter_context(stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, stop=lambda _: _stop(stop)))
        if follow:
            listening.enter_context(ended_by_key(stop.set))
        with display_for(as_json=as_json, follow=follow) as shown:
            open_it = wiring.open_rehearsal if dry_run else wiring.open_ingest
            opened = open_it(settings, request, watcher=shown, stopped=stop.is_set)
            try:
                _run(opened, shown, stop, follow=follow)
            finally:
                opened.close()
        interrupted = stop.is_set() and not follow
        facts: JsonObject = {
            "links_not_followed": list(opened.libraries.links_not_followed),
            "dry_run": dry_run,
            "interrupted": interrupted,
            "seconds": round(time.monotonic() - began, 3),
        }
        _tell(shown.account, facts, as_json=as_json, follow=follow)
        if not as_json:
            tell_not_followed(opened.libraries.links_not_followed)
    return _exit_code(shown.account, interrupted=interrupted)


def _stop(stop: threading.Event) -> None:
    """Between two documents; who asks twice does not wait for the one that is on its way."""
    if stop.is_set():
        raise KeyboardInterrupt
    set_from_handler(stop)


def _run(opened: "OpenedIngest", shown: IngestDisplay, stop: threading.Event, *, follow: bool) -> None:
    try:
        if follow:
            opened.libraries.check_watchable()
            _follow(opened, stop)
        else:
            opened.libraries.check()
            with gc_paused():
                files = opened.libraries.files(stop.is_set)
                shown.begin(files=len(files))
                opened.service.ingest(files)
    except SourceError:
        # Whoever presses Ctrl-C while git clones has stopped git as well.
        if not stop.is_set():
            raise
    finally:
        opened.service.finish()


def _follow(opened: "OpenedIngest", stop: threading.Event) -> None:
    follower = Follower(lambda: opened.libraries.files(stop.is_set))
    trouble, wait = "", 0.0
    while not stop.wait(wait):
        began = time.monotonic()
        try:
            if news := follower.news():
                opened.service.ingest(news)
            if not stop.is_set():
                follower.done()
            trouble = ""
        except (StoreUnavailable, DiskFull, SourceError) as error:
            # It passes, or somebody mends it: what was found is taken in then. Said once, not at every look.
            if str(error) != trouble:
                trouble = str(error)
                output.warn(f"{error} [{error.code}]")
        wait = max(LOOK_EVERY_SECONDS, LOOK_SHARE * (time.monotonic() - began))


def _tell(account: "IngestAccount", facts: JsonObject, *, as_json: bool, follow: bool) -> None:
    if as_json:
        counts: JsonObject = {
            "found": account.found,
            "uploaded": account.uploaded,
            "queued": account.queued,
            "skipped": dict(account.skipped),
            "failed": dict(account.failed),
            **facts,
        }
        if follow:
            output.print_json_line({"event": "summary", **counts})
        else:
            output.print_json({**counts, "results": [entry_json(entry) for entry in account.entries]})
        return
    output.say(summary(account, done="would be " if facts["dry_run"] else ""))
    if facts["interrupted"]:
        output.say("Interrupted. Run the same command again to go on.")


def _exit_code(account: "IngestAccount", *, interrupted: bool) -> int:
    if interrupted:
        return exit_codes.INTERRUPTED
    failed = account.failed.total()
    if not failed:
        return exit_codes.OK
    return exit_codes.ERROR if failed == account.found else exit_codes.PARTIAL
