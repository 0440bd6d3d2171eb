"""A server in a process of its own, and routes that do nothing: `-m benchmarks.server.serve HOME NORMAL|FULL`."""

import asyncio
import os
import sys
from functools import partial
from pathlib import Path

from fastapi import Response

from blobforge.config.load import load
from blobforge.server.routing import answer
from blobforge.server.serving import Serving, listening
from blobforge.telemetry.logging import start_logging
from blobforge.wire.queue import Settled, SettleRequest
from blobforge.wiring import server as wiring
from blobforge.wiring.queues import open_coordinator

HOST = "127.0.0.1"


def main() -> None:
    home, synchronous = Path(sys.argv[1]), sys.argv[2]
    settings = load(environ={"BLOBFORGE_HOME": str(home)}, folder=home).settings
    # As every request is told where a server runs, but read by nobody.
    start_logging(log_format="json", stream=Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until it ends
    vars(wiring)["open_coordinator"] = partial(open_coordinator, durable=synchronous == "FULL")
    with listening(HOST, 0) as at:
        url = f"http://{HOST}:{at.getsockname()[1]}"
        opened = wiring.open_server(settings, host=HOST, public_url=url)
        changed = asyncio.Event()

        @opened.app.post("/noop")
        async def noop(request: SettleRequest) -> Response:  # noqa: ARG001 - read and thrown away
            return answer(Settled(ended=[], claimed=[]))

        @opened.app.get("/noop-wait")
        async def wait() -> Response:
            await changed.wait()
            changed.clear()
            return answer(Settled(ended=[], claimed=[]))

        @opened.app.post("/noop-set")
        async def wake() -> Response:
            changed.set()
            return answer(Settled(ended=[], claimed=[]))

        print(url, flush=True)
        try:
            Serving(opened.app, opened.parts, shutdown_seconds=2).run(sockets=[at])
        finally:
            opened.close()


if __name__ == "__main__":
    main()
