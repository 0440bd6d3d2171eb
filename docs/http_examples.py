"""Examples of the API: sent to a server of its own, and written down with what it answered."""

import asyncio
import hashlib
import io
import json
import zipfile
from collections import defaultdict
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.directory_multipart import DirectoryMultipart
from blobforge.blobs.directory_transfers import DirectoryTransfers
from blobforge.coordination.memory.idempotency import MemoryIdempotencyKeys
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.coordination.service import CoordinationService
from blobforge.server.app import create_app
from blobforge.server.auth.asking import OpenDoor
from blobforge.server.crossing import Crossing
from blobforge.server.file_urls import FileUrls, UrlMaker
from blobforge.server.hub import Hub
from blobforge.server.leases import LeasedJobs, LeaseTokens
from blobforge.server.multipart_in import MultipartIn
from blobforge.server.parts import ServerFiles, ServerParts
from blobforge.server.project_names import ProjectNames
from blobforge.server.results_in import ResultsIn
from blobforge.server.source_receipts import SourceReceipts
from blobforge.server.sources_in import SourcesIn
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import FakeClock

Json = Any
KEY = b"of the examples"
URL = "http://localhost:8080"
BOOK = b"%PDF-1.7 a book"
HASH = hashlib.sha256(BOOK).hexdigest()
OTHER = "b" * 64
KEYED = "c" * 64
PROCESS = "rack4.4711.ab12cd34"


def render() -> str:
    return json.dumps(asyncio.run(recorded()), indent=1, ensure_ascii=False) + "\n"


async def recorded() -> dict[str, list[Json]]:
    with TemporaryDirectory() as folder:
        parts = _parts(Path(folder))
        transport = httpx2.ASGITransport(app=create_app(parts, ticks=False))
        async with httpx2.AsyncClient(transport=transport, base_url=URL) as http:
            recorder = Recorder(http)
            await _documents_and_jobs(recorder)
            await _work(recorder)
            await _steering(recorder)
            await _many_and_conditions(recorder)
            await _the_queue_protocol(recorder)
        parts.crossing.close()
        return dict(recorder.examples)


class Recorder:
    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self.examples: dict[str, list[Json]] = defaultdict(list)

    async def run(
        self,
        operation: str,
        name: str,
        sent: Json = None,
        *,
        query: str = "",
        headers: dict[str, str] | None = None,
        **values: Json,
    ) -> Json:
        """One request by the template of its path, as it is shown, and its answer."""
        method, _, template = operation.partition(" ")
        path = template.format(**values) + query
        answered = await self._http.request(method, path, json=sent, headers=headers)
        assert answered.status_code < 500, f"{operation}: {answered.text}"
        told = answered.json() if answered.content else None
        example = {"name": name, "path": path, "status": answered.status_code, "headers": headers, "request": sent}
        example["response"] = told
        self.examples[operation].append({key: value for key, value in example.items() if value is not None})
        return told

    async def put(self, url: str, body: bytes) -> None:
        answered = await self._http.put(url, content=body)
        assert answered.status_code == 201, answered.text


