"""The receipts for what this process uploaded: they go with the jobs of those documents."""

import threading

from blobforge.domain.ids import SourceHash


class KeptReceipts:
    """Threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._receipts: dict[tuple[str, SourceHash], str] = {}

    def keep(self, project: str, source_hash: SourceHash, receipt: str) -> None:
        with self._lock:
            self._receipts[project, source_hash] = receipt

    def of(self, project: str, source_hash: SourceHash) -> str | None:
        with self._lock:
            return self._receipts.get((project, source_hash))

    def forget(self, project: str, source_hash: SourceHash) -> None:
        with self._lock:
            self._receipts.pop((project, source_hash), None)
