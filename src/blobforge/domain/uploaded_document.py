"""An uploaded document of another application, with the path of its file as that application's database has it."""

from typing import NamedTuple

from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject
from blobforge.domain.loose_json import json_in, object_in, text_in, whole_in


class UploadedDocument(NamedTuple):
    """`path` is relative to the folder of all uploads; with None for both, the document has no row any more."""

    document_id: int
    disk: str | None
    path: str | None

    def as_json(self) -> JsonObject:
        return {"document_id": self.document_id, "disk": self.disk, "path": self.path}


def upload_of(job: Job) -> UploadedDocument | None:
    """The upload in a job's metadata."""
    said = object_in(object_in(json_in(job.metadata)).get("upload"))
    document_id, path = whole_in(said.get("document_id")), said.get("path")
    if document_id is None:
        return None
    return UploadedDocument(document_id, text_in(said.get("disk")), path if isinstance(path, str) else None)
