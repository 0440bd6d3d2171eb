"""What a worker says at its end: in words on a screen, and in lines of the log where the log is read by programs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from blobforge import extras
from blobforge.cli import context, output
from blobforge.domain.needs import how_to_get, in_words
from blobforge.telemetry.lazy import LazyLogger

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.worker.observer import Tally

log = LazyLogger(__name__)


class WorkerEnding(Protocol):
    def ended(self, tally: "Tally", *, is_told_as_json: bool) -> None: ...

    def left_behind(self, jobs: Mapping[str, int]) -> None:
        """How many jobs wait for what this worker has not, by their needs."""
        ...

    def interrupted(self) -> None: ...


def ending_for(settings: "Settings") -> WorkerEnding:
    return InWords() if context.logs_to_a_screen(settings) else InLog()


class InWords:
    def ended(self, tally: "Tally", *, is_told_as_json: bool) -> None:
        if is_told_as_json:
            return
        flaws = {"gaps": tally.gaps, "doubts": tally.doubts}
        told = ", ".join(f"{count} with {name}" for name, count in flaws.items() if count)
        flawed = f" ({told})" if told else ""
        cancelled = f", {tally.cancelled} cancelled" if tally.cancelled else ""
        ended = f"{tally.completed} completed{flawed}, {tally.failed} failed{cancelled}"
        output.say(f"{ended}, {tally.released} released, {tally.lost} lost")

    def left_behind(self, jobs: Mapping[str, int]) -> None:
        for needs, count in sorted(jobs.items()):
            waits = "job waits" if count == 1 else "jobs wait"
            ways = "; ".join(_ways(needs))
            hint = f"; to bring it: {ways}" if ways else ""
            missing = " and ".join(map(in_words, needs.split(" ")))
            output.warn(f"{count} {waits} for what this worker has not: {missing}{hint}")

    def interrupted(self) -> None:
        output.say("interrupted before all was done; the same command goes on")


class InLog:
    """A plain line among those of the log would break whoever reads them."""

    def ended(self, tally: "Tally", *, is_told_as_json: bool) -> None:  # noqa: ARG002 - it is in the log in any case
        log.info("worker ended", **tally_json(tally))

    def left_behind(self, jobs: Mapping[str, int]) -> None:
        for needs, count in sorted(jobs.items()):
            facts = {"needs": needs.split(" "), "to_bring_it": _ways(needs)}
            log.warning("jobs wait for what this worker has not", jobs=count, **facts)

    def interrupted(self) -> None:
        log.warning("interrupted before all was done")


def tally_json(tally: "Tally") -> dict[str, int]:
    names = ("completed", "failed", "released", "lost", "cancelled", "gaps", "doubts")
    return {name: getattr(tally, name) for name in names}


def _ways(needs: str) -> list[str]:
    return [extras.as_here(way) for word in needs.split(" ") if (way := how_to_get(word)) is not None]
