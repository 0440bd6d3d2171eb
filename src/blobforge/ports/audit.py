"""The audit trail: entries are added and read, and never changed or removed."""

from collections.abc import Sequence
from typing import Protocol

from blobforge.domain.audit import AuditEntry, AuditFilter, AuditId


class Audit(Protocol):
    """Threads may share it. Every method raises StoreUnavailable, and InvalidSettings where the queue's role in a
    database may not use it."""

    def append(self, entries: Sequence[AuditEntry]) -> None:
        """Adds entries in their order (their `id` is ignored): all of them, or none."""
        ...

    def page(self, wanted: AuditFilter, *, after: AuditId | None = None, limit: int = 50) -> list[AuditEntry]:
        """Newest first by `at`, then by `id`, from behind the entry `after`; none behind an unknown one.

        Cheap also at the end of a long trail, whatever is asked for.
        """
        ...
