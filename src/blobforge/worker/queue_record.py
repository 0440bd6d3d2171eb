"""The service record of a worker, stored in the queue under the worker's name, so that it outlives the process."""

from datetime import datetime
from pathlib import Path

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.loose_json import json_in
from blobforge.domain.service_record import ServiceRecord, read_record
from blobforge.ports.coordinator import Coordinator
from blobforge.worker.outage import Outage


class QueueRecord:
    """Adds what this process did to the sum of all that had its name."""

    def __init__(self, coordinator: Coordinator, name: str) -> None:
        self._coordinator = coordinator
        self._name = name
        self._outage = Outage("the worker's record", lacks="cannot be kept", has="is kept again")

    def add(self, added: ServiceRecord, *, now: datetime) -> ServiceRecord | None:  # noqa: ARG002 - the form of a record
        """Adds to the stored record and returns the sum; None where the queue does not answer: the caller retries."""
        try:
            whole = self._coordinator.add_to_record(self._name, added)
        except StoreUnavailable as error:
            self._outage.goes_on(error)
            return None
        self._outage.is_over()
        return whole


class NoRecord:
    """Stores nothing: for short runs."""

    def add(self, added: ServiceRecord, *, now: datetime) -> ServiceRecord | None:  # noqa: ARG002 - the form of a record
        return None


def carry_over(folder: Path, name: str, coordinator: Coordinator) -> None:
    """Older versions kept the record in a file in the home folder: it moves to the queue. Raises StoreUnavailable."""
    path = folder / f"{name}.json"
    try:
        said = json_in(path.read_bytes())
    except OSError:
        return
    if said is None:
        return
    coordinator.add_to_record(name, read_record(said))
    path.unlink(missing_ok=True)
