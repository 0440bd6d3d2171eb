"""The audit trail as a list that ends with the process."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from blobforge.domain.audit import AuditEntry, AuditFilter, AuditId, matches
from blobforge.domain.json_value import canonical_json
from blobforge.domain.loose_json import json_in, object_in


class MemoryAudit:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[AuditEntry] = []

    def append(self, entries: Sequence[AuditEntry]) -> None:
        with self._lock:
            first = len(self._entries) + 1
            self._entries += [_stored(entry, AuditId(place)) for place, entry in enumerate(entries, start=first)]

    def page(self, wanted: AuditFilter, *, after: AuditId | None = None, limit: int = 50) -> list[AuditEntry]:
        with self._lock:
            newest_first = sorted(self._entries, key=lambda entry: (entry.at, entry.id), reverse=True)
        if after is not None:
            places = [place for place, entry in enumerate(newest_first, start=1) if entry.id == after]
            newest_first = newest_first[places[0] :] if places else []
        return [entry for entry in newest_first if matches(entry, wanted)][:limit]


def _stored(entry: AuditEntry, entry_id: AuditId) -> AuditEntry:
    """As a database keeps it: what the caller does to the detail later changes nothing here."""
    return replace(entry, id=entry_id, detail=object_in(json_in(canonical_json(entry.detail))))
