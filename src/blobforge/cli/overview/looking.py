"""One look at a queue after the other."""

import threading
from collections.abc import Iterator
from datetime import timedelta

from blobforge.cli.overview.facts import Overview, look
from blobforge.domain.errors import StoreUnavailable
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator

Look = Overview | StoreUnavailable


def looks(
    coordinator: Coordinator,
    *,
    project: str,
    clock: Clock,
    lost_after: timedelta,
    every: timedelta,
    stop: threading.Event,
) -> Iterator[Look]:
    """Until `stop`. A queue that is away from the start raises its error; one that goes away later may come back."""
    yield look(coordinator, project=project, now=clock.now(), lost_after=lost_after)
    while not stop.wait(every.total_seconds()):
        try:
            yield look(coordinator, project=project, now=clock.now(), lost_after=lost_after)
        except StoreUnavailable as error:
            yield error
