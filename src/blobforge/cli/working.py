"""A worker in the foreground: it logs, ends in good order on a signal, and says at the end what it did."""

import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

from blobforge.cli import output
from blobforge.cli.signals import stopped_by
from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.ports.processor import Progress
from blobforge.worker.feed import Until

if TYPE_CHECKING:
    from blobforge.wiring import OpenedWorker


class LogOnly:
    """The loop logs what happens; a worker shows nothing beyond that."""

    def claimed(self, job: Job) -> None:
        """Logged by the loop."""

    def progressed(self, job: Job, progress: Progress) -> None:
        """Told with the heartbeat."""

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        """Logged by the loop."""

    def waiting(self, problem: StoreUnavailable) -> None:
        """Logged by the loop."""


def until_when(*, run_once: bool, drain: bool) -> Until:
    return Until.ONE_JOB if run_once else Until.DRAINED if drain else Until.STOPPED


def work(opened: "OpenedWorker", *, as_json: bool) -> None:
    with stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, stop=opened.loop.stop):
        try:
            tally = opened.loop.run()
        finally:
            opened.close()
    facts = {
        "completed": tally.completed,
        "failed": tally.failed,
        "released": tally.released,
        "lost": tally.lost,
    }
    if as_json:
        output.print_json(facts)
    else:
        output.say(", ".join(f"{count} {what}" for what, count in facts.items()))
