"""Lists as people and programs ask for them: pages and counts by project, type, state and what somebody typed."""

from itertools import product

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import JobFilter, JobStore, Queue, Transition, matches
from blobforge.testing.builders import ALICE
from blobforge.testing.clock import START
from blobforge.testing.job_store.archiving import archive_all
from blobforge.testing.job_store.awaiting import awaiting
from blobforge.testing.job_store.due import MUCH_LATER
from blobforge.testing.job_store.forging import NOT_A_PDF
from blobforge.testing.job_store.steps import added, cancelling, completing, failing, take

PROJECTS, TYPES = ("default", "other"), ("pdf", "echo")


def jobs_of_every_kind(store: JobStore) -> list[Job]:
    """Of each lane one in each state and one in the archive, newest first."""
    for kind in ("archived", *sorted(State)):
        for project, job_type in product(PROJECTS, TYPES):
            (job,) = added(store, f"{kind} {project} {job_type}", project=project, type=job_type, priority=1)
            _bring(store, job, kind)
        if kind == "archived":
            archive_all(store)
    awaiting(store, "announced")
    return store.page(JobFilter(), limit=1_000)


def _bring(store: JobStore, job: Job, kind: str) -> None:
    if kind == State.PENDING:
        store.update(job.id, lambda seen: lifecycle.reprioritize(seen, priority=5, now=START))
        return
    if kind == State.CANCELLED:
        store.update(job.id, cancelling)
        return
    (held,) = take(store, queue=Queue(job.project, (job.type,)))
    assert held.id == job.id, "it is the most urgent one"
    ends = {"failed": failing(held), "dead": failing(held, NOT_A_PDF), "running": lambda same: same}
    store.apply([Transition(held, ends.get(kind, completing(held)))])


FILTERS = [
    JobFilter(project=project, type=job_type, state=state)
    for project, job_type, state in product((None, "other", "nobody's"), (None, "pdf", "none"), (None, *State))
]


class ListingContract:
    def test_every_filter_of_a_list_finds_its_jobs_newest_first_and_page_by_page(self, store: JobStore) -> None:
        jobs = jobs_of_every_kind(store)

        for wanted in FILTERS:
            expected = [job for job in jobs if matches(job, wanted)]
            pages = [store.page(wanted, limit=3)]
            while pages[-1]:
                pages.append(store.page(wanted, after=pages[-1][-1].id, limit=3))

            assert [job for page in pages for job in page] == expected, wanted
            assert store.count(wanted, most=100) == len(expected), wanted

    @pytest.mark.parametrize("most", [0, 1, 2, 3])
    def test_no_more_is_counted_than_was_asked_for(self, store: JobStore, most: int) -> None:
        added(store, *"abc")

        assert store.count(JobFilter(), most=most) == min(3, most + 1)
        assert store.count(JobFilter(type="pdf", state=State.PENDING), most=most) == min(3, most + 1)
        assert store.count(JobFilter(project="default"), most=most) == min(3, most + 1)
        assert store.count(JobFilter(tag="none"), most=most) == 0

    def test_other_facts_are_counted_too(self, store: JobStore) -> None:
        added(store, "a", tags='["x"]')
        added(store, "b", tags='["xx"]')
        added(store, *"cd")
        take(store, 3)
        awaiting(store, "e")

        assert store.count(JobFilter(tag="x"), most=9) == 1
        assert store.count(JobFilter(worker_id=ALICE), most=9) == 3
        assert store.count(JobFilter(worker_id=ALICE), most=1) == 2
        assert store.count(JobFilter(awaits_source=True), most=9) == 1

    def test_a_running_job_that_was_given_up_is_counted_once_and_where_it_is(self, store: JobStore) -> None:
        added(store, *"ab")
        take(store)
        store.update_due(lambda job: lifecycle.reap(job, now=MUCH_LATER), now=MUCH_LATER, limit=9)

        assert store.count(JobFilter(state=State.RUNNING), most=9) == 0
        assert store.count(JobFilter(state=State.PENDING), most=9) == 2

    def test_a_job_is_searched_by_a_part_of_its_path(self, store: JobStore) -> None:
        (report,) = added(store, "a", source_path="/2026/Annual Report.pdf")
        (other,) = added(store, "b", source_path="/2025/report_50%.pdf")
        added(store, "c", source_path=None)
        (letter,) = added(store, "d", source_path="/ÄRGER.pdf")

        assert store.page(JobFilter(search="REPORT")) == [other, report]
        assert store.page(JobFilter(search="2026/annual")) == [report]
        assert store.page(JobFilter(search="_50%")) == [other]
        assert store.page(JobFilter(search="ÄRG")) == [letter]
        assert store.page(JobFilter(search="ärg")) == []
        assert store.page(JobFilter(search="report", type="echo")) == []
        assert store.count(JobFilter(search="report", state=State.PENDING), most=9) == 2
        assert len(store.page(JobFilter(search=""))) == 4

    def test_a_search_may_end_at_an_id(self, store: JobStore) -> None:
        old, new = added(store, "old"), added(store, "new")
        newest = added(store, "newest")

        assert store.page(JobFilter(beyond=old[0].id)) == [*newest, *new]
        assert store.page(JobFilter(beyond=old[0].id, type="pdf"), after=newest[0].id) == new
        assert store.count(JobFilter(beyond=old[0].id, state=State.PENDING), most=9) == 2

    def test_a_job_is_searched_by_the_beginning_of_its_hash(self, store: JobStore) -> None:
        first, second = added(store, "a", "b", source_path="/a.pdf")

        assert store.page(JobFilter(search=first.source_hash[:8])) == [first]
        assert store.page(JobFilter(search=second.source_hash.upper())) == [second]
        assert store.page(JobFilter(search=first.source_hash[:8], state=State.DEAD)) == []
        assert store.page(JobFilter(search=first.source_hash[1:12])) == []
        assert store.count(JobFilter(search=first.source_hash[:9], project="default"), most=9) == 1
