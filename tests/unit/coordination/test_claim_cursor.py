"""The beginning of a line: remembered when the way to it was long, and not for long."""

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


def long_look(cursors: ClaimCursors, watch: Stopwatch, name: str = "a") -> None:
    began = cursors.started()
    watch.now += 2 * LONG_SECONDS
    cursors.scanned_from_head(PARTITION, a_job(name), since=began)


def test_a_quick_look_is_not_remembered() -> None:
    cursors = ClaimCursors(clock=Stopwatch())

    cursors.scanned_from_head(PARTITION, a_job("a"), since=cursors.started())

    assert cursors.position(PARTITION) is None


def test_a_long_look_is_remembered_for_a_moment_and_for_its_line_alone() -> None:
    watch = Stopwatch()
    cursors = ClaimCursors(clock=watch)
    long_look(cursors, watch)

    assert cursors.position(PARTITION) == position_of(a_job("a"))
    assert cursors.position(ClaimPartition("default", "echo")) is None

    watch.now += VALID_SECONDS
    assert cursors.position(PARTITION) is None


def test_looks_from_there_move_it_on_but_do_not_prolong_it() -> None:
    watch = Stopwatch()
    cursors = ClaimCursors(clock=watch)
    long_look(cursors, watch)
    watch.now += 0.6 * VALID_SECONDS

    cursors.advance(PARTITION, a_job("b"))

    assert cursors.position(PARTITION) == position_of(a_job("b"))
    watch.now += 0.6 * VALID_SECONDS
    assert cursors.position(PARTITION) is None


def test_a_look_that_found_nothing_ends_it() -> None:
    watch = Stopwatch()
    cursors = ClaimCursors(clock=watch)
    long_look(cursors, watch)

    cursors.scanned_from_head(PARTITION, None, since=watch.now - 1)

    assert cursors.position(PARTITION) is None


def test_jobs_of_our_own_move_it_back_before_them_and_never_on() -> None:
    watch = Stopwatch()
    cursors = ClaimCursors(clock=watch)
    long_look(cursors, watch)
    before = a_job("earlier", now=START - timedelta(seconds=1))._replace(id=JobId(7))
    behind = a_job("later", now=START + timedelta(seconds=1))

    cursors.rewind_for([before, behind, a_job("of another line", type="echo")])

    assert cursors.position(PARTITION) == ClaimPosition(3, before.created_at, 6)
