"""Says when there may be new jobs: one of those who wait for the same hears it, and claims."""

from fastapi import Request
from starlette.responses import Response

from blobforge.server.bodies import json_router
from blobforge.server.hub import ClaimLine
from blobforge.server.long_poll import LongPoll
from blobforge.server.routing import Parts, WorkerOrReader, answer, says
from blobforge.wire import paths
from blobforge.wire.queue import News, NewsRequest

router = json_router("queue protocol")


@router.post(paths.NEWS, **says(News))
async def news(wanted: NewsRequest, request: Request, asker: WorkerOrReader, parts: Parts) -> Response:
    """Waits until there may be jobs that were not there at version `since`."""
    if wanted.project:
        asker.require_project(wanted.project)
    if wanted.process:
        asker.require_process(wanted.process)
    line = ClaimLine(wanted.project, tuple(wanted.types), frozenset(wanted.has))
    with parts.hub.listen(line) as waiter, parts.hub.called(wanted.process, waiter):
        leases = parts.hub.leases_of(wanted.process)
        is_known = wanted.leases in (None, leases)
        if is_known and wanted.since is not None and wanted.since == parts.hub.version:
            async with LongPoll(request, seconds=wanted.timeout) as poll:
                await poll.wait(waiter)
                if not poll.is_gone:
                    waiter.looks_now()
    return answer(News(version=parts.hub.version, leases=parts.hub.leases_of(wanted.process)))
