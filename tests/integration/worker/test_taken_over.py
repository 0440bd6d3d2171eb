"""A child that was taken over by one document, and the documents that come after it or run beside it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.integration.worker import hostile_processors as hostile
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.site import Site
from tests.integration.worker.workbench import Numbers, Start, a_task, ask, confined, refused, spec_of, staged

from blobforge.domain.errors import ChildMisbehaved
from blobforge.domain.job import State
from blobforge.ports.processor import Task
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.worker.child import Child
from blobforge.worker.observer import Tally

with_sandbox = pytest.mark.needs("sandbox")
OpenSite = Callable[..., Site]
Shut = Callable[[type[EchoProcessor]], Child]


@pytest.fixture
def shut_in(tmp_path: Path) -> Iterator[Shut]:
    with ExitStack() as stack:

        def start_one(processor: type[EchoProcessor]) -> Child:
            child = Child(confined(spec_of(processor), tmp_path / "children"))
            stack.callback(child.close)
            return child

        yield start_one


def a_document(tmp_path: Path, name: str) -> Task:
    folder = tmp_path / name
    folder.mkdir()
    return staged(a_task(folder, name.encode()))


def test_an_answer_that_comes_late_is_none_to_the_next_document(start: Start, tmp_path: Path) -> None:
    child = start(hostile.EarlyAnswer)
    assert refused(ask(child, a_task(tmp_path))).failure.code == "made_up"

    with pytest.raises(ChildMisbehaved):
        ask(child, a_task(tmp_path))


def test_the_document_after_an_early_answer_is_converted(open_site: OpenSite) -> None:
    site = open_site(early=hostile.EarlyAnswer)
    site.submit("hostile", type="early", max_attempts=1, priority=1)
    site.submit("more hostile", type="early", max_attempts=1, priority=1)
    honest = site.submit("honest", b"its bytes")

    assert site.drain() == Tally(completed=1, failed=2)

    assert site.document(honest) == b"its bytes"


@with_sandbox
def test_no_way_leads_back_to_a_document_that_was_taken_away(shut_in: Shut, tmp_path: Path) -> None:
    child, told = shut_in(hostile.Squatter), Numbers()

    for name in ("first", "second", "third"):
        ask(child, a_document(tmp_path, name), on_progress=told)

    assert told.told == {"reached": 0, "copying": 1, "writing": 1}


@with_sandbox
def test_files_are_made_and_copied_as_usual_in_a_workspace(shut_in: Shut, tmp_path: Path) -> None:
    """Although nobody can set times there."""
    told = Numbers()

    ask(shut_in(strange.Copyist), a_document(tmp_path, "first"), on_progress=told)

    assert told.told["made"] == 3


@with_sandbox
def test_a_child_that_takes_its_workspace_away_ends_no_worker(open_site: OpenSite) -> None:
    site = open_site(confines=True, vandal=hostile.Vandal)
    hostile_job = site.submit("hostile", type="vandal", max_attempts=1, priority=1)
    honest = site.submit("honest", b"its bytes")

    site.drain()

    assert (site.state(hostile_job), site.document(honest)) == (State.DEAD, b"its bytes")
    assert site.job(hostile_job).error_code == "child_misbehaved"


@with_sandbox
def test_what_was_left_beside_a_workspace_meets_no_other_document(open_site: OpenSite) -> None:
    site = open_site(confines=True, hoarder=hostile.Hoarder)
    jobs = [site.submit(f"document {number}", type="hoarder") for number in range(3)]

    assert site.drain() == Tally(completed=3)

    assert [site.document(job) for job in jobs] == [f"document {number}".encode() for number in range(3)]


@pytest.fixture
def site_of(open_site: OpenSite, confines: bool, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Site]:
    """Whose children are looked at often."""
    monkeypatch.setattr("blobforge.worker.group_watch.CHECK_EVERY_SECONDS", 0.1)
    monkeypatch.setattr("blobforge.worker.child.CHECK_EVERY_SECONDS", 0.1)
    return lambda **processors: open_site(confines=confines, **processors)


with_and_without_sandbox = pytest.mark.parametrize("confines", [False, pytest.param(True, marks=with_sandbox)])


@with_and_without_sandbox
def test_a_child_that_nests_folders_fails_its_document_and_ends_no_worker(
    site_of: Callable[..., Site], confines: bool
) -> None:
    site = site_of(nester=hostile.Nester)
    waiting = site.submit("waiting", b"waits", type="nester", max_attempts=1, priority=1)
    done = site.submit("done", b"goes on", type="nester", max_attempts=1, priority=1)
    honest = site.submit("honest", b"its bytes")

    site.drain()

    assert (site.job(waiting).error_code, site.document(honest)) == ("output_limit", b"its bytes")
    # It may have been done before anybody looked.
    assert site.job(done).error_code in (None, "output_limit")
    assert site.leftovers() == []


@with_and_without_sandbox
def test_a_disk_is_not_filled_in_a_folder_that_lets_nobody_in(site_of: Callable[..., Site], confines: bool) -> None:
    site = site_of(hider=hostile.Hider)
    hiding = site.submit("hiding", type="hider", max_attempts=1, priority=1)
    honest = site.submit("honest", b"its bytes")

    site.drain(limits={"workspace_mb": 64})

    assert (site.job(hiding).error_code, site.document(honest)) == ("output_limit", b"its bytes")
    assert site.leftovers() == []


@with_sandbox
def test_a_book_is_converted_by_children_that_do_not_see_each_other(open_site: OpenSite) -> None:
    site = open_site(confines=True)
    content = bytes(range(200))
    job = site.submit("a book", content, slices=7, units=20)

    assert site.drain(slots=2) == Tally(completed=1)

    assert site.document(job) == content
    assert site.workspaces() == []


@with_sandbox
def test_a_page_that_kills_its_child_is_a_gap_also_in_the_sandbox(open_site: OpenSite) -> None:
    site = open_site(confines=True)
    job = site.submit("a book", b"0123456789", slices=2, units=10, crash_unit=4)

    site.drain(slots=2)

    assert site.document(job) == b"012456789"


@pytest.mark.parametrize(
    "lie", ["a name with a null character", "a long name", "nothing", "no zip", "a bomb", "a long account"]
)
def test_a_result_that_is_none_fails_its_document_and_no_other(open_site: OpenSite, lie: str) -> None:
    site = open_site(liar=hostile.Liar)
    lying = site.submit(lie, type="liar", max_attempts=1, priority=1)
    honest = site.submit("honest", b"its bytes", type="liar")

    assert site.drain() == Tally(completed=1, failed=1)

    assert site.job(lying).error_code == "child_misbehaved"
    assert site.document(honest) == b"its bytes"


@pytest.mark.parametrize("confines", [False, pytest.param(True, marks=with_sandbox)])
def test_a_result_that_was_published_is_nobodys_to_change(open_site: OpenSite, confines: bool) -> None:
    site = open_site(confines=confines, meddler=hostile.Meddler)
    jobs = [site.submit(f"document {number}", type="meddler") for number in range(3)]

    assert site.drain() == Tally(completed=3)

    assert [site.document(job) for job in jobs] == [f"document {number}".encode() for number in range(3)]
