"""The change tokens of a lane, one for each tier: each changes when its tier may have new jobs to claim. They are one
small object, read instead of a listing.

A producer writes the marker first and the token after it; a consumer reads the token first and lists after it. So a
marker that a listing missed always changes the token afterwards. A lost update does no harm: the next full listing
finds the job.
"""

import json
from collections.abc import Callable, Iterable, Mapping

from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.names import TIERS, Lane
from blobforge.coordination.bucket.objects import Objects
from blobforge.objectstore.client import Only

TRIES = 5

ChangeTokens = Mapping[int, str]
"""By priority: another token means that jobs were added to that tier."""


def read_change_tokens(objects: Objects, lane: Lane) -> ChangeTokens:
    stored = objects.get(lane.change_token)
    return _tokens(stored.body) if stored is not None else {}


def bump_change_tokens(objects: Objects, lane: Lane, priorities: Iterable[int], *, nonce: Callable[[int], str]) -> None:
    """Gives these tiers new tokens. Who loses the race tries again, since the winner has not seen its tiers."""
    new = {TIERS[priority - 1]: nonce(6) for priority in priorities}
    for _ in range(TRIES if new else 0):
        stored = objects.get(lane.change_token)
        only = Only(if_new=True) if stored is None else Only(if_etag=stored.etag)
        known = facts_of(stored.body) if stored is not None else {}
        if objects.put(lane.change_token, json.dumps({**known, **new}).encode("ascii"), only=only) is not None:
            return


def _tokens(body: bytes) -> ChangeTokens:
    facts = facts_of(body)
    return {place: str(facts[tier]) for place, tier in enumerate(TIERS, start=1) if tier in facts}
