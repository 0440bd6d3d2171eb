"""Workers of several queues that can be killed while they hold a job; each has one slot and its default settings.

A job notes that it began, and the first of all sleeps for longer than anyone waits.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.postgres import our_queue
from benchmarks.queue import add_jobs
from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, SourceUnreadable, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.ports.processor import Progress
from blobforge.testing.builders import hash_of

LEASE = timedelta(seconds=10)
HELD = 0
"""The number of the job that the killed worker holds."""
FOR_LONG = 600.0


def begin(notes: str, number: int) -> None:
    """One job: the held one sleeps when it runs for the first time."""
    with Path(notes).open("a") as file:
        file.write(f"{number} {time.monotonic()}\n")
    if number == HELD and [number for number, _ in begun(Path(notes))].count(HELD) == 1:
        time.sleep(FOR_LONG)


def begun(notes: Path) -> list[tuple[int, float]]:
    """The number and the time of each beginning, so far."""
    if not notes.exists():
        return []
    lines = (line.split() for line in notes.read_text().splitlines())
    return [(int(number), float(at)) for number, at in lines]


class _Noting:
    """Notes that a job began where our worker looks for its document; there is none, which ends the job."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes
        self._numbers = {hash_of(str(number)): number for number in range(100)}

    def locate(self, job: Job, _workspace: Path) -> Path:
        begin(str(self._notes), self._numbers[job.source_hash])
        raise SourceUnreadable("made for the bench")


class _Silent:
    def claimed(self, _job: Job) -> None: ...

    def progressed(self, _job: Job, _progress: Progress) -> None: ...

    def ended(self, _outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None: ...

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        raise problem


def _work_ours(url: str, notes: Path) -> None:
    with TemporaryDirectory(dir=notes.parent) as folder:
        our_queue.run_worker(url, Path(folder), _Noting(notes), _Silent(), lease=LEASE)


def _submit_ours(url: str, _notes: Path, number: int) -> None:
    service = our_queue.open_service(url)
    add_jobs(service, 1, first=number)
    service.close()


def _work_pgqueuer(url: str, notes: Path) -> None:
    import asyncpg
    import pgqueuer
    import uvloop

    async def work() -> None:
        connection = await asyncpg.connect(url)
        queue = pgqueuer.PgQueuer.from_asyncpg_connection(connection)

        async def run(job: Any) -> None:
            await asyncio.to_thread(begin, str(notes), int(job.payload))

        # A limit of one, so that it takes jobs one after the other like the rest.
        queue.entrypoint("begin", concurrency_limit=1)(run)
        await queue.run()

    uvloop.run(work())


def _submit_pgqueuer(url: str, _notes: Path, number: int) -> None:
    import asyncpg
    from pgqueuer.queries import Queries

    async def submit() -> None:
        connection = await asyncpg.connect(url)
        await Queries.from_asyncpg_connection(connection).enqueue("begin", str(number).encode(), 0)
        await connection.close()

    asyncio.run(submit())


def _procrastinate_app(connector: Any) -> tuple[Any, Any]:
    import procrastinate

    app = procrastinate.App(connector=connector)
    return app, app.task(name="begin")(begin)


def _work_procrastinate(url: str, _notes: Path) -> None:
    import procrastinate

    app, _ = _procrastinate_app(procrastinate.PsycopgConnector(conninfo=url))
    app.run_worker()


def _submit_procrastinate(url: str, notes: Path, number: int) -> None:
    import procrastinate

    app, task = _procrastinate_app(procrastinate.SyncPsycopgConnector(conninfo=url))
    with app.open():
        task.defer(notes=str(notes), number=number)


def _work_rq(socket: str, _notes: Path) -> None:
    import redis
    import rq

    connection = redis.Redis(unix_socket_path=socket)
    rq.Worker([rq.Queue(connection=connection)], connection=connection).work(logging_level="ERROR")


def _submit_rq(socket: str, notes: Path, number: int) -> None:
    import redis
    import rq

    rq.Queue(connection=redis.Redis(unix_socket_path=socket)).enqueue(begin, str(notes), number)


def _huey(socket: str) -> tuple[Any, Any]:
    import huey

    queue = huey.RedisHuey("bench", url=f"unix://{socket}")
    return queue, queue.task(name="begin")(begin)


def _work_huey(socket: str, _notes: Path) -> None:
    queue, _ = _huey(socket)
    queue.create_consumer().run()


def _submit_huey(socket: str, notes: Path, number: int) -> None:
    _, task = _huey(socket)
    task(str(notes), number)


def _celery(socket: str) -> tuple[Any, Any]:
    import celery

    app = celery.Celery("bench", broker=f"redis+socket://{socket}")
    return app, app.task(name="begin")(begin)


def _work_celery(socket: str, _notes: Path) -> None:
    app, _ = _celery(socket)
    app.worker_main(["worker", "--loglevel=ERROR", "--concurrency=1"])


def _submit_celery(socket: str, notes: Path, number: int) -> None:
    _, task = _celery(socket)
    task.delay(str(notes), number)


def _left_by_procrastinate(url: str) -> str:
    import psycopg

    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'").fetchone()
    return f"{found[0] if found else 0} stuck in 'doing'"


def _left_by_rq(socket: str) -> str:
    import redis
    import rq
    from rq.registry import FailedJobRegistry, StartedJobRegistry

    queue = rq.Queue(connection=redis.Redis(unix_socket_path=socket))
    return f"{len(StartedJobRegistry(queue=queue))} stuck as started, {len(FailedJobRegistry(queue=queue))} failed"


def _left_by_huey(socket: str) -> str:
    queue, _ = _huey(socket)
    return f"{queue.pending_count()} in the queue: what was taken out is lost"


def _left_by_celery(socket: str) -> str:
    import redis

    connection = redis.Redis(unix_socket_path=socket)
    unacknowledged, waiting = connection.hlen("unacked"), connection.llen("celery")
    return f"{waiting} in the queue, {unacknowledged} taken ahead come back after an hour: the held one is lost"


def _nothing_to_tell(_place: str) -> str:
    return ""


class Contestant(NamedTuple):
    """`place` is the URL of a database, or Redis's socket."""

    submit: Callable[[str, Path, int], None]
    work: Callable[[str, Path], None]
    left: Callable[[str], str] = _nothing_to_tell
    """What is to be found of jobs that did not run again."""


CONTESTANTS = {
    "ours": Contestant(_submit_ours, _work_ours),
    "PgQueuer": Contestant(_submit_pgqueuer, _work_pgqueuer),
    "procrastinate": Contestant(_submit_procrastinate, _work_procrastinate, _left_by_procrastinate),
    "rq": Contestant(_submit_rq, _work_rq, _left_by_rq),
    "huey": Contestant(_submit_huey, _work_huey, _left_by_huey),
    "celery": Contestant(_submit_celery, _work_celery, _left_by_celery),
}


def main() -> None:
    name, place, notes = sys.argv[1:]
    CONTESTANTS[name].work(place, Path(notes))
