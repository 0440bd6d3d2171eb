"""A server in a thread of the test, on a free port of this machine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from blobforge.server.serving import listening

HOST = "127.0.0.1"


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """Its address, while it runs."""
    with listening(HOST, 0) as at:
        port = at.getsockname()[1]
        config = uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
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

    import asyncio

    asyncio.run(serve())
