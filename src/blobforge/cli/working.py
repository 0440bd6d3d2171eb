"""A worker in the foreground: it logs, ends in good order on a signal, and says at the end what it did."""

import signal
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from blobforge.cli import context, exit_codes, output
from blobforge.cli.signals import stopped_by
from blobforge.cli.worker_ending import WorkerEnding, tally_json
from blobforge.cli.worker_screen import TOLD_HERE, WorkerScreen
from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.ports.processor import Progress
from blobforge.worker.feed import Until
from blobforge.worker.observer import WorkerObserver
from blobforge.worker.outage import Outage

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.wiring import OpenedWorker

LONGEST_WAIT_SECONDS = 15.0


class LogOnly:
    """The loop logs what happens; a worker shows nothing beyond that."""

    def claimed(self, job: Job) -> None:
        """Logged by the loop."""

    def progressed(self, job: Job, progress: Progress) -> None:
        """Told with the heartbeat."""

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        """Logged by the loop."""

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        """Logged by the loop."""


def watcher_for(settings: "Settings") -> WorkerObserver:
    """Starts the log as well: what is shown in lines of its own is not in it."""
    if not context.logs_to_a_screen(settings):
        context.start_logging(settings)
        return LogOnly()
    context.start_logging(settings, shown_otherwise=TOLD_HERE)
    return WorkerScreen()


def until_when(*, run_once: bool, drain: bool) -> Until:
    return Until.ONE_JOB if run_once else Until.DRAINED if drain else Until.STOPPED


def once_it_answers(open_worker: "Callable[[], OpenedWorker]", settings: "Settings") -> "OpenedWorker":
    """A queue or a store on another machine that is away is waited for, as a running worker does; what is here and does
    not open will not open by itself. Raises StoreUnavailable, InvalidSettings."""
    from blobforge.wiring.addresses import are_on_this_machine

    outage, wait = Outage("the queue or the store"), 1.0
    while True:
        try:
            opened = open_worker()
        except StoreUnavailable as error:
            if are_on_this_machine(settings):
                raise
            outage.goes_on(error)
            time.sleep(wait)
            wait = min(wait * 1.5, LONGEST_WAIT_SECONDS)
        else:
            outage.is_over()
            return opened


def work(opened: "OpenedWorker", *, ending: WorkerEnding, ends_by_itself: bool, as_json: bool) -> int:
    """The exit code: partial where documents were left to other workers or, of one that ends by itself, where
    documents failed or miss pages; and one that was to end by itself and was stopped before was interrupted. Who runs
    for ever is stopped by somebody, and that went well."""
    with stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, stop=opened.loop.stop):
        try:
            tally = opened.loop.run()
        finally:
            opened.close()
    if as_json:
        output.print_json(tally_json(tally))
    ending.ended(tally, is_told_as_json=as_json)
    left_behind = opened.left_behind()
    ending.left_behind(left_behind)
    if ends_by_itself and tally.interrupted:
        ending.interrupted()
        return exit_codes.INTERRUPTED
    is_whole = tally.is_whole or not ends_by_itself
    return exit_codes.OK if is_whole and not left_behind else exit_codes.PARTIAL
