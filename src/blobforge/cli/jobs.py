"""Jobs as commands show them and as people name them."""

import re
from datetime import datetime

from blobforge.domain.errors import InvalidValue, NotFound
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.domain.loose_json import json_in
from blobforge.domain.priority import Priority
from blobforge.ports.coordinator import Coordinator

_PREFIX = re.compile(r"[0-9a-f]{4,64}")
_ID = re.compile(r"#([0-9]{1,18})")
_BARE_ID = re.compile(r"[0-9]{1,18}")
LARGEST_ID = 10**18 - 1
SHORT_HASH = 12


def find_job(coordinator: Coordinator, name: str, *, project: str) -> Job:
    """By `#id`, a hash, or the unique beginning of one; a bare number is the id too, where it begins no hash. Raises
    InvalidValue, NotFound."""
    if name.startswith("#"):
        found_id = _ID.fullmatch(name)
        if found_id is None:
            raise InvalidValue(f"{name!r} is no job: write '#' and a number, such as '#17'")
        return coordinator.get(JobId(int(found_id[1])))
    if _BARE_ID.fullmatch(name):
        return _numbered(coordinator, name, project=project)
    return _hashed(coordinator, name, project=project)


def _numbered(coordinator: Coordinator, number: str, *, project: str) -> Job:
    """A number without `#` is how JSON writes ids, and may begin a hash. Where it could be two jobs it is none."""
    try:
        by_id = coordinator.get(JobId(int(number)))
    except NotFound:
        return _hashed(coordinator, number, project=project)
    by_hash = coordinator.find_by_prefix(number, project=project, limit=1) if _PREFIX.fullmatch(number) else []
    if any(job.id != by_id.id for job in by_hash):
        raise InvalidValue(f"{number} is the id of one job and begins the hash of another; write '#{number}'")
    return by_id


def _hashed(coordinator: Coordinator, name: str, *, project: str) -> Job:
    wanted = name.lower()
    if not _PREFIX.fullmatch(wanted):
        raise InvalidValue(f"{name!r} is no job: write #id, a SHA-256, or at least its first 4 digits")
    found = coordinator.find_by_prefix(wanted, project=project, limit=3)
    if not found:
        raise NotFound(f"no job in project {project!r} has a hash that begins with {wanted}")
    if len(found) > 1:
        ids = ", ".join(f"#{job.id} ({job.type}, {job.source_hash[: len(wanted) + 4]}…)" for job in found)
        is_one_document = len({job.source_hash for job in found}) == 1
        way = "by '#id'" if is_one_document else "by more digits or by '#id'"
        raise InvalidValue(f"{wanted} begins the hash of several jobs: {ids}; say which {way}")
    return found[0]


def id_json(job_id: int) -> str:
    """Ids are text in JSON: those of a queue in a bucket are larger than the numbers that many readers of it keep."""
    return str(job_id)


def job_json(job: Job) -> JsonObject:
    """The stable form of a job in `--json`."""
    return {
        "id": id_json(job.id),
        "project": job.project,
        "type": job.type,
        "source_hash": job.source_hash,
        "source_path": job.source_path,
        "source_size": job.source_size,
        "state": job.state.value,
        "priority": job.priority,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "worker_id": job.worker_id,
        "lease_expires_at": _time(job.lease_expires_at),
        "available_at": _time(job.available_at),
        "created_at": _time(job.created_at),
        "updated_at": _time(job.updated_at),
        "started_at": _time(job.started_at),
        "completed_at": _time(job.completed_at),
        "error_code": job.error_code,
        "last_error": job.last_error,
        "tags": _decoded(job.tags),
        "metadata": _decoded(job.metadata),
        "result": _decoded(job.result),
    }


def priority_text(job: Job) -> str:
    return Priority(job.priority).label.lower()


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _decoded(text: str | None) -> JsonValue:
    """As it is where it is no JSON."""
    said = json_in(text)
    return text if said is None and text != "null" else said
