"""How a run of `convert` looks to a person: a bar on a terminal, a line now and then elsewhere."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import PurePath
from types import TracebackType
from typing import Protocol, Self

from blobforge.cli import output
from blobforge.conversion.document import ConversionOutcome, DocumentReport
from blobforge.conversion.service import Display, InWork


class ProgressDisplay(Display, Protocol):
    """A Display that is also a context manager."""

    def close(self) -> None:
        """Takes it off the screen; leaving it does so too."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def display(*, quiet: bool) -> ProgressDisplay:
    if quiet:
        return SilentDisplay()
    can_move = output.is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
    return ConversionBarDisplay() if can_move else ConversionLineDisplay()


class SilentDisplay:
    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing was shown, so nothing ends."""

    def begin(self, *, documents: int, size: int) -> None:
        """Nothing is shown."""

    def progress(self, *, pages: int, size: int, in_work: Sequence[InWork] = ()) -> None:
        """Nothing is shown."""

    def document(self, report: DocumentReport) -> None:
        """Nothing is shown."""

    def trouble(self, message: str) -> None:
        output.warn(message)


class ConversionLineDisplay(SilentDisplay):
    """For logs and pipes: failures at once, and a sign of life every ten seconds."""

    EVERY_SECONDS = 10.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next = clock() + self.EVERY_SECONDS
        self._documents = 0
        self._done = 0

    def begin(self, *, documents: int, size: int) -> None:
        self._documents = documents
        output.say(f"converting {counted(documents, 'document')} ({output.size_text(size)})")

    def progress(self, *, pages: int, size: int, in_work: Sequence[InWork] = ()) -> None:  # noqa: ARG002 - a display
        if self._clock() >= self._next:
            self._next = self._clock() + self.EVERY_SECONDS
            now = f"; now {in_work_text(in_work)}" if in_work else ""
            output.say(f"{self._done} of {counted(self._documents, 'document')}, {counted(pages, 'page')}{now}")

    def document(self, report: DocumentReport) -> None:
        self._done += 1
        if report.outcome is ConversionOutcome.FAILED:
            output.say(f"failed: {failure_line(report)}")


class ConversionBarDisplay(SilentDisplay):
    """A bar of bytes, which are known from the start, with pages, their rate and the time that is left; below it the
    names of the documents that are being converted."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

        from blobforge.cli.captioned_bar import CaptionedBar

        console = Console(file=sys.stderr, no_color=not output.has_colour(sys.stderr), highlight=False)
        self._bar = CaptionedBar(
            TextColumn("{task.fields[done]}/{task.fields[documents]} documents"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[pages]}, {task.fields[rate]:.0f}/s"),
            TextColumn("ETA"),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            expand=True,
        )
        self._began = time.monotonic()
        self._task = self._bar.add_task("", total=None, start=False, done=0, documents=0, pages="0 pages", rate=0.0)
        self._done = 0

    def close(self) -> None:
        self._bar.stop()

    def begin(self, *, documents: int, size: int) -> None:
        self._began = time.monotonic()
        self._bar.update(self._task, total=size, documents=documents)
        self._bar.start()
        self._bar.start_task(self._task)

    def progress(self, *, pages: int, size: int, in_work: Sequence[InWork] = ()) -> None:
        self._bar.caption = output.printable(in_work_text(in_work), sys.stderr)
        elapsed = max(time.monotonic() - self._began, 0.001)
        self._bar.update(self._task, completed=size, pages=counted(pages, "page"), rate=pages / elapsed)

    def document(self, report: DocumentReport) -> None:
        self._done += 1
        self._bar.update(self._task, done=self._done)
        if report.outcome is ConversionOutcome.FAILED:
            # Above the bar, which rich moves down.
            self._print(f"failed: {failure_line(report)}")

    def trouble(self, message: str) -> None:
        self._print(f"warning: {message}")

    def _print(self, line: str) -> None:
        self._bar.console.print(output.for_people(line, sys.stderr), markup=False, soft_wrap=True)


def failure_line(report: DocumentReport) -> str:
    """The path, the reason and its code; who converted it named it by its bare name, which the path says already."""
    message = report.message or "no reason was given"
    if report.path not in message:
        message = f"{report.path}: {message.removeprefix(f'{PurePath(report.path).name}: ')}"
    return f"{message} [{report.code}]"


def in_work_text(documents: Sequence[InWork]) -> str:
    """`atlas.pdf 3/5, handbook.pdf 40/127`."""
    return ", ".join(f"{name} {pages}/{total}" if total > 1 else name for name, pages, total in documents)


def counted(number: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
