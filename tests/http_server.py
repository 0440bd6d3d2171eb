"""A server in a thread of the test, on a free port of this machine."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from blobforge.server.serving import listening

HOST = "127.0.0.1"
_LOOK_SECONDS = 0.005


class _PromptServer(uvicorn.Server):
    """A thousand tests have one each: it looks more often than every 0.1 s whether it shall end."""

    async def main_loop(self) -> None:
        looks = 0
        while not await self.on_tick(looks):
            looks += 1
            await asyncio.sleep(_LOOK_SECONDS)


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """Its address, while it runs."""
    with listening(HOST, 0) as at:
        port = at.getsockname()[1]
        config = uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=2)
        server = _PromptServer(config)
        ready = threading.Event()
        thread = threading.Thread(target=_run, args=(server, at, ready), name="test server")
        thread.start()
        assert ready.wait(10), "the server did not start"
        try:
            yield f"http://{HOST}:{port}"
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive(), "the server did not end"


def _run(server: uvicorn.Server, listening: socket.socket, ready: threading.Event) -> None:
    async def serve() -> None:
        # Whoever connects from now on waits until the application has started.
        ready.set()
        await server.serve(sockets=[listening])

    asyncio.run(serve())
