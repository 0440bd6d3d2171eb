"""Documents through real children: whole, in slices, with deadly pages, and with what goes wrong on the way."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.site import Site
from tests.integration.worker.workbench import has_ended

from blobforge.domain.job import Job, State
from blobforge.worker.fair_queue import QUANTUM
from blobforge.worker.job_run import MOST_DEATHS
from blobforge.worker.observer import Tally

OpenSite = Callable[..., Site]


def result_of(job: Job) -> Any:
    assert job.result is not None
    return json.loads(job.result)


def test_a_small_document_is_converted(site: Site) -> None:
    job = site.submit("a document", b"its bytes")

    assert site.drain() == Tally(completed=1)

    assert site.state(job) is State.COMPLETED
    assert site.document(job) == b"its bytes"
    assert result_of(site.job(job))["pages"] == 1


def test_the_slices_of_a_large_document_are_done_side_by_side_and_joined_in_order(open_site: OpenSite) -> None:
    site = open_site(chorus=strange.Chorus)
    content = bytes(range(256)) * 40
    job = site.submit("a book", content, type="chorus", slices=3, units=30)

    assert site.drain(slots=3) == Tally(completed=1)

    assert len(set(site.diary.told("child"))) == 3
    assert site.document(job) == content
    assert result_of(site.job(job))["pages"] == 30


def test_more_slices_than_slots_are_done_one_after_another(site: Site) -> None:
    content = bytes(range(200))
    job = site.submit("a book", content, slices=7, units=20)

    site.drain(slots=2)

    assert site.document(job) == content


def test_a_page_that_kills_its_child_is_a_gap_and_the_rest_is_converted(site: Site) -> None:
    job = site.submit("a book", b"0123456789", slices=2, units=10, crash_unit=4)

    site.drain(slots=2)

    done = site.job(job)
    assert done.state is State.COMPLETED
    assert done.attempts == 1
    assert site.document(job) == b"012456789"
    assert (result_of(done)["pages_failed"], result_of(done)["codes"]) == (1, {"child_killed": 1})


def test_a_page_that_eats_all_memory_is_a_gap_though_its_child_lived_to_tell(open_site: OpenSite) -> None:
    site = open_site(gourmand=strange.Gourmand)
    job = site.submit("a menu", b"3", type="gourmand", slices=2, units=6)

    site.drain()

    assert site.state(job) is State.COMPLETED
    assert result_of(site.job(job))["codes"] == {"memory_limit": 1}


def test_a_small_document_with_a_deadly_page_is_cut_to_save_the_others(site: Site) -> None:
    job = site.submit("a leaflet", b"abc", units=3, crash_unit=2)

    site.drain()

    assert site.document(job) == b"ac"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"crash": 11}, "child_killed"),
        ({"exit_code": 3}, "child_exited"),
        ({"eat_bytes": 4_000_000_000}, "memory_limit"),
        ({"fail": "damaged_pdf"}, "damaged_pdf"),
        ({"crash": 11, "stage": "plan"}, "child_killed"),
        ({"crash": 11, "stage": "join", "slices": 2}, "child_killed"),
    ],
)
def test_a_document_of_which_nothing_is_left_has_failed_with_the_code(
    site: Site, options: dict[str, Any], code: str
) -> None:
    job = site.submit("a document", max_attempts=1, **options)
    other = site.submit("another document")

    site.drain(slots=2)

    assert (site.state(job), site.job(job).error_code) == (State.DEAD, code)
    assert site.state(other) is State.COMPLETED
    assert site.workspaces() == []


def test_a_death_is_tried_again_until_the_attempts_are_spent(site: Site) -> None:
    job = site.submit("a document", crash=11)

    assert site.drain() == Tally(failed=1)

    attempts = site.coordinator.history(job.id).attempts
    assert [attempt.error_code for attempt in attempts] == ["child_killed"] * 3
    assert site.state(job) is State.DEAD


def test_after_too_many_deaths_the_rest_of_the_document_is_given_up(open_site: OpenSite) -> None:
    site = open_site(mortal=strange.Mortal)
    job = site.submit("poison", type="mortal", units=64, max_attempts=1)

    site.drain()

    assert (site.state(job), site.job(job).error_code) == (State.DEAD, "child_killed")
    assert MOST_DEATHS < len(site.diary.told("child")) <= 2 * MOST_DEATHS + 2


def test_a_long_document_does_not_keep_the_next_one_waiting(site: Site) -> None:
    site.submit("long", slices=100, units=100, hang_seconds=0.1)
    running = site.start(slots=2)
    site.diary.wait_until(lambda: "copying" in {progress.stage for _, progress in site.diary.progress})

    short = site.submit("short")
    site.diary.wait_until(lambda: bool(site.diary.endings))
    pages_of_long = max(progress.current for job, progress in site.diary.progress if job.id != short.id)
    running.stop()
    running.result()

    assert site.diary.endings[0][0].job.id == short.id
    assert pages_of_long < 60


@pytest.mark.parametrize("slots", [1, 2])
def test_as_many_endless_documents_as_there_are_slots_do_not_keep_the_others_from_being_claimed(
    open_site: OpenSite, slots: int
) -> None:
    site = open_site(dam=strange.Dam)
    gate = site.folder / "gate"
    # They stand still after their share, until both small ones are claimed: two more are the most with one slot.
    for number in range(slots):
        facts = {"slices": 3 * QUANTUM, "units": 3 * QUANTUM, "fail_unit": QUANTUM, "priority": 1}
        site.submit(f"{number}", bytes(gate) + b"/" * number, type="dam", **facts)
    small = [site.submit(f"small {number}") for number in range(slots)]
    site.diary.hooks["claimed"] = lambda job: gate.touch() if job.id == small[-1].id else None

    tally = site.drain(slots=slots, limits={"timeout_seconds": 20})

    assert tally.completed == 2 * slots
    assert {ending.job.id for ending, _ in site.diary.endings[:slots]} == {job.id for job in small}


def test_the_documents_beside_long_ones_are_handed_back_with_them(open_site: OpenSite) -> None:
    site = open_site(dam=strange.Dam)
    facts = {"slices": 3 * QUANTUM, "units": 3 * QUANTUM, "fail_unit": QUANTUM, "priority": 1}
    jobs = [site.submit("long", bytes(site.folder / "no gate"), type="dam", **facts), site.submit("small")]
    running = site.start(slots=1)
    site.diary.wait_until(lambda: len(site.diary.claims) == 2)

    running.stop()
    running.result()

    assert [(site.state(job), site.job(job).attempts) for job in jobs] == [(State.PENDING, 0)] * 2


def test_a_document_that_takes_too_long_has_timed_out_and_its_children_end(open_site: OpenSite) -> None:
    """R2-47."""
    site = open_site(sleeper=strange.Sleeper)
    job = site.submit("endless", type="sleeper", slices=2, max_attempts=3)

    site.drain(slots=2, limits={"timeout_seconds": 1.5})

    assert (site.state(job), site.job(job).error_code) == (State.DEAD, "timed_out")
    assert all(has_ended(site.diary.child(number)) for number in range(2))


def test_when_one_slice_is_refused_the_others_do_not_keep_their_slots(open_site: OpenSite) -> None:
    site = open_site(uneven=strange.Uneven, chorus=strange.Chorus)
    refused = site.submit("uneven", type="uneven", slices=2)
    running = site.start(slots=2)
    site.diary.child()

    needs_both_slots = site.submit("the next", type="chorus", slices=2)
    site.diary.wait_until(lambda: len(site.diary.endings) == 2)
    running.stop()
    running.result()

    assert site.job(refused).error_code == "processing_error"
    assert site.state(needs_both_slots) is State.COMPLETED
    assert site.workspaces() == []


def test_a_join_that_dies_is_tried_again_also_for_a_document_without_units(open_site: OpenSite) -> None:
    site = open_site(empty=strange.NoUnits)
    job = site.submit("nothing in it", type="empty")

    site.drain()

    assert site.state(job) is State.COMPLETED


def test_a_result_that_is_there_already_needs_no_child(site: Site) -> None:
    site.submit("a document")
    site.drain()
    job = site.submit("a document")
    site.coordinator.retry(job.id)
    site.diary.progress.clear()

    assert site.drain() == Tally(completed=1)

    assert site.diary.progress == []
    assert len(site.coordinator.files(job.id)) == 1


def test_a_damaged_result_is_made_again(site: Site) -> None:
    job = site.submit("a document", b"its bytes")
    site.drain()
    (key,) = site.results()
    (site.folder / "blobs" / key).write_bytes(b"no zip")
    site.coordinator.retry(job.id)

    site.drain()

    assert site.document(job) == b"its bytes"


def test_a_source_that_is_gone_fails_with_its_code_and_the_next_document_goes_on(site: Site) -> None:
    gone, other = site.submit("gone", max_attempts=1), site.submit("here")
    (site.folder / "gone.pdf").unlink()

    site.drain()

    assert site.job(gone).error_code == "source_missing"
    assert site.state(other) is State.COMPLETED


def test_a_processor_that_gives_the_source_away_cannot_take_it_from_its_owner(open_site: OpenSite) -> None:
    site = open_site(thief=strange.Thief)
    job = site.submit("mine", b"precious", type="thief")

    site.drain()

    assert site.job(job).error_code == "processing_error"
    assert (site.folder / "mine.pdf").read_bytes() == b"precious"


def test_a_document_that_is_edited_while_it_is_read_gives_no_result_under_its_old_name(open_site: OpenSite) -> None:
    site = open_site(editor=strange.Editor)
    job = site.submit("draft", b"first version", type="editor")

    site.drain()

    assert site.job(job).error_code == "source_changed"
    assert site.results() == []


def test_files_with_any_name_are_converted_and_their_errors_can_be_stored(site: Site) -> None:
    names = ["\udcff", "two\nlines", "x" * 247, "Unicode Ω 😀"]
    good = [site.submit(name, f"good {number}".encode()) for number, name in enumerate(names)]
    bad = [site.submit(f"bad {name}", f"bad {number}".encode()) for number, name in enumerate(names)]
    for job in bad:
        Path(str(job.source_path)).write_bytes(b"changed")

    site.drain()

    assert [site.document(job) for job in good] == [b"good 0", b"good 1", b"good 2", b"good 3"]
    assert {site.job(job).error_code for job in bad} == {"source_changed"}
    assert all(b".pdf was changed" in str(site.job(job).last_error).encode() for job in bad)


def test_no_thread_is_left_when_all_is_done(site: Site) -> None:
    site.submit("a document")

    site.drain(slots=3)

    assert {thread.name for thread in threading.enumerate()} & {"heartbeat", "slot-0", "slot-1", "slot-2"} == set()
