"""What was answered to requests that have an idempotency key."""

from datetime import datetime
from typing import Protocol

from blobforge.domain.idempotency import Begun, RequestKey


class IdempotencyKeys(Protocol):
    """Threads may share it. Every method raises StoreUnavailable, and InvalidSettings where the queue's role in a
    database may not use it."""

    def begin(self, key: RequestKey, digest: str, *, now: datetime) -> Begun:
        """Keeps a key that is new, or over (`domain.idempotency.is_over`), or may be taken; of two at once, one has it.
        Else what is kept under it, whatever its digest. Raises TooManyRequests where its asker has MOST_KEYS."""
        ...

    def finish(self, key: RequestKey, answer: str) -> None:
        """The answer to a request that was begun. The first one stays."""
        ...

    def give_up(self, key: RequestKey) -> None:
        """Forgets a request that has no answer, so that it may be sent again at once."""
        ...

    def forget(self, *, now: datetime) -> int:
        """Removes the keys that are over; how many there were."""
        ...
