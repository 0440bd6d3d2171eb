"""A queue in a file that is not there: who only looks does not make it."""

import pytest
from tests.e2e.program import Blobforge

LOOKING = [
    *("status", "status #1", "list", "dashboard", "workers", "why #1", "search-queue word", "logs #1", "plan"),
    *("worker --dry-run", "download #1", "preview #1", "hydrate .", "retry #1", "retry-all --dead", "cancel #1"),
    *("clear-dead --dry-run", "janitor", "gc --dry-run", "watch", "worker --drain", "worker --run-once"),
]


@pytest.mark.parametrize("command", LOOKING)
def test_who_looks_at_a_queue_that_is_not_there_is_told_so_and_makes_nothing(
    command: str, blobforge: Blobforge
) -> None:
    path = blobforge.cwd / "mistyped" / "dir" / "q.db"

    done = blobforge.call(*command.split(), BLOBFORGE_QUEUE=f"sqlite:///{path}")

    assert (done.exit_code, "[not_found]" in done.stderr) == (1, True)
    assert f"there is no queue at {path} yet" in done.stderr
    assert "BLOBFORGE_QUEUE" in done.stderr
    assert not (blobforge.cwd / "mistyped").exists()


@pytest.mark.parametrize("command", ["status", "list", "dashboard"])
def test_the_queue_of_a_new_home_has_no_jobs(command: str, blobforge: Blobforge) -> None:
    done = blobforge.call(*command.split())

    assert done.exit_code == 0
    assert "no queue" not in done.output


def test_who_brings_documents_makes_the_queue(blobforge: Blobforge) -> None:
    path = blobforge.cwd / "new" / "q.db"
    (blobforge.cwd / "one.pdf").write_bytes(b"%PDF-1.4")

    done = blobforge.call("submit", "one.pdf", BLOBFORGE_QUEUE=f"sqlite:///{path}")

    assert (done.exit_code, path.exists()) == (0, True)


def test_a_worker_that_stays_makes_the_queue_and_says_so(blobforge: Blobforge) -> None:
    path = blobforge.cwd / "new" / "q.db"

    worker = blobforge.start("worker", BLOBFORGE_QUEUE=f"sqlite:///{path}")
    assert worker.stderr is not None
    told = next(line for line in worker.stderr if "a new one is made" in line)
    begun = next(line for line in worker.stderr if "worker started" in line)

    assert str(path) in told
    assert str(path) in begun
    assert path.exists()
