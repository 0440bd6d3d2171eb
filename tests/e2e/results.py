"""Finished results for tests: documents that went through the queue, and results that somebody has tampered with."""

import json
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.program import Blobforge


def told(blobforge: Blobforge, *args: str, **env: str) -> dict[str, Any]:
    """What a command says to programs."""
    document: dict[str, Any] = json.loads(blobforge.call(*args, "--json", **env).stdout)
    return document


def worked(blobforge: Blobforge, *args: str, **env: str) -> None:
    """Puts the documents of the folder `docs` into the queue and lets a worker do them."""
    blobforge.call("submit", "docs", *args, **env)
    assert blobforge.run("worker", "--drain", **env).returncode == 0


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
