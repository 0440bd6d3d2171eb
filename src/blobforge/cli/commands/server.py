"""`blobforge server`: the queue over HTTP, for a team and for workers without keys."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.worker_beside import NoWorker, WorkerBeside
from blobforge.extras import require_extra
from blobforge.telemetry.lazy import LazyLogger

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.wiring.server import OpenedServer

log = LazyLogger(__name__)

LOOPBACK = "127.0.0.1"


@click.command()
@click.option("--host", help="The address to listen at.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port to listen at.  [default: 8080]")
@click.option("--with-worker", is_flag=True, help="Run a worker on this machine too.")
def command(*, with_worker: bool, **flags: object) -> int:
    """Serve the queue and its store over HTTP.

    Workers on other machines need BLOBFORGE_SERVER_URL, BLOBFORGE_WORKER_ID and BLOBFORGE_WORKER_SECRET, and neither a
    database nor the keys of a bucket; programs send documents by one request. The queue is that of the settings, in
    SQLite or PostgreSQL.

    On this machine alone, and without tokens, everyone is let in. SIGTERM and Ctrl-C end it: requests that wait end at
    once, others are finished.
    """
    require_extra("server", "fastapi", user="blobforge server")
    settings = context.settings(**flags)
    context.start_logging(settings)
    return _serve(settings, with_worker=with_worker)


def _serve(settings: "Settings", *, with_worker: bool) -> int:
    from blobforge.server.serving import Serving, listening
    from blobforge.wiring.server import open_server

    host = settings.server.host or LOOPBACK
    with ExitStack() as stack:
        at = stack.enter_context(listening(host, settings.server.port))
        port = at.getsockname()[1]
        url = _url(host, port)
        opened = open_server(settings, host=host, public_url=settings.server.public_url or url)
        stack.callback(opened.close)
        _introduce(opened, url)
        worker = _worker(settings, opened, port) if with_worker else NoWorker()
        stack.callback(worker.end)
        Serving(
            opened.app,
            opened.parts,
            shutdown_seconds=settings.server.shutdown_seconds,
            trusted_proxies=settings.server.trusted_proxies,
            once_serving=worker.begin,
            before_ending=worker.end,
        ).run(sockets=[at])
    return exit_codes.OK


def _introduce(opened: "OpenedServer", url: str) -> None:
    access = "everyone who reaches it is let in" if opened.is_open else "tokens and workers' secrets are asked for"
    output.say(f"listening at {url}: {access}")
    log.info("server started", address=url, open=opened.is_open)


def _worker(settings: "Settings", opened: "OpenedServer", port: int) -> WorkerBeside:
    host = settings.server.host or LOOPBACK
    # Who listens everywhere is reached here, too; no system but Linux takes the address of everywhere for that.
    at = LOOPBACK if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared
    variables = {"BLOBFORGE_SERVER_URL": _url(at, port), "BLOBFORGE_HOME": str(settings.home)}
    return WorkerBeside({**variables, **opened.own_worker()})


def _url(host: str, port: int) -> str:
    return f"http://{host if ':' not in host else f'[{host}]'}:{port}"
