"""Reaper election: one of all workers sweeps at a time, by an object that holds the time of the next sweep."""

import json
import random
from collections.abc import Callable
from datetime import timedelta

from blobforge.coordination.bucket.job_history import as_time
from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.objectstore.client import Only
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

NAME = "registry/janitor.json"
TERM = timedelta(seconds=60)


class ReaperElection:
    """Two winners, or none for a while, do no harm: concurrent sweeps are safe and only cost requests."""

    def __init__(
        self,
        objects: Objects,
        *,
        term: timedelta = TERM,
        roll: Callable[[], float] = random.random,
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        self._objects = objects
        self._term = term
        self._roll = roll
        self._nonce = runtime.nonce

    def try_to_win(self) -> bool:
        """Whether this worker sweeps now; then nobody else does before the term is over."""
        stored = self._objects.get(NAME)
        now = self._objects.now()
        if stored is not None:
            next_at = as_time(facts_of(stored.body).get("next_at"))
            # A time far ahead was written by a wrong clock.
            if next_at is not None and now < next_at <= now + 2 * self._term:
                return False
        wait = self._term * (1 + self._roll() / 4)
        facts = {"next_at": (now + wait).isoformat(), "nonce": self._nonce(8)}
        only = Only(if_new=True) if stored is None else Only(if_etag=stored.etag)
        return self._objects.put(NAME, json.dumps(facts).encode("ascii"), only=only) is not None
