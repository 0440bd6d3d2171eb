"""Whose turn it is to sweep: one of all workers at a time, by an object that says when the next one may."""

import json
import random
from collections.abc import Callable
from datetime import timedelta
from secrets import token_hex

from blobforge.coordination.bucket.job_history import as_time
from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.objectstore.client import Only

NAME = "registry/janitor.json"
EVERY = timedelta(seconds=60)


class ReaperElection:
    """A lost turn does no harm: sweeping is safe however many do it; it only costs requests."""

    def __init__(
        self, objects: Objects, *, every: timedelta = EVERY, roll: Callable[[], float] = random.random
    ) -> None:
        self._objects = objects
        self._every = every
        self._roll = roll

    def take(self) -> bool:
        stored = self._objects.get(NAME)
        now = self._objects.now()
        if stored is not None:
            next_at = as_time(facts_of(stored.body).get("next_at"))
            # One that lies far ahead was written by a clock that was wrong.
            if next_at is not None and now < next_at <= now + 2 * self._every:
                return False
        wait = self._every * (1 + self._roll() / 4)
        facts = {"next_at": (now + wait).isoformat(), "nonce": token_hex(8)}
        only = Only(if_new=True) if stored is None else Only(if_etag=stored.etag)
        return self._objects.put(NAME, json.dumps(facts).encode("ascii"), only=only) is not None
