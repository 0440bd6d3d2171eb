"""Claim cursors: set after a long scan, and valid for a moment."""

from datetime import timedelta

from blobforge.coordination.sql.claim_partitions import ClaimPartition
from blobforge.coordination.sql.postgres.claim_cursor import (
    LONG_SECONDS,
    VALID_SECONDS,
    ClaimCursors,
    ClaimPosition,
    position_of,
)
from blobforge.domain.ids import JobId
from blobforge.testing.builders import a_job
from blobforge.testing.clock import START

PARTITION = ClaimPartition("default", "pdf")


class Stopwatch:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def long_scan(cursors: ClaimCursors, watch: Stopwatch, name: str = "a") -> None:
    began = cursors.started()
    watch.now += 2 * LONG_SECONDS
    cursors.scanned_from_head(PARTITION, a_job(name), since=began)


def test_a_quick_scan_sets_no_cursor() -> None:
    cursors = ClaimCursors(clock=Stopwatch())

    cursors.scanned_from_head(PARTITION, a_job("a"), since=cursors.started())

    assert cursors.position(PARTITION) is None


def test_a_long_scan_sets_a_cursor_for_a_moment_and_for_its_partition_alone() -> None:
    watch = Stopwatch()
    cursors = ClaimCursors(clock=watch)
    long_scan(cursors, watch)

    assert cursors.position(PARTITION) == position_of(a_job("a"))
    assert cursors.position(ClaimPartition("default", "echo")) is None

    watch.now += VALID_SECONDS
    assert cursors.position(PARTITION) is None


def test_scans_from_the_cursor_advance_it_but_do_not_prolong_it() -> None:
    watch = Stopwatch()
    cursors = ClaimCursors(clock=watch)
    long_scan(cursors, watch)
    watch.now += 0.6 * VALID_SECONDS

    cursors.advance(PARTITION, a_job("b"))

    assert cursors.position(PARTITION) == position_of(a_job("b"))
    watch.now += 0.6 * VALID_SECONDS
    assert cursors.position(PARTITION) is None


def test_a_scan_that_found_nothing_removes_it() -> None:
    watch = Stopwatch()
    cursors = ClaimCursors(clock=watch)
    long_scan(cursors, watch)

    cursors.scanned_from_head(PARTITION, None, since=watch.now - 1)

    assert cursors.position(PARTITION) is None


def test_jobs_of_our_own_rewind_it_and_never_advance_it() -> None:
    watch = Stopwatch()
    cursors = ClaimCursors(clock=watch)
    long_scan(cursors, watch)
    before = a_job("earlier", now=START - timedelta(seconds=1))._replace(id=JobId(7))
    after = a_job("later", now=START + timedelta(seconds=1))

    cursors.rewind_for([before, after, a_job("of another partition", type="echo")])

    assert cursors.position(PARTITION) == ClaimPosition(3, before.created_at, 6)
