"""Where a worker's record outlives it: in the queue, by the worker's name, wherever its next process runs."""

import json
from datetime import datetime
from pathlib import Path

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.service_record import ServiceRecord, read_record
from blobforge.ports.coordinator import Coordinator
from blobforge.worker.outage import Outage


class QueueRecord:
    def __init__(self, coordinator: Coordinator, name: str) -> None:
        self._coordinator = coordinator
        self._name = name
        self._outage = Outage("the worker's record", lacks="cannot be kept", has="is kept again")

    def add(self, news: ServiceRecord, *, now: datetime) -> ServiceRecord | None:  # noqa: ARG002 - the form of a record
        """Adds to what is there and gives the whole; None where the queue does not answer: it is told again later."""
        try:
            whole = self._coordinator.add_to_record(self._name, news)
        except StoreUnavailable as error:
            self._outage.goes_on(error)
            return None
        self._outage.is_over()
        return whole


class NoRecord:
    """For who works for a moment only: nothing is kept."""

    def add(self, news: ServiceRecord, *, now: datetime) -> ServiceRecord | None:  # noqa: ARG002 - the form of a record
        return None


def carry_over(folder: Path, name: str, coordinator: Coordinator) -> None:
    """Older versions kept the record in a file at home: it moves to the queue once. Raises StoreUnavailable."""
    path = folder / f"{name}.json"
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    coordinator.add_to_record(name, read_record(said))
    path.unlink(missing_ok=True)
