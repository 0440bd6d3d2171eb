"""The worker beside a server, where its server is told to end while it starts."""

from pathlib import Path

from blobforge.cli.worker_beside import WorkerBeside


def _children() -> str:
    return Path("/proc/thread-self/children").read_text(encoding="ascii")


def test_a_worker_that_was_told_to_end_is_not_begun_afterwards(tmp_path: Path) -> None:
    worker = WorkerBeside({"BLOBFORGE_HOME": str(tmp_path)})
    before = _children()

    worker.end()
    worker.begin()

    assert _children() == before
