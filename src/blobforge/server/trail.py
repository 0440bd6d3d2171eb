"""The audit trail of what is done through the server: who did what to which thing."""

from collections.abc import Sequence

from blobforge.domain.audit import AuditEntry
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject
from blobforge.server.auth.asking import Asker
from blobforge.server.parts import ServerParts


def tell(action: str, jobs: Sequence[Job], asker: Asker, parts: ServerParts, **detail: str | int | bool | None) -> None:
    """Right after it was done: a queue changes jobs in a step of its own. Where everyone is let in, nobody knows who it
    was."""
    if parts.audit is None or asker.actor is None or not jobs:
        return
    now, said = parts.clock.now(), _said(detail)
    parts.audit.append(
        [
            AuditEntry(
                at=now,
                actor=asker.actor,
                action=action,
                subject=job_subject(job),
                project=job.project,
                request_id=asker.request_id,
                detail=said,
            )
            for job in jobs
        ]
    )


def name_of(asker: Asker) -> str:
    """As whom what they did is kept."""
    return asker.name if asker.actor is None else str(asker.actor)


def tell_of_worker(action: str, worker_id: str, asker: Asker, parts: ServerParts) -> None:
    _tell_of(action, f"worker:{worker_id}", None, asker, parts)


def tell_of_type(action: str, project: str, job_type: str, asker: Asker, parts: ServerParts) -> None:
    _tell_of(action, f"type:{job_type}", project, asker, parts)


def _tell_of(action: str, subject: str, project: str | None, asker: Asker, parts: ServerParts) -> None:
    if parts.audit is None or asker.actor is None:
        return
    parts.audit.append(
        [
            AuditEntry(
                at=parts.clock.now(),
                actor=asker.actor,
                action=action,
                subject=subject,
                project=project,
                request_id=asker.request_id,
            )
        ]
    )


def job_subject(job: Job) -> str:
    """How the audit trail names a job."""
    return f"job:{job.id}"


def _said(detail: JsonObject) -> JsonObject:
    return {name: value for name, value in detail.items() if value is not None}
