"""Where a worker's record outlives it: in the queue, by the worker's name, wherever its next process runs."""

from datetime import datetime
from pathlib import Path

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.loose_json import json_in
from blobforge.domain.service_record import ServiceRecord, read_record
from blobforge.ports.coordinator import Coordinator
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)


class QueueRecord:
    def __init__(self, coordinator: Coordinator, name: str) -> None:
        self._coordinator = coordinator
        self._name = name

    def add(self, news: ServiceRecord, *, now: datetime) -> ServiceRecord | None:  # noqa: ARG002 - the form of a record
        """Adds to what is there and gives the whole; None where the queue does not answer: it is told again later."""
        try:
            return self._coordinator.add_to_record(self._name, news)
        except StoreUnavailable as error:
            log.warning("the worker's record could not be kept", error=str(error))
            return None


class NoRecord:
    """For who works for a moment only: nothing is kept."""

    def add(self, news: ServiceRecord, *, now: datetime) -> ServiceRecord | None:  # noqa: ARG002 - the form of a record
        return None


def carry_over(folder: Path, name: str, coordinator: Coordinator) -> None:
    """Older versions kept the record in a file at home: it moves to the queue once. Raises StoreUnavailable."""
    path = folder / f"{name}.json"
    try:
        said = json_in(path.read_bytes())
    except OSError:
        return
    if said is None:
        return
    coordinator.add_to_record(name, read_record(said))
    path.unlink(missing_ok=True)
