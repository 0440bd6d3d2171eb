"""The queue protocol for those who pause a type of jobs."""

from starlette.responses import Response

from blobforge.domain.ids import parse_name
from blobforge.domain.pause import Pause
from blobforge.server.bodies import json_router
from blobforge.server.routing import Parts, Pauser, WorkerOrReader, answer, says
from blobforge.server.trail import name_of, tell_of_type
from blobforge.wire import paths
from blobforge.wire.looking import ProjectRequest
from blobforge.wire.pausing import LaneMessage, PauseRow, PauseRows

router = json_router("queue protocol")


@router.post(paths.PAUSE, **says(PauseRow))
async def pause(request: LaneMessage, asker: Pauser, parts: Parts) -> Response:
    """No worker is given jobs of this type and project any more; what runs goes on. A type that is paused stays as it
    is."""
    project = asker.project_of(request.project)
    parse_name(request.type, of="job type")

    def paused() -> Pause:
        found = parts.coordinator.pause(project, request.type, by=name_of(asker))
        tell_of_type("type.pause", project, request.type, asker, parts)
        return found

    return answer(PauseRow.of(await parts.crossing.write(paused)))


@router.post(paths.RESUME, **says(PauseRows))
async def resume(request: LaneMessage, asker: Pauser, parts: Parts) -> Response:
    """Jobs of this type and project are given to workers again. Says which pause it ended."""
    project = asker.project_of(request.project)

    def resumed() -> Pause | None:
        ended = parts.coordinator.resume(project, request.type)
        if ended is not None:
            tell_of_type("type.resume", project, request.type, asker, parts)
        return ended

    ended = await parts.crossing.write(resumed)
    parts.hub.notify()
    return answer(PauseRows(pauses=[] if ended is None else [PauseRow.of(ended)]))


@router.post(paths.PAUSES, **says(PauseRows))
async def pauses(request: ProjectRequest, asker: WorkerOrReader, parts: Parts) -> Response:
    """Which types are paused, by whom, and since when."""
    if request.project is not None:
        asker.require_project(request.project)
    found = await parts.read(lambda queue: queue.pauses(project=request.project or asker.project))
    return answer(PauseRows(pauses=[PauseRow.of(each) for each in found]))
