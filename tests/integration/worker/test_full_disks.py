"""A real disk under the workspaces that fills while documents are at work."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from tests.e2e.disks import Disk, small_disk
from tests.integration.worker.site import Site

from blobforge.domain.job import Job, State
from blobforge.testing.builders import ALICE

OpenSite = Callable[..., Site]
LARGE = 700_000


@pytest.fixture
def disk(site: Site) -> Iterator[Disk]:
    """Under the workspaces of the site, with room for what is not its own."""
    with small_disk(site.folder / "disk", kilobytes=3_000) as disk:
        work = disk.path / "work"
        work.mkdir()
        (site.folder / f"{ALICE}.work").symlink_to(work)
        yield disk


def submitted(site: Site, count: int, *, size: int, **facts: Any) -> list[Job]:
    """A document takes its size on the disk twice: as a unit, and in the result."""
    return [site.submit(f"{number}", Random(number).randbytes(size), **facts) for number in range(count)]


@pytest.mark.parametrize("slots", [1, 3])
def test_a_disk_that_others_filled_is_waited_for_and_no_document_pays_for_it(
    site: Site, disk: Disk, slots: int
) -> None:
    jobs = submitted(site, 4, size=100_000, max_attempts=1)
    disk.fill(leave=60_000)
    claims_while_it_is_full: list[int] = []

    def make_room(_: object) -> None:
        claims_while_it_is_full.append(len(site.diary.claims))
        if len(claims_while_it_is_full) == 4:
            disk.free()

    site.diary.hooks["waiting"] = make_room
    tally = site.drain(slots=slots)

    assert (tally.completed, tally.failed) == (4, 0)
    assert [(site.state(job), site.job(job).attempts) for job in jobs] == [(State.COMPLETED, 1)] * 4
    assert len(set(claims_while_it_is_full)) == 1


@pytest.mark.usefixtures("disk")
def test_documents_that_do_not_fit_on_the_disk_together_go_one_after_the_other(site: Site) -> None:
    jobs = submitted(site, 8, size=LARGE, max_attempts=1)

    tally = site.drain(slots=4)

    assert (tally.completed, tally.failed) == (8, 0)
    assert tally.released < 16
    assert {site.state(job) for job in jobs} == {State.COMPLETED}


@pytest.mark.usefixtures("disk")
def test_a_document_that_is_too_large_for_the_disk_alone_fails_and_the_others_are_done(site: Site) -> None:
    (too_large,) = submitted(site, 1, size=4 * LARGE, max_attempts=1)
    others = [site.submit(f"small {number}") for number in range(3)]

    tally = site.drain(slots=2)

    assert (tally.completed, tally.failed) == (3, 1)
    assert (site.state(too_large), site.job(too_large).error_code) == (State.DEAD, "disk_full")
    assert {site.state(job) for job in others} == {State.COMPLETED}
