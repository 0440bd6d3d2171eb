"""A ledger that records files only after they are synced to disk, and removes temporary files of crashed runs."""

import os
import re
import time
from collections.abc import Iterable, Sequence

from blobforge import durable_files
from blobforge.domain.errors import OutputUnwritable
from blobforge.ports.output_ledger import Output, OutputLedger

STALE_SECONDS = 3600.0
"""Writing one document never takes that long; younger files may belong to a concurrent run."""

_ARRIVING = re.compile(r"\.blobforge-[0-9a-f]{16}")


class DurableLedger:
    """Syncs the files of many outputs at once: each alone takes milliseconds, and thousands of them are written."""

    def __init__(self, ledger: OutputLedger) -> None:
        self._ledger = ledger
        self._swept: set[str] = set()

    def written(self, paths: Sequence[str]) -> dict[str, Output]:
        return self._ledger.written(paths)

    def write(self, outputs: Iterable[Output]) -> None:
        """Raises OutputUnwritable when the disk does not take them."""
        outputs = list(outputs)
        files = [path for output in outputs for path in _files_of(output)]
        if not files:
            return
        try:
            durable_files.sync_all(files)
        except OSError as error:
            raise OutputUnwritable(f"{outputs[0].path} cannot be written: {error.strerror or error}") from error
        self._ledger.write(outputs)
        for folder in dict.fromkeys(os.path.dirname(path) for path in files):  # noqa: PTH120 - thousands of them
            self._sweep(folder)

    def sources_below(self, folder: str) -> dict[str, str]:
        return self._ledger.sources_below(folder)

    def forget(self, paths: Iterable[str]) -> None:
        self._ledger.forget(paths)

    def _sweep(self, folder: str) -> None:
        """Once a run: where a crash has left something, the same document is written again."""
        if folder in self._swept:
            return
        self._swept.add(folder)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if _ARRIVING.fullmatch(entry.name) and _is_stale(entry):
                        os.unlink(entry.path)  # noqa: PTH108 - as it was listed
        except OSError:
            # It is gone, or not ours: temporary files there do no harm.
            return


def _files_of(output: Output) -> list[str]:
    folder = os.path.dirname(output.path)  # noqa: PTH120 - thousands of them
    return [f"{folder}/{file.name}" for file in output.files]


def _is_stale(entry: "os.DirEntry[str]") -> bool:
    facts = entry.stat(follow_symlinks=False)
    return entry.is_file(follow_symlinks=False) and time.time() - facts.st_mtime > STALE_SECONDS
