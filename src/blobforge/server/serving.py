"""The server as a process: it listens, and on a signal ends what waits at once and what works within a set time."""

import socket
from types import FrameType

import uvicorn
from fastapi import FastAPI

from blobforge.domain.errors import InvalidSettings
from blobforge.server.parts import ServerParts


class Serving(uvicorn.Server):
    def __init__(
        self, app: FastAPI, parts: ServerParts, *, shutdown_seconds: float, trusted_proxies: str | None = None
    ) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            # Believed by default of everyone on this machine, who could then guess secrets from ever new addresses.
            proxy_headers=trusted_proxies is not None,
            forwarded_allow_ips=trusted_proxies or "",
            # uvicorn waits for open requests for ever unless told.
            timeout_graceful_shutdown=max(int(shutdown_seconds), 1),
        )
        super().__init__(config)
        self._parts = parts

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._parts.hub.stop_from_thread()
        super().handle_exit(sig, frame)


def listening(host: str, port: int) -> socket.socket:
    """Raises InvalidSettings where somebody else has the port."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InvalidSettings(
            f"the server cannot listen at {host}:{port}: {error.strerror or error}; choose another one with --port, or "
            "end the program that has it"
        ) from error
