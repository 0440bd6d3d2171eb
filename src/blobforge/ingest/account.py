"""The sum of an ingest: how many were found, uploaded, queued, skipped and why, and what failed."""

from collections import Counter
from collections.abc import Sequence

from blobforge.ingest.service import Ingested, Outcome


class Account:
    def __init__(self) -> None:
        self.entries: list[Ingested] = []
        self.uploaded = 0
        self.queued = 0
        self.skipped: Counter[str] = Counter()
        """By the state of the job that was there, or not_a_pdf."""
        self.failed: Counter[str] = Counter()
        """By code."""

    @property
    def found(self) -> int:
        return len(self.entries)

    def add(self, entries: Sequence[Ingested]) -> None:
        self.entries.extend(entries)
        for _, outcome, reason, _, is_uploaded, _ in entries:
            if is_uploaded:
                self.uploaded += 1
            if outcome is Outcome.QUEUED:
                self.queued += 1
            elif reason is not None:
                (self.skipped if outcome is Outcome.SKIPPED else self.failed)[reason] += 1
