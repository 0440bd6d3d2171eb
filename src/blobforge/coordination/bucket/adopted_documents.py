"""Facts about a document whose job another program added: from the headers of its source, or from the manifest."""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.objects import Objects
from blobforge.domain.job import Job
from blobforge.domain.loose_json import json_in
from blobforge.objectstore.key_layout import raw_name

MANIFEST = "registry/manifest.json"


class DocumentFacts(NamedTuple):
    """What a person looks for, and the other program's marker lacks."""

    path: str | None = None
    size: int | None = None
    tags: str = "[]"

    def fill_in(self, job: Job) -> Job:
        """The job with the fields that it lacks."""
        return job._replace(
            source_path=job.source_path or self.path,
            source_size=self.size if job.source_size is None else job.source_size,
            tags=self.tags if job.tags == "[]" else job.tags,
        )


class Documents:
    """The manifest is read once, and only where the headers of a source have no name."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def facts(self, source_hash: str) -> DocumentFacts:
        raw = self._objects.head(raw_name(source_hash))
        headers = raw.metadata if raw is not None else {}
        size = raw.size if raw is not None else None
        if name := headers.get("original-name"):
            return DocumentFacts(name, size, _tags(headers.get("tags", "")))
        entry = self._entries.get(source_hash)
        said = entry if isinstance(entry, Mapping) else {}
        paths = said.get("paths")
        path = paths[0] if isinstance(paths, list) and paths and isinstance(paths[0], str) else None
        return DocumentFacts(path, size, _list_of_texts(said.get("tags")))

    @cached_property
    def _entries(self) -> Mapping[str, Any]:
        stored = self._objects.get(MANIFEST)
        entries = facts_of(stored.body).get("entries") if stored is not None else None
        return entries if isinstance(entries, Mapping) else {}


def _tags(header: str) -> str:
    """As JSON, or with commas between them, as some have written them."""
    said = json_in(header)
    return _list_of_texts([word.strip() for word in header.split(",") if word.strip()] if said is None else said)


def _list_of_texts(said: object) -> str:
    texts = [text for text in said if isinstance(text, str)] if isinstance(said, list) else []
    return json.dumps(texts, ensure_ascii=False)
