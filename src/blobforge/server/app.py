"""The application: all routes over the parts that it is given."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from blobforge.server.api import (
    blobs,
    claiming,
    documents,
    health,
    jobs,
    looking,
    news,
    registering,
    settling,
    shards,
    sources,
    steering,
    stored,
    whoami,
    workers,
)
from blobforge.server.parts import ServerParts
from blobforge.server.problems import add_problems
from blobforge.server.tick import Tick
from blobforge.version import __version__

NOUNS = (
    *(health, whoami, documents, claiming, jobs, workers),
    *(settling, sources, shards, looking, steering, registering, stored, news, blobs),
)


def create_app(parts: ServerParts, *, ticks: bool = True) -> FastAPI:
    """`ticks`: what nobody asks for happens by itself; a test says when."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        parts.hub.belongs_to(asyncio.get_running_loop())
        subscription = await asyncio.to_thread(parts.wakeup.subscribe, parts.hub.ring_from_thread)
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

    app = FastAPI(title="BlobForge", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.parts = parts
    add_problems(app)
    for noun in (
        health,
        whoami,
        documents,
        claiming,
        jobs,
        workers,
        settling,
        shards,
        sources,
        sources,
        looking,
        steering,
        registering,
        stored,
        news,
        blobs,
    ):
        app.include_router(noun.router)
    return app
