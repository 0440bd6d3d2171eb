"""The server as a process: it listens, and on a signal ends what waits at once and what works within a set time."""

import socket
import threading
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from blobforge.domain.errors import InvalidSettings
from blobforge.server.parts import ServerParts


class Serving(uvicorn.Server):
    def __init__(
        self,
        app: FastAPI,
        parts: ServerParts,
        *,
        shutdown_seconds: float,
        trusted_proxies: str | None = None,
        once_serving: Callable[[], None] = lambda: None,
        before_ending: Callable[[], None] = lambda: None,
    ) -> None:
        """`once_serving` begins what needs this server: its own worker. A signal is heard by then, as one that ended
        this process at once would leave the worker behind. `before_ending` ends it, so that it gives its jobs back; it
        may be called before the other, which then has to begin nothing.
        """
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            # Believed by default of everyone on this machine, who could then guess secrets from ever new addresses.
            proxy_headers=trusted_proxies is not None,
            forwarded_allow_ips=trusted_proxies or "",
            # Longer than clients and proxies keep them (5 and 60 s): who sends on a connection that is closed at that
            # moment is told nothing but that.
            timeout_keep_alive=75,
            # uvicorn waits for open requests for ever unless told.
            timeout_graceful_shutdown=max(int(shutdown_seconds), 1),
        )
        super().__init__(config)
        self._parts = parts
        self._once_serving = once_serving
        self._before_ending = before_ending
        self.ending: threading.Thread | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._once_serving()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - fixed by uvicorn
        """A second signal does not wait. uvicorn's own would raise the signal again at its end, which would end this
        process before it has closed what it opened."""
        if self.ending is None:
            self.ending = threading.Thread(target=self._end, name="ending")
            self.ending.start()
        else:
            self._stop()

    def _end(self) -> None:
        try:
            self._before_ending()
        finally:
            self._stop()

    def _stop(self) -> None:
        self._parts.hub.stop_from_thread()
        self.should_exit = True


def listening(host: str, port: int) -> socket.socket:
    """Raises InvalidSettings where somebody else has the port."""
    try:
        made = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InvalidSettings(
            f"the server cannot listen at {host}:{port}: {error.strerror or error}; choose another one with --port, or "
            "end the program that has it"
        ) from error
    # By this asyncio knows TCP, and sends what it has at once: else the body of each answer waits until its head was
    # acknowledged, for which the other side takes 40 ms.
    return socket.socket(made.family, made.type, socket.IPPROTO_TCP, fileno=made.detach())
