"""The application: all routes over the parts that it is given."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI

from blobforge.server.access_log import AccessLog
from blobforge.server.api import (
    admin,
    blobs,
    claiming,
    documents,
    explaining,
    health,
    jobs,
    looking,
    many,
    news,
    pausing,
    reference,
    registering,
    settling,
    shards,
    sources,
    steering,
    stored,
    whoami,
    workers,
)
from blobforge.server.framing import OneLength
from blobforge.server.openapi import describe
from blobforge.server.parts import ServerParts
from blobforge.server.problems import add_problems
from blobforge.server.queue_wakeups import QueueWakeups
from blobforge.server.readiness import DepthWatch, Readiness
from blobforge.server.tick import Tick
from blobforge.version import __version__

NOUNS = (
    *(health, whoami, documents, claiming, many, jobs, explaining, workers),
    *(settling, sources, shards, looking, steering, pausing, registering, stored, news, blobs, admin, reference),
)


def create_app(parts: ServerParts, *, ticks: bool = True) -> FastAPI:
    """`ticks`: what nobody asks for happens by itself; a test says when."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        parts.hub.belongs_to(asyncio.get_running_loop())
        subscription = await asyncio.to_thread(parts.wakeup.subscribe, QueueWakeups(parts).from_thread)
        tick = Tick(parts)
        ticking = asyncio.create_task(tick.run() if ticks else asyncio.sleep(0))
        try:
            yield
        finally:
            tick.stop()
            await ticking
            await asyncio.to_thread(subscription.close)
            await asyncio.to_thread(parts.crossing.close)
            await asyncio.to_thread(parts.close)

    app = with_routes(lifespan=lifespan)
    app.state.parts = parts
    app.state.readiness, app.state.depth_watch = Readiness(parts), DepthWatch(parts)
    add_problems(app)
    parts.metrics.count_waiting(lambda: parts.hub.waiting)
    app.add_middleware(OneLength)
    app.add_middleware(AccessLog, metrics=parts.metrics)
    return app


def with_routes(*, lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None) -> FastAPI:
    """All routes and their document; without parts, nothing answers."""
    app = FastAPI(title="BlobForge", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    for noun in NOUNS:
        app.include_router(noun.router)
    describe(app, [noun.router for noun in NOUNS])
    return app
