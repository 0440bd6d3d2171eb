"""The beginning of a line: remembered when the way to it was long, and not for long."""

from datetime import timedelta

from blobforge.coordination.sql.lines import Line
from blobforge.coordination.sql.postgres.frontier import LONG_SECONDS, VALID_SECONDS, Frontiers, Place, place_of
from blobforge.domain.ids import JobId
from blobforge.testing.builders import a_job
from blobforge.testing.clock import START

LINE = Line("default", "pdf")


class Stopwatch:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def long_look(frontiers: Frontiers, watch: Stopwatch, name: str = "a") -> None:
    began = frontiers.started()
    watch.now += 2 * LONG_SECONDS
    frontiers.looked(LINE, a_job(name), since=began)


def test_a_quick_look_is_not_remembered() -> None:
    frontiers = Frontiers(clock=Stopwatch())

    frontiers.looked(LINE, a_job("a"), since=frontiers.started())

    assert frontiers.of(LINE) is None


def test_a_long_look_is_remembered_for_a_moment_and_for_its_line_alone() -> None:
    watch = Stopwatch()
    frontiers = Frontiers(clock=watch)
    long_look(frontiers, watch)

    assert frontiers.of(LINE) == place_of(a_job("a"))
    assert frontiers.of(Line("default", "echo")) is None

    watch.now += VALID_SECONDS
    assert frontiers.of(LINE) is None


def test_looks_from_there_move_it_on_but_do_not_prolong_it() -> None:
    watch = Stopwatch()
    frontiers = Frontiers(clock=watch)
    long_look(frontiers, watch)
    watch.now += 0.6 * VALID_SECONDS

    frontiers.moved_on(LINE, a_job("b"))

    assert frontiers.of(LINE) == place_of(a_job("b"))
    watch.now += 0.6 * VALID_SECONDS
    assert frontiers.of(LINE) is None


def test_a_look_that_found_nothing_ends_it() -> None:
    watch = Stopwatch()
    frontiers = Frontiers(clock=watch)
    long_look(frontiers, watch)

    frontiers.looked(LINE, None, since=watch.now - 1)

    assert frontiers.of(LINE) is None


def test_jobs_of_our_own_move_it_back_before_them_and_never_on() -> None:
    watch = Stopwatch()
    frontiers = Frontiers(clock=watch)
    long_look(frontiers, watch)
    before = a_job("earlier", now=START - timedelta(seconds=1))._replace(id=JobId(7))
    behind = a_job("later", now=START + timedelta(seconds=1))

    frontiers.came([before, behind, a_job("of another line", type="echo")])

    assert frontiers.of(LINE) == Place(3, before.created_at, 6)
