"""The sum of an ingest: how many were found, uploaded, queued, skipped and why, and what failed."""

from collections import Counter
from collections.abc import Sequence

from blobforge.ingest.service import Ingested, IngestOutcome


class IngestAccount:
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
        self.uploaded += sum(entry.is_uploaded for entry in entries)
        self.queued += sum(entry.outcome is IngestOutcome.QUEUED for entry in entries)
        self.skipped.update([entry.reason or "" for entry in entries if entry.outcome is IngestOutcome.SKIPPED])
        self.failed.update([entry.reason or "" for entry in entries if entry.outcome is IngestOutcome.FAILED])
