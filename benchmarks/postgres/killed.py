"""What becomes of a job whose worker is killed while it holds it, and of those that waited behind it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.harness import Measure
from benchmarks.postgres import our_queue, pgqueuer_queue, procrastinate_queue
from benchmarks.postgres.effort import Effort
from benchmarks.postgres.killed_workers import CONTESTANTS, HELD, LEASE, begun
from benchmarks.postgres.place import ClaimPosition

WAITING_JOBS = 5
LONGEST_SECONDS = 60.0
START_SECONDS = 30.0
LOOK_SECONDS = 0.05
GRACE_SECONDS = 5.0

_TABLES: dict[str, Callable[[str], None]] = {
    "ours": lambda url: our_queue.fill(url, 0),
    "PgQueuer": pgqueuer_queue.install,
    "procrastinate": lambda url: procrastinate_queue.fill(url, 0),
}
_ON_REDIS = ("rq", "huey", "celery")


class Aftermath(NamedTuple):
    """`again`: so many seconds after the kill the held job began once more. `others`: so many of the waiting began.
    `left`: what is to be found of it where it did not."""

    again: float | None
    others: int
    left: str


def measures(place: ClaimPosition, effort: Effort) -> Iterator[Measure]:
    del effort  # it takes as long as it takes
    with ExitStack() as ending:
        places = {name: ending.enter_context(_database(place, name)) for name in _TABLES}
        if shutil.which("redis-server"):
            places |= {name: ending.enter_context(_redis()) for name in _ON_REDIS}
        else:
            print(f"there is no redis-server: {', '.join(_ON_REDIS)} are left out", file=sys.stderr)
        # All at once, because most of the time is spent waiting.
        pool = ending.enter_context(ThreadPoolExecutor(len(places)))
        running = {name: pool.submit(_kill_one, name, where) for name, where in places.items()}
        aftermaths = {name: future.result() for name, future in running.items()}
    yield from _of_ours(aftermaths.pop("ours"))
    for name, aftermath in aftermaths.items():
        yield _of_peer(name, aftermath)


def _of_ours(aftermath: Aftermath) -> Iterator[Measure]:
    lease = LEASE.total_seconds()
    yield Measure(
        what="worker killed: its job runs again after",
        value=LONGEST_SECONDS if aftermath.again is None else aftermath.again,
        unit="s",
        goal=lease + GRACE_SECONDS,
        better="less",
        details=f"lease {lease:g} s, renewed every third of it; with the default of 180 s it takes 120 to 185 s",
    )
    yield Measure(
        what="worker killed: jobs that did not run again",
        value=(aftermath.again is None) + WAITING_JOBS - aftermath.others,
        unit="jobs",
        goal=0,
        better="less",
        details=f"of the one it held and {WAITING_JOBS} behind it",
    )


def _of_peer(name: str, aftermath: Aftermath) -> Measure:
    again = "not within" if aftermath.again is None else "again after"
    seconds = LONGEST_SECONDS if aftermath.again is None else aftermath.again
    return Measure(
        what=f"worker killed, {name}: its job runs again after",
        value=seconds,
        unit="s",
        goal=None,
        better="less",
        details=f"{again} {seconds:.0f} s; {aftermath.others} of {WAITING_JOBS} behind it ran; {aftermath.left}".rstrip(
            "; "
        ),
    )


def _kill_one(name: str, place: str) -> Aftermath:
    """A second worker starts when the first is dead, as whoever watches over workers does it."""
    contestant = CONTESTANTS[name]
    with TemporaryDirectory() as folder:
        notes = Path(folder, "notes")
        with _worker(name, place, notes) as first:
            contestant.submit(place, notes, HELD)
            _wait_for(lambda: bool(begun(notes)), START_SECONDS, f"{name} began no job")
            for number in range(1, 1 + WAITING_JOBS):
                contestant.submit(place, notes, number)
            time.sleep(1)  # some take in advance what they cannot run yet
            _kill(first)
        killed_at = time.monotonic()
        with _worker(name, place, notes):
            while time.monotonic() < killed_at + LONGEST_SECONDS and not _all_ran(notes):
                time.sleep(LOOK_SECONDS)
        later = [(number, at) for number, at in begun(notes) if at > killed_at]
        again = next((at - killed_at for number, at in later if number == HELD), None)
        others = len({number for number, _ in begun(notes)} - {HELD})
        return Aftermath(again, others, "" if again is not None else contestant.left(place))


def _all_ran(notes: Path) -> bool:
    numbers = [number for number, _ in begun(notes)]
    return len(set(numbers)) == 1 + WAITING_JOBS and numbers.count(HELD) > 1


def _wait_for(condition: Callable[[], bool], seconds: float, problem: str) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"{problem} within {seconds:g} s")
        time.sleep(LOOK_SECONDS)


@contextmanager
def _worker(name: str, place: str, notes: Path) -> Iterator[subprocess.Popen[bytes]]:
    # Imported and not run as a program: several of them find a job's function by the name of its module.
    start = "from benchmarks.postgres import killed_workers; killed_workers.main()"
    program = [sys.executable, "-c", start, name, place, str(notes)]
    # A session of its own, by which all of its processes are found.
    with subprocess.Popen(
        program, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The worker first, so that it cannot tell of the death of its children."""
    family = [process.pid, *(pid for pid in _all_pids() if _session_of(pid) == process.pid and pid != process.pid)]
    for pid in family:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _all_pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


@contextmanager
def _database(place: ClaimPosition, name: str) -> Iterator[str]:
    with place.empty_database() as url:
        _TABLES[name](url)
        yield url


@contextmanager
def _redis() -> Iterator[str]:
    """The socket of a server that nobody else sees."""
    with TemporaryDirectory() as folder:
        socket = Path(folder, "socket")
        settings = ["--port", "0", "--unixsocket", str(socket), "--dir", folder, "--save", ""]
        with subprocess.Popen(["redis-server", *settings], stdout=subprocess.DEVNULL) as server:
            try:
                _wait_for(socket.exists, START_SECONDS, "redis-server did not start")
                yield str(socket)
            finally:
                server.terminate()
