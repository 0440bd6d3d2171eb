"""The server as a process: it listens, and on a signal ends what waits at once and what works within a set time."""

import signal
import socket
from types import FrameType

import uvicorn
from fastapi import FastAPI

from blobforge.domain.errors import InvalidSettings
from blobforge.server.parts import ServerParts


class Serving(uvicorn.Server):
    def __init__(self, app: FastAPI, parts: ServerParts, *, shutdown_seconds: float) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            # uvicorn waits for open requests for ever unless told.
            timeout_graceful_shutdown=max(int(shutdown_seconds), 1),
        )
        super().__init__(config)
        self._parts = parts

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """uvicorn would end the process by the same signal once it has stopped, before what was opened is closed and
        the worker beside the server is ended."""
        self._parts.hub.stop_from_thread()
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def listening(host: str, port: int) -> socket.socket:
    """Raises InvalidSettings where somebody else has the port."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InvalidSettings(
            f"the server cannot listen at {host}:{port}: {error.strerror or error}; choose another one with --port, or "
            "end the program that has it"
        ) from error
