"""A queue in a file that its user may read and not write."""

from pathlib import Path

import pytest
from tests.e2e.disks import bound_by_permissions
from tests.e2e.program import Blobforge, ended
from tests.pdfs import text_pdf


@pytest.fixture
def queue(blobforge: Blobforge) -> Path:
    text_pdf(blobforge.cwd / "one.pdf")
    assert blobforge.call("submit", "one.pdf").exit_code == 0
    path = blobforge.home / "queue.db"
    path.chmod(0o400)
    return path


@pytest.mark.parametrize("command", ["worker --drain", "worker", "cancel #1"])
def test_who_writes_is_told_the_file_and_what_to_do_at_once(command: str, blobforge: Blobforge, queue: Path) -> None:
    done = ended(blobforge.start(*command.split(), before=bound_by_permissions()))

    assert done.returncode == 1
    assert f"this user may not write {queue}" in done.stderr
    assert "give the right to write it" in done.stderr
    assert done.stderr.count("may not write") == 1


@pytest.mark.parametrize("command", ["list", "worker --drain"])
def test_a_home_that_may_not_be_entered_is_told_as_that(command: str, blobforge: Blobforge, queue: Path) -> None:
    """As that of another user: whether there is a queue in it cannot be seen."""
    blobforge.home.chmod(0)
    try:
        done = ended(blobforge.start(*command.split(), before=bound_by_permissions()))
    finally:
        blobforge.home.chmod(0o700)

    assert done.returncode == 1
    assert f"{queue}, cannot be opened: this user may not enter {blobforge.home}" in done.stderr


@pytest.mark.usefixtures("queue")
def test_who_only_looks_sees_the_queue(blobforge: Blobforge) -> None:
    done = ended(blobforge.start("list", before=bound_by_permissions()))

    assert (done.returncode, "one.pdf" in done.stdout) == (0, True)


def test_a_queue_can_be_written_again_once_its_file_can_whoever_looked_meanwhile(
    blobforge: Blobforge, queue: Path
) -> None:
    """The look left files beside it, which SQLite made with the rights of that time."""
    assert ended(blobforge.start("list", before=bound_by_permissions())).returncode == 0
    queue.chmod(0o600)

    done = ended(blobforge.start("cancel", "#1", before=bound_by_permissions()))

    assert (done.returncode, done.stderr) == (0, "job #1 (one.pdf) is cancelled\n")
