"""The queue protocol for the processes of workers: who they are, and what they have done."""

from starlette.responses import Response

from blobforge.domain.service_record import read_record, record_json
from blobforge.server.bodies import json_router
from blobforge.server.exclusive import require_place
from blobforge.server.registrations import registration_of
from blobforge.server.routing import Parts, WorkerAsks, answer, says
from blobforge.wire import paths
from blobforge.wire.looking import ServiceRecords
from blobforge.wire.queue import AddToRecord, WorkerIdMessage, WorkerRow

router = json_router("queue protocol")


@router.post(paths.REGISTER, **says(WorkerRow))
async def register(request: WorkerRow, asker: WorkerAsks, parts: Parts) -> Response:
    """Writes the registration of a process with its status report; each heartbeat repeats it."""
    worker = registration_of(request, asker.require_name(request.id), asker, parts)

    def written() -> None:
        require_place(worker.id, asker, parts)
        parts.coordinator.register_worker(worker)

    await parts.crossing.write(written)
    return answer(request)


@router.post(paths.DEREGISTER, **says(WorkerIdMessage))
async def deregister(request: WorkerIdMessage, asker: WorkerAsks, parts: Parts) -> Response:
    """Removes the registration of a process."""
    process = asker.require_name(request.id)
    await parts.write(lambda queue: queue.deregister_worker(process))
    return answer(request)


@router.post(paths.ADD_TO_RECORD, **says(ServiceRecords))
async def add_to_record(request: AddToRecord, asker: WorkerAsks, parts: Parts) -> Response:
    """Adds to the service record of a worker, by its name."""
    asker.require_name(request.name)
    kept = await parts.write(lambda queue: queue.add_to_record(request.name, read_record(request.more)))
    return answer(ServiceRecords(records={request.name: record_json(kept)}))
