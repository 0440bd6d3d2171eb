"""Idempotency keys in a dictionary that ends with the process."""

import threading
from datetime import datetime

from blobforge.domain.idempotency import MOST_KEYS, Begun, KeptRequest, RequestKey, is_over, may_be_taken, too_many_keys


class MemoryIdempotencyKeys:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[RequestKey, KeptRequest] = {}

    def begin(self, key: RequestKey, digest: str, *, now: datetime) -> Begun:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or is_over(kept, now=now):
                self._require_room(key)
                kept = self._kept[key] = KeptRequest(digest, now, now)
                return Begun(kept, is_ours=True)
            if may_be_taken(kept, digest, now=now):
                kept = self._kept[key] = kept._replace(taken_at=now)
                return Begun(kept, is_ours=True)
            return Begun(kept, is_ours=False)

    def finish(self, key: RequestKey, answer: str) -> None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept.answer is None:
                self._kept[key] = kept._replace(answer=answer)

    def give_up(self, key: RequestKey) -> None:
        with self._lock:
            if key in self._kept and self._kept[key].answer is None:
                del self._kept[key]

    def forget(self, *, now: datetime) -> int:
        with self._lock:
            over = [key for key, kept in self._kept.items() if is_over(kept, now=now)]
            for key in over:
                del self._kept[key]
            return len(over)

    def _require_room(self, key: RequestKey) -> None:
        others = sum(known.asker == key.asker for known in self._kept if known != key)
        if others >= MOST_KEYS:
            raise too_many_keys(key)
