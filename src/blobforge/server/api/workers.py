"""Workers in the shapes of the public API: they sign in, show signs of life, and sign off."""

from starlette.responses import Response

from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import JobFilter
from blobforge.server.auth.asking import Asker
from blobforge.server.bodies import json_router
from blobforge.server.exclusive import take_place
from blobforge.server.parts import ServerParts
from blobforge.server.registrations import as_its_account_says
from blobforge.server.routing import Parts, WorkerAsks, answer, says
from blobforge.wire import paths
from blobforge.wire.api import HeartbeatAnswer, HeartbeatMessage, RegisteredMessage, RegisterMessage, StatusMessage

router = json_router("workers")


@router.post(paths.WORKERS_OF, **says(RegisteredMessage, status=201))
async def register(message: RegisterMessage, asker: WorkerAsks, parts: Parts) -> Response:
    """Signs a worker in. What one of the same id still held is free at once: it has begun anew."""
    own = asker.worker.name if asker.worker is not None else f"worker-{parts.nonce(4)}"
    process = asker.require_name(message.id or own)
    worker = Worker(
        id=process,
        type=message.type,
        status=WorkerStatus.ONLINE,
        last_heartbeat=parts.clock.now(),
        metadata=dict(message.metadata),
    )
    shown = as_its_account_says(worker, asker.worker)

    def sign_in() -> None:
        take_place(process, asker, parts)
        parts.coordinator.expire_worker(process)
        parts.coordinator.register_worker(shown)

    await parts.crossing.write(sign_in)
    parts.hub.notify()
    told = RegisteredMessage(id=process, heartbeat_interval=max(1, int(parts.heartbeat.total_seconds())))
    return answer(told, status=201)


@router.post(f"{paths.WORKERS_OF}/{{worker_id}}/heartbeat", **says(HeartbeatAnswer))
async def heartbeat(worker_id: str, message: HeartbeatMessage, asker: WorkerAsks, parts: Parts) -> Response:
    """A sign of life, which renews the leases of all jobs that the worker holds."""
    process = asker.require_process(worker_id)
    lost = await parts.crossing.write(lambda: _alive(process, message, asker, parts))
    return answer(HeartbeatAnswer(lost=lost, drain=asker.is_draining))


@router.post(f"{paths.WORKERS_OF}/{{worker_id}}/deregister", **says(StatusMessage))
@router.delete(f"{paths.WORKERS_OF}/{{worker_id}}", **says(StatusMessage))
async def deregister(worker_id: str, asker: WorkerAsks, parts: Parts) -> Response:
    """Signs a worker off; what it still holds goes back to the queue."""
    process = asker.require_process(worker_id)

    def sign_off() -> None:
        parts.coordinator.expire_worker(process)
        parts.coordinator.deregister_worker(process)

    await parts.crossing.write(sign_off)
    parts.hub.notify()
    return answer(StatusMessage(status="offline"))


def _alive(process: WorkerId, message: HeartbeatMessage, asker: Asker, parts: ServerParts) -> list[int]:
    """Which of its jobs the worker holds no more."""
    queue = parts.coordinator
    held = queue.page(JobFilter(state=State.RUNNING, worker_id=process), limit=1_000)
    if held:
        queue.renew(held)
    known = next((worker for worker in queue.workers() if worker.id == process), None)
    metadata = dict(known.metadata) if known is not None else {}
    if message.progress is not None:
        metadata["progress"] = message.progress.model_dump()
    current = None if message.current_job_id is None else JobId(message.current_job_id)
    worker = Worker(
        id=process,
        type=known.type if known is not None else "pdf",
        status=WorkerStatus.ONLINE,
        last_heartbeat=parts.clock.now(),
        current_job_id=current,
        metadata=metadata,
    )
    queue.register_worker(as_its_account_says(worker, asker.worker))
    return [] if current is None or current in {job.id for job in held} else [current]
