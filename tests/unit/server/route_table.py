"""Every route with who may use it, written down a second time, and a request that is right but for who sends it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from blobforge.domain.access import Action
from blobforge.domain.ids import JobId

WORK, READ, SUBMIT, STEER = {Action.WORK}, {Action.READ}, {Action.SUBMIT}, {Action.STEER}
PAUSE = {Action.PAUSE}
MANAGE, TOKENS, AUDIT = {Action.MANAGE_WORKERS}, {Action.MANAGE_TOKENS}, {Action.READ_AUDIT}


class Subject(NamedTuple):
    """What requests are about: a job of project `default` that a process of worker `rack4` holds."""

    job_id: JobId
    rev: int
    source_hash: str
    process: str
    lease_number: int
    token_id: int

    @property
    def lease(self) -> dict[str, Any]:
        return {"job_id": self.job_id, "number": self.lease_number, "process": self.process}


class Line(NamedTuple):
    """`is_of_a_process`: only the worker whose process it is may send it. `body` has the names of a Subject in braces,
    by which it is filled in."""

    actions: set[Action]
    body: Any = None
    query: Mapping[str, Any] = {}
    is_of_a_process: bool = False
    is_of_all_projects: bool = False


def of_a_process(body: Any = None, **query: Any) -> Line:
    return Line(WORK, body, query, is_of_a_process=True)


OF_DEFAULT = {"project": "default"}
"""Who says no project means their own, which is tested apart."""
LANE = {"project": "default", "type": "type-{job_id}"}
JOB = {"id": "{job_id}"}
SEEN = {"jobs": [{"id": "{job_id}", "rev": "{rev}"}]}
KEYS = {"keys": [{"project": "default", "type": "pdf", "source_hash": "{source_hash}"}]}
PROCESS = {"worker_id": "{process}", "lease_number": "{lease_number}"}
NEW = {"project": "default", "type": "pdf", "source_hash": "{source_hash}"}
FILE = {
    "role": "source",
    "key": "sources/x.pdf",
    "size": 1,
    "content_type": "application/pdf",
    "checksum": "{source_hash}",
}
ROW = {"id": "{process}", "type": "pdf", "status": "online", "last_heartbeat": "2026-01-01T12:00:00Z"}

SHARD_PUT = {"name": "registry/manifest.json", "body": "e30="}

OPEN = {(method, path) for method in ("GET", "HEAD") for path in ("/livez", "/readyz", "/version")} | {("GET", "/docs")}
"""For those who watch the server, and what it says of itself."""
SIGNED = {("GET", "/blobs/{key:path}"), ("PUT", "/blobs/{key:path}")}
"""The signature is the whole right."""

LINES: Mapping[tuple[str, str], Line] = {
    ("POST", "/api/documents"): Line(SUBMIT, query={"project": "default", "wait": 0}),
    ("GET", "/api/jobs/{job_id}/markdown"): Line(READ),
    ("GET", "/api/jobs/claim"): of_a_process(worker_id="{process}"),
    ("POST", "/api/jobs/claim"): of_a_process(worker_id="{process}"),
    ("POST", "/api/jobs/{job_id}/complete"): of_a_process(PROCESS),
    ("POST", "/api/jobs/{job_id}/fail"): of_a_process({**PROCESS, "error": "it broke"}),
    ("POST", "/api/jobs/{job_id}/release"): of_a_process(PROCESS),
    ("POST", "/api/jobs"): Line(SUBMIT, NEW),
    ("POST", "/api/jobs/retry"): Line(STEER, {"ids": ["{job_id}"]}),
    ("POST", "/api/jobs/cancel"): Line(STEER, {"ids": ["{job_id}"]}),
    ("POST", "/api/jobs/{job_id}/uploaded"): Line(SUBMIT),
    ("POST", "/api/jobs/{job_id}/upload-url"): Line(SUBMIT),
    ("GET", "/api/jobs"): Line(READ),
    ("GET", "/api/jobs/{job_id}"): Line(READ),
    ("GET", "/api/jobs/{job_id}/attempts"): Line(READ),
    ("GET", "/api/jobs/{job_id}/log"): Line(READ),
    ("GET", "/api/jobs/{job_id}/why"): Line(READ),
    ("POST", "/api/jobs/{job_id}/retry"): Line(STEER, {}),
    ("DELETE", "/api/jobs/{job_id}"): Line(STEER),
    ("PATCH", "/api/jobs/{job_id}/priority"): Line(STEER, {"priority": 1}),
    ("GET", "/api/files/{job_id}/source"): Line(READ),
    ("GET", "/api/files/{job_id}/output"): Line(READ),
    ("POST", "/api/workers"): of_a_process({"id": "{process}"}),
    ("POST", "/api/workers/{worker_id}/heartbeat"): of_a_process({}),
    ("DELETE", "/api/workers/{worker_id}"): of_a_process(),
    ("POST", "/api/workers/{worker_id}/deregister"): of_a_process(),
    ("POST", "/api/queue/settle"): of_a_process({"process": "{process}", "claim": {"types": ["pdf"]}}),
    ("POST", "/api/queue/renew"): of_a_process({"leases": ["{lease}"]}),
    ("POST", "/api/queue/upload-url"): of_a_process({"lease": "{lease}"}),
    ("POST", "/api/queue/get-many"): Line(WORK | READ, {"ids": ["{job_id}"]}),
    ("POST", "/api/queue/find"): Line(READ, KEYS),
    ("POST", "/api/queue/states"): Line(READ, KEYS),
    ("POST", "/api/queue/find-by-prefix"): Line(READ, {"prefix": "{source_hash}", "project": "default"}),
    ("POST", "/api/queue/page"): Line(WORK | READ, {"wanted": {"worker_id": "{process}"}}),
    ("POST", "/api/queue/count"): Line(READ, {"wanted": {}, "most": 10}),
    ("POST", "/api/queue/counts"): Line(WORK | READ, {}),
    ("POST", "/api/queue/waiting"): Line(WORK | READ, {}),
    ("POST", "/api/queue/gaps"): Line(READ, {}),
    ("POST", "/api/queue/doubts"): Line(READ, {}),
    ("POST", "/api/queue/history"): Line(READ, JOB),
    ("POST", "/api/queue/files"): Line(READ, JOB),
    ("GET", "/api/queue/workers"): Line(WORK | READ),
    ("GET", "/api/queue/records"): Line(READ),
    ("GET", "/metrics"): Line(READ, is_of_all_projects=True),
    ("GET", "/api/queue/references"): Line(MANAGE, is_of_all_projects=True),
    ("POST", "/api/queue/identity"): Line(MANAGE, {}, is_of_all_projects=True),
    ("POST", "/api/queue/submit"): Line(SUBMIT, {"jobs": [NEW]}),
    ("POST", "/api/queue/record-files"): Line(MANAGE, {"files": [{"job_id": "{job_id}", "file": FILE}]}),
    ("POST", "/api/queue/cancel"): Line(STEER, JOB),
    ("POST", "/api/queue/requeue"): Line(STEER, JOB),
    ("POST", "/api/queue/retry"): Line(STEER, JOB),
    ("POST", "/api/queue/source-arrived"): Line(MANAGE, JOB),
    ("POST", "/api/queue/expect-source"): Line(SUBMIT, {**JOB, "until": "2026-01-02T00:00:00Z"}),
    ("POST", "/api/queue/reprioritize"): Line(STEER, {**JOB, "priority": 1}),
    ("POST", "/api/queue/amend"): Line(STEER, {**JOB, "metadata": "{}"}),
    ("POST", "/api/queue/cancel-many"): Line(STEER, {"ids": ["{job_id}"]}),
    ("POST", "/api/queue/retry-many"): Line(STEER, {"ids": ["{job_id}"]}),
    ("POST", "/api/queue/retry-unchanged"): Line(STEER, SEEN),
    ("POST", "/api/queue/reprocess"): Line(STEER, {"jobs": [{"id": "{job_id}", "rev": "{rev}", "metadata": "{}"}]}),
    ("POST", "/api/queue/clear-dead"): Line(STEER, SEEN),
    ("POST", "/api/queue/pause"): Line(PAUSE, LANE),
    ("POST", "/api/queue/resume"): Line(PAUSE, LANE),
    ("POST", "/api/queue/pauses"): Line(WORK | READ, {}),
    ("POST", "/api/queue/sweep"): Line(STEER, {}),
    ("POST", "/api/queue/expire-worker"): Line(WORK | STEER, {"id": "{process}"}),
    ("POST", "/api/queue/register"): of_a_process(ROW),
    ("POST", "/api/queue/deregister"): of_a_process({"id": "{process}"}),
    ("POST", "/api/queue/add-to-record"): of_a_process({"name": "rack4", "more": {}}),
    ("POST", "/api/queue/blob-url"): Line(WORK | READ, {"key": "sources/{source_hash}.pdf"}),
    ("POST", "/api/queue/blob-stats"): Line(READ, {"keys": ["sources/{source_hash}.pdf"]}),
    ("POST", "/api/queue/source-upload"): Line(SUBMIT, {**OF_DEFAULT, "source_hash": "{source_hash}", "size": 5}),
    ("POST", "/api/queue/source-placed"): Line(SUBMIT, {"source_hash": "{source_hash}", "upload": "0123456789abcdef"}),
    ("POST", "/api/queue/source-parts"): Line(SUBMIT, {**OF_DEFAULT, "source_hash": "{source_hash}", "size": 5}),
    ("POST", "/api/queue/result-parts"): of_a_process({"lease": "{lease}", "size": 5, "sha256": "{source_hash}"}),
    ("POST", "/api/queue/shard"): Line(READ, {"name": "registry/manifest.json"}, is_of_all_projects=True),
    ("POST", "/api/queue/shard-put"): Line(SUBMIT, SHARD_PUT, is_of_all_projects=True),
    ("GET", "/api/queue/shard-facts"): Line(READ, is_of_all_projects=True),
    ("POST", "/api/queue/shard-delete"): Line(SUBMIT, {"names": []}, is_of_all_projects=True),
    ("GET", "/api/whoami"): Line(WORK | READ),
    ("POST", "/api/queue/error-log"): of_a_process({"lease": "{lease}", "log": "{}"}),
    ("POST", "/api/queue/news"): Line(WORK | READ, {"timeout": 0}),
    ("POST", "/api/admin/workers"): Line(MANAGE, {"id": "new-{job_id}"}),
    ("GET", "/api/admin/workers"): Line(MANAGE),
    ("POST", "/api/admin/workers/{name}/regenerate"): Line(MANAGE),
    ("POST", "/api/admin/workers/{name}/enable"): Line(MANAGE),
    ("POST", "/api/admin/workers/{name}/disable"): Line(MANAGE),
    ("POST", "/api/admin/workers/{name}/drain"): Line(MANAGE),
    ("POST", "/api/admin/workers/{name}/resume"): Line(MANAGE),
    ("POST", "/api/admin/tokens"): Line(TOKENS, {}),
    ("GET", "/api/admin/tokens"): Line(TOKENS),
    ("DELETE", "/api/admin/tokens/{token_id}"): Line(TOKENS),
    ("GET", "/api/admin/audit"): Line(AUDIT),
}


def filled(template: Any, subject: Subject) -> Any:
    """With what the names in braces stand for; a text that is one name alone becomes its value."""
    if isinstance(template, dict):
        return {name: filled(value, subject) for name, value in template.items()}
    if isinstance(template, list):
        return [filled(value, subject) for value in template]
    if not isinstance(template, str):
        return template
    facts = {**subject._asdict(), "lease": subject.lease}
    if template[:1] == "{" and template[1:-1] in facts:
        return facts[template[1:-1]]
    for name, value in facts.items():
        template = template.replace("{" + name + "}", str(value))
    return template
