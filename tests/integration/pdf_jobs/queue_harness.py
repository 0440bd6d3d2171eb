"""A worker's queue on the table, without the worker: for what happens between two of its steps."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from tests.integration.pdf_jobs.application import Application

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.folder_staging import FolderStaging
from blobforge.coordination.pdf_jobs.database import Database
from blobforge.coordination.pdf_jobs.documents import DocumentPaths
from blobforge.coordination.pdf_jobs.queue import PdfJobs, Terms
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Failure, Job
from blobforge.domain.json_value import JsonObject
from blobforge.domain.retry import RetryPolicy
from blobforge.ports.blob_store import BlobKey

NORMALIZED: JsonObject = {
    "first_name": None,
    "second_name": None,
    "DOB": None,
    "language": "en",
    "common": "",
    "observations": [],
}
RAW: JsonObject = {"format": 1, "rows": []}
PASSING = Failure("source_missing", "document 1: its file is not there", retryable=True)
FINAL = Failure("no_text", "document 1: no page has text")


class QueueHarness:
    def __init__(
        self,
        application: Application,
        folder: Path,
        *,
        name: str = "worker",
        stale_seconds: float = 600,
        rest_seconds: float = 0,
        until_drained: bool = False,
        database: Database | None = None,
    ) -> None:
        self.now = 1000.0
        self.database = database or Database(application.place)
        self._blobs = DirectoryBlobStore(folder / name, durable=False)
        terms = Terms(
            worker_id=WorkerId(name),
            max_attempts=3,
            stale=timedelta(seconds=stale_seconds),
            options={"spacy_model": "blank:xx"},
            policy=RetryPolicy(first=timedelta(seconds=rest_seconds), longest=timedelta(seconds=rest_seconds)),
            until_drained=until_drained,
        )
        paths, staging = DocumentPaths("{user_id}/{uuid}.pdf"), FolderStaging(self._blobs)
        self.jobs = PdfJobs(self.database, paths, staging, terms, monotonic=lambda: self.now, roll=lambda: 0.5)
        self._folder = folder

    def claim(self) -> Job | None:
        claimed = self.jobs.settle([], limit=1).claimed
        return claimed[0] if claimed else None

    def claim_one(self) -> Job:
        job = self.claim()
        assert job is not None
        return job

    def complete(self, job: Job, *, raw: object = RAW, normalized: object = NORMALIZED) -> object:
        return self.end(Completed(job, json.dumps({"key": self.put_archive(raw, normalized)})))

    def fail(self, job: Job, failure: Failure = PASSING) -> object:
        return self.end(Failed(job, failure))

    def end(self, ending: object) -> object:
        return self.jobs.settle([ending], limit=0).ended[0]  # type: ignore[list-item]

    def put_archive(self, raw: object = RAW, normalized: object = NORMALIZED) -> str:
        path = self._folder / "made.zip"
        path.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("raw.json", json.dumps(raw))
            archive.writestr("normalized.json", json.dumps(normalized))
        self._blobs.adopt(BlobKey("outputs/made.zip"), path)
        return "outputs/made.zip"

    def hold_since(self, application: Application, job: int, moment: str) -> None:
        """As if the claim was of that moment."""
        application.execute(f"UPDATE pdf_jobs SET locked_at = '{moment}' WHERE id = {job}")
        held = self.jobs._held
        held[JobId(job)] = held[JobId(job)]._replace(stamps=(datetime.fromisoformat(moment).replace(tzinfo=None),))

    def left_behind(self) -> list[str]:
        return [path.name for path in self._folder.rglob("*.zip")]


@contextmanager
def opened(application: Application, folder: Path, **facts: object) -> Iterator[QueueHarness]:
    harness = QueueHarness(application, folder, **facts)  # type: ignore[arg-type]
    try:
        yield harness
    finally:
        harness.database.close()
