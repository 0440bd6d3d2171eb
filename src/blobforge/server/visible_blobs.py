"""Who may see which blob. To know a hash is no right to its content: a job of one's own project must name it."""

import re
from typing import Literal, NamedTuple

from blobforge.domain.access import Action
from blobforge.domain.errors import NotFound
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job
from blobforge.domain.result_record import result_record
from blobforge.ports.blob_store import BlobKey
from blobforge.server.auth.asking import Asker
from blobforge.server.parts import ServerParts
from blobforge.server.source_rights import MOST_TYPES, has_source

_SOURCE = re.compile(r"sources/([0-9a-f]{64})\.[a-z0-9]{1,8}")
_RESULT = re.compile(r"outputs/([0-9a-f]{2})/(\1[0-9a-f]{62})-[0-9a-f]{16}\.zip")
_LOG = re.compile(r"registry/logs/([0-9a-f]{64})/error\.json")


class NamedBlob(NamedTuple):
    kind: Literal["source", "result", "log"]
    source_hash: SourceHash


def blob_named(key: str) -> NamedBlob | None:
    """None for every other key: nobody asks for those."""
    if found := _SOURCE.fullmatch(key):
        return NamedBlob("source", SourceHash(found[1]))
    if found := _RESULT.fullmatch(key):
        return NamedBlob("result", SourceHash(found[2]))
    if found := _LOG.fullmatch(key):
        return NamedBlob("log", SourceHash(found[1]))
    return None


def require_visible(key: str, asker: Asker, parts: ServerParts, *, project: str, held: Job | None) -> BlobKey:
    """Where it lies for this project. `held` is the job that a worker holds. A blob that may not be seen is not there.
    Raises NotFound, Forbidden."""
    blob = blob_named(key)
    if blob is None or not _is_visible(blob, key, asker, parts, project, held):
        raise NotFound(f"there is no blob {key[:100]} in project {project!r}")
    names = parts.files.names
    if blob.kind == "log":
        return names.log(project if held is None else held.project, blob.source_hash)
    return names.result_for(held, key) if held is not None and blob.kind == "result" else BlobKey(key)


def _is_visible(blob: NamedBlob, key: str, asker: Asker, parts: ServerParts, project: str, held: Job | None) -> bool:
    if held is not None:
        return held.source_hash == blob.source_hash
    if not asker.may(Action.READ):
        return False
    asker.require_project(project)
    found = parts.coordinator.find_by_prefix(blob.source_hash, project=project, limit=MOST_TYPES)
    # One that was announced is no proof that its project ever had the bytes.
    jobs = [job for job in found if has_source(job, parts.coordinator)]
    if blob.kind == "source" or asker.may(Action.READ_DISCREET):
        return bool(jobs)
    plain = [job for job in jobs if job.type not in parts.discreet_types]
    if blob.kind == "log":
        return len(plain) == len(jobs) > 0
    return any(result_record(job).key == key for job in plain)
