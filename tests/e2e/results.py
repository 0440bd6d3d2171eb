"""Finished results for tests: documents that went through the queue, and results that somebody has tampered with."""

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.e2e.program import Blobforge

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.endings import Completed
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import RecipeId, WorkerId
from blobforge.domain.job import Job
from blobforge.domain.json_value import canonical_json
from blobforge.ports.blob_store import result_key
from blobforge.ports.job_store import Queue


def told(blobforge: Blobforge, *args: str, **env: str) -> dict[str, Any]:
    """What a command says to programs."""
    document: dict[str, Any] = json.loads(blobforge.call(*args, "--json", **env).stdout)
    return document


def worked(blobforge: Blobforge, *args: str, **env: str) -> None:
    """Puts the documents of the folder `docs` into the queue and lets a worker do them: 3 says that some are bad."""
    blobforge.call("submit", "docs", *args, **env)
    assert blobforge.call("worker", "--drain", **env).exit_code in (0, 3)


def finished(
    blobforge: Blobforge, *, recipe: str = "0123456789abcdef", made_by: Mapping[str, object] | None = None
) -> None:
    """The same with results that nobody had to convert: only their files and their records matter, and what they say of
    the recipe that made them."""
    blobforge.call("submit", "docs")
    store = DirectoryBlobStore(blobforge.home / "blobs")
    with blobforge.queue() as queue:
        jobs = queue.claim(Queue("default", ("pdf",)), worker_id=WorkerId("tester"), limit=100)
        queue.end([_completed(store, job, RecipeId(recipe), made_by, blobforge.cwd) for job in jobs])


def _completed(
    store: DirectoryBlobStore, job: Job, recipe: RecipeId, made_by: Mapping[str, object] | None, folder: Path
) -> Completed:
    made = folder / "made.zip"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("document.md", f"# {Path(job.source_path or '').stem}\n")
        archive.writestr("info.json", json.dumps({"tally": {"pages": 1}, "recipe": made_by}))
    key = result_key(job.source_hash, recipe)
    checksum = hashlib.sha256(made.read_bytes()).hexdigest()
    record = FileRecord(FileRole.OUTPUT, key, made.stat().st_size, "application/zip", checksum)
    store.adopt(key, made)
    return Completed(job, canonical_json({"key": key, "recipe": recipe, "pages": 1}), (record,))


def jobs_by_name(blobforge: Blobforge) -> dict[str, dict[str, Any]]:
    return {Path(job["source_path"]).name: job for job in told(blobforge, "list")["jobs"]}


def result_file(blobforge: Blobforge, name: str) -> Path:
    """Where the store keeps the published result of a document."""
    return Path(blobforge.home / "blobs" / jobs_by_name(blobforge)[name]["result"]["key"])


def tampered(archive: Path, change: Callable[[zipfile.ZipFile], None], *, markdown: str | None = None) -> None:
    """Writes the archive anew, with another text and whatever `change` adds."""
    with zipfile.ZipFile(archive) as before:
        kept = {name: before.read(name) for name in before.namelist()}
    if markdown is not None:
        kept["document.md"] = markdown.encode()
    with zipfile.ZipFile(archive, "w") as after:
        for name, content in kept.items():
            after.writestr(name, content)
        change(after)


def aged(path: Path, *, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(path, (then, then))
