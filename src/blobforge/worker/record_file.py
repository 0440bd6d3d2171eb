"""Where a worker's record outlives it: a small file by its name, to which all processes of that name add."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from blobforge.domain.service_record import ServiceRecord, read_record, record_json, together
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)


class RecordFile:
    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / f"{name}.json"
        self._lock_path = folder / f"{name}.lock"

    def add(self, news: ServiceRecord, *, now: datetime) -> ServiceRecord | None:
        """Adds to what is there and gives the whole; None where nothing could be written, and nothing was added."""
        try:
            with self._locked():
                whole = together(self._read(), news, now=now)
                self._write(whole)
        except OSError as error:
            log.warning("the worker's record cannot be kept", path=str(self._path), error=str(error))
            return None
        return whole

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock_path.open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self) -> ServiceRecord:
        try:
            return read_record(json.loads(self._path.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError):
            return ServiceRecord()

    def _write(self, record: ServiceRecord) -> None:
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(record_json(record)), encoding="utf-8")
        os.replace(new, self._path)  # noqa: PTH105 - in one step: a crash leaves the old one or the new one


class NoRecordFile:
    """For who works for a moment only: nothing is kept."""

    def add(self, news: ServiceRecord, *, now: datetime) -> ServiceRecord | None:  # noqa: ARG002 - the form of a record
        return None
