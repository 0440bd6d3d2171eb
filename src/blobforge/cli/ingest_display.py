"""How an ingest looks to a person: a bar on a terminal, a line now and then elsewhere."""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Self

from blobforge.cli import output
from blobforge.cli.progress import counted
from blobforge.ingest.account import IngestAccount
from blobforge.ingest.service import Ingested, IngestOutcome

_WORDS = {"not_a_pdf": "not a PDF"}


class IngestDisplay:
    """Shows nothing but keeps the account, and is what the others are made of."""

    def __init__(self) -> None:
        self.account = IngestAccount()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was shown, so nothing ends."""

    def begin(self, *, files: int) -> None:
        """Nothing is shown."""

    def hashing(self, path: str, size: int) -> None:
        """Nothing is shown."""

    def fetching(self, path: str, size: int) -> None:
        """Nothing is shown."""

    def uploading(self, path: str, size: int) -> None:
        """Nothing is shown."""

    def transfer_ended(self, path: str) -> None:
        """Nothing is shown."""

    def passed_over(self) -> None:
        """Nothing is shown."""

    def settled(self, entries: Sequence[Ingested]) -> None:
        self.account.add(entries)


class FindingLines(IngestDisplay):
    """For programs that follow: a line of JSON a document."""

    def settled(self, entries: Sequence[Ingested]) -> None:
        super().settled(entries)
        for entry in entries:
            output.print_json_line({"event": "document", **entry_json(entry)})


class IngestLineDisplay(IngestDisplay):
    """For logs and pipes: what is wrong at once, and a sign of life every ten seconds."""

    EVERY_SECONDS = 10.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._next = clock() + self.EVERY_SECONDS

    def settled(self, entries: Sequence[Ingested]) -> None:
        super().settled(entries)
        for entry in entries:
            if entry.message is not None:
                output.warn(f"{entry.message} [{entry.reason}]")
        if self._clock() >= self._next:
            self._next = self._clock() + self.EVERY_SECONDS
            output.say(summary(self.account))


class FollowDisplay(IngestLineDisplay):
    """For a person who watches a folder: what is queued is told at once."""

    def settled(self, entries: Sequence[Ingested]) -> None:
        super().settled(entries)
        for entry in entries:
            if entry.outcome is IngestOutcome.QUEUED:
                output.say(f"queued {entry.path}")


class IngestBarDisplay(IngestDisplay):
    """A bar of files, with what is being done to one where that takes time. Threads may tell of their uploads."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        super().__init__()
        console = Console(file=sys.stderr, no_color=not output.has_colour(sys.stderr), highlight=False)
        self._bar = Progress(
            TextColumn("{task.fields[count]}"),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[queued]} queued"),
            TextColumn("{task.fields[doing]}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
            console=console,
            transient=True,
            expand=True,
        )
        self._task = self._bar.add_task("", total=None, count="looking for files", queued=0, doing="", start=False)
        self._files = self._done = 0
        self._lock = threading.Lock()
        self._fetches: dict[str, str] = {}
        self._uploads: dict[str, str] = {}
        """Name and size by path; the last one began last."""

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, *, files: int) -> None:
        self._files = files
        self._bar.update(self._task, total=files, count=f"0/{files} files")

    def hashing(self, path: str, size: int) -> None:
        self._show(f"Computing hash: {_named(path, size)}")

    def fetching(self, path: str, size: int) -> None:
        with self._lock:
            self._fetches[path] = _named(path, size)
            self._show_transfers()

    def uploading(self, path: str, size: int) -> None:
        with self._lock:
            self._fetches.pop(path, None)
            self._uploads[path] = _named(path, size)
            self._show_transfers()

    def transfer_ended(self, path: str) -> None:
        with self._lock:
            self._fetches.pop(path, None)
            self._uploads.pop(path, None)
            self._show_transfers()

    def passed_over(self) -> None:
        self._advance(1)

    def settled(self, entries: Sequence[Ingested]) -> None:
        super().settled(entries)
        self._advance(len(entries))
        self._bar.update(self._task, queued=self.account.queued)
        with self._lock:
            self._show_transfers()
        for entry in entries:
            if entry.message is not None:
                line = output.for_people(f"warning: {entry.message} [{entry.reason}]", sys.stderr)
                # Above the bar, which rich moves down.
                self._bar.console.print(line, markup=False, soft_wrap=True)

    def _advance(self, files: int) -> None:
        self._done += files
        self._bar.update(self._task, completed=self._done, count=f"{self._done}/{self._files} files")

    def _show_transfers(self) -> None:
        fetch, upload = (next(reversed(named.values()), "") for named in (self._fetches, self._uploads))
        if fetch:
            self._show(f"Fetching by Git LFS: {fetch}")
        elif len(self._uploads) > 1:
            self._show(f"Uploading {len(self._uploads)} files: {upload}")
        else:
            self._show(f"Uploading: {upload}" if upload else "")

    def _show(self, doing: str) -> None:
        from rich.markup import escape

        self._bar.update(self._task, doing=escape(output.printable(doing, sys.stderr)))


def _named(path: str, size: int) -> str:
    return f"{PurePath(path).name} ({output.size_text(size)})"


def display_for(*, as_json: bool, follow: bool) -> IngestDisplay:
    if as_json:
        return FindingLines() if follow else IngestDisplay()
    if follow:
        return FollowDisplay()
    can_move = output.is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
    return IngestBarDisplay() if can_move else IngestLineDisplay()


def summary(account: IngestAccount, *, done: str = "") -> str:
    """`4 documents found: 2 uploaded, 2 queued, 1 skipped (1 completed), 1 failed (1 source_unreadable)`.

    `done` stands before what is done to them, such as "would be ".
    """
    parts = (
        f"{account.uploaded} {done}uploaded",
        f"{account.queued} {done}queued",
        f"{account.skipped.total()} skipped{_by_reason(account.skipped)}",
        f"{account.failed.total()} failed{_by_reason(account.failed)}",
    )
    return f"{counted(account.found, 'document')} found: {', '.join(parts)}"


def _by_reason(counts: Mapping[str, int]) -> str:
    reasons = sorted(counts.items(), key=lambda item: -item[1])
    return f" ({', '.join(f'{count} {_WORDS.get(reason, reason)}' for reason, count in reasons)})" if counts else ""


def entry_json(entry: Ingested) -> dict[str, str | bool | None]:
    is_known = entry.outcome is IngestOutcome.SKIPPED and entry.message is None
    return {
        "path": entry.path,
        "outcome": entry.outcome.value,
        "state": entry.reason if is_known else None,
        "code": None if is_known else entry.reason,
        "message": entry.message,
        "uploaded": entry.is_uploaded,
        "source_hash": entry.source_hash,
    }