def _archive() -> bytes:
    """The same bytes at each run: an entry that is made of a name alone has no time."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo("document.md"), "# A book")
        archive.writestr(zipfile.ZipInfo("info.json"), "{}")
    return content.getvalue()


async def _documents_and_jobs(recorder: Recorder) -> None:
    await recorder.run("GET /livez", "alive")
    await recorder.run("GET /readyz", "ready")
    announced = {
        "type": "pdf",
        "source_hash": HASH,
        "source_path": "books/book.pdf",
        "source_size": len(BOOK),
        "priority": 2,
        "tags": ["library"],
    }
    created = await recorder.run("POST /api/jobs", "announced", announced)
    await recorder.put(created["upload_url"], BOOK)
    await recorder.run("POST /api/jobs/{job_id}/uploaded", "uploaded", job_id=created["job_id"])
    await recorder.run("POST /api/jobs", "known", announced)
    once = {"Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324"}
    await recorder.run("POST /api/jobs", "under a key", {"source_hash": KEYED}, headers=once)
    await recorder.run("POST /api/jobs", "the same again", {"source_hash": KEYED}, headers=once)
    await recorder.run("POST /api/jobs", "another under the key", announced, headers=once)
    await recorder.run("DELETE /api/jobs/{job_id}", "not wanted", job_id=2)
    await recorder.run("GET /api/jobs", "pending", query="?status=pending&limit=50")
    await recorder.run("GET /api/jobs/{job_id}", "unknown", job_id=4711)


async def _work(recorder: Recorder) -> None:
    await recorder.run("POST /api/workers", "signed in", {"id": "rack4", "type": "pdf"})
    claimed = await recorder.run("GET /api/jobs/claim", "claimed", query="?type=pdf&timeout=0&worker_id=rack4")
    job_id = claimed["job"]["id"]
    alive = {"current_job_id": job_id, "progress": {"stage": "reading", "percent": 40}}
    await recorder.run("POST /api/workers/{worker_id}/heartbeat", "alive", alive, worker_id="rack4")
    await recorder.put(claimed["upload_url"], _archive())
    done = {
        "worker_id": "rack4",
        "lease_number": claimed["job"]["lease_number"],
        "lease_token": claimed["job"]["lease_token"],
        "result": {"pages": 12, "images": 3},
    }
    await recorder.run("POST /api/jobs/{job_id}/complete", "completed", done, job_id=job_id)
    await recorder.run("GET /api/jobs/claim", "nothing to do", query="?type=pdf&timeout=0&worker_id=rack4")
    await recorder.run("GET /api/jobs/{job_id}", "completed", job_id=job_id)
    await recorder.run("GET /api/files/{job_id}/source", "an address", job_id=job_id)
    await recorder.run("GET /api/files/{job_id}/output", "an address", job_id=job_id)
    await recorder.run("DELETE /api/workers/{worker_id}", "signed off", worker_id="rack4")


async def _steering(recorder: Recorder) -> None:
    row = {"project": "default", "type": "pdf", "source_hash": OTHER, "source_path": "other.pdf"}
    await recorder.run("POST /api/queue/submit", "one job", {"jobs": [row]})
    await recorder.run("PATCH /api/jobs/{job_id}/priority", "first", {"priority": 1}, job_id=3)
    claimed = await recorder.run("POST /api/jobs/claim", "claimed", query="?type=pdf&worker_id=rack4")
    failed = {
        "worker_id": "rack4",
        "lease_number": claimed["job"]["lease_number"],
        "lease_token": claimed["job"]["lease_token"],
        "error": "the file has no pages",
        "retryable": False,
    }
    await recorder.run("POST /api/jobs/{job_id}/fail", "for good", failed, job_id=3)
    await recorder.run("GET /api/jobs/{job_id}/attempts", "one that failed", job_id=3)
    await recorder.run("GET /api/jobs/{job_id}/log", "one that failed", job_id=3)
    await recorder.run("GET /api/jobs/{job_id}/why", "refused", job_id=3)
    await recorder.run("POST /api/jobs/{job_id}/retry", "again", {"reset_attempts": True, "priority": 3}, job_id=3)
    await recorder.run("DELETE /api/jobs/{job_id}", "cancelled", job_id=3)
    await recorder.run("POST /api/queue/retry", "again", {"id": 3})


async def _many_and_conditions(recorder: Recorder) -> None:
    slow = {"status": "dead", "code": "timed_out"}
    await recorder.run("POST /api/jobs/retry", "a dry run", {"where": slow, "dry_run": True})
    await recorder.run("POST /api/jobs/retry", "by their ids", {"ids": [1, 3, 4711], "priority": 3})
    await recorder.run("POST /api/jobs/cancel", "all that wait", {"where": {"status": "pending"}, "limit": 1})
    await recorder.run("POST /api/queue/retry-many", "as they were", {"ids": [3], "still": {"state": "cancelled"}})
    known, old = {"If-None-Match": '"1"'}, {"If-Match": '"1"'}
    await recorder.run("GET /api/jobs/{job_id}", "changed since", headers=known, job_id=3)
    await recorder.run("DELETE /api/jobs/{job_id}", "changed since", headers=old, job_id=3)


async def _the_queue_protocol(recorder: Recorder) -> None:
    claim = {"project": "default", "types": ["pdf"], "limit": 1}
    wanted = {"process": PROCESS, "claim": claim}
    settled = await recorder.run("POST /api/queue/settle", "claim", wanted)
    (given,) = settled["claimed"]
    lease = {
        "job_id": given["job"]["id"],
        "number": given["job"]["lease_number"],
        "process": PROCESS,
        "token": given["lease_token"],
    }
    await recorder.run("POST /api/queue/renew", "one lease", {"leases": [lease]})
    await recorder.run("POST /api/queue/upload-url", "a result", {"lease": lease, "recipe": "0" * 16, "size": 25})
    large = {"lease": lease, "recipe": "0" * 16, "size": 2**24 + 1, "sha256": OTHER}
    await recorder.run("POST /api/queue/result-parts", "a large result", large)
    failure = {"code": "no_pages", "message": "the file has no pages", "retryable": False}
    ending = {"kind": "failed", "lease": lease, "failure": failure}
    await recorder.run("POST /api/queue/settle", "end", {"process": PROCESS, "endings": [ending]})
    await recorder.run("POST /api/queue/counts", "by type and state", {"project": "default"})
    await recorder.run("POST /api/queue/pause", "a type", {"project": "default", "type": "pdf"})
    await recorder.run("POST /api/queue/pauses", "of a project", {"project": "default"})
    await recorder.run("POST /api/queue/resume", "a type", {"project": "default", "type": "pdf"})
    await recorder.run("POST /api/queue/history", "two attempts", {"id": given["job"]["id"]})
    row = {"project": "default", "type": "image", "source_hash": OTHER, "source_path": "other.png"}
    await recorder.run("POST /api/queue/submit", "of another type", {"jobs": [row]})
    some = f"?type=image&max=5&worker_id={PROCESS}"
    await recorder.run("GET /api/jobs/claim", "several in one answer", query=some)


def _parts(folder: Path) -> ServerParts:
    clock = FakeClock()
    service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=LEASE)
    blobs = DirectoryBlobStore(folder / "store", durable=False)
    transfers, own_urls = DirectoryTransfers(blobs), FileUrls(KEY, public_url=URL, clock=clock)
    urls, numbers = UrlMaker(transfers, own_urls), count(1)
    multipart = MultipartIn(KEY, blobs, DirectoryMultipart(blobs), own_urls)
    names = ProjectNames(KEY)
    workspace = folder / "uploads"
    workspace.mkdir()

    def nonce(length: int) -> str:
        return f"{next(numbers):0{2 * length}x}"

    return ServerParts(
        coordinator=service,
        wakeup=NoWakeup(),
        clock=clock,
        crossing=Crossing(readers=2, writers=1),
        hub=Hub(),
        leased=LeasedJobs(LeaseTokens(KEY, generation="of the examples")),
        files=ServerFiles(
            blobs=blobs,
            urls=urls,
            own_urls=own_urls,
            names=names,
            results=ResultsIn(blobs, transfers, urls, multipart, names, nonce=nonce),
            sources=SourcesIn(service, blobs, transfers, urls, multipart, nonce=nonce),
            multipart=multipart,
            receipts=SourceReceipts(KEY, clock=clock),
            workspace=workspace,
        ),
        doorman=OpenDoor(),
        order_for=lambda _: "{}",
        markdown_of=lambda _: b"# A book\n",
        nonce=nonce,
        idempotency_keys=MemoryIdempotencyKeys(),
        close=service.close,
    )
