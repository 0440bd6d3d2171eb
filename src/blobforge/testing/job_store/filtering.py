"""Filters: every store finds the same jobs."""

from datetime import timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.json_value import JsonValue, canonical_json
from blobforge.ports.job_store import JobFilter, JobStore, Transition
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, completing, failing, renewing, take

LATER = START + timedelta(seconds=5)


def done(store: JobStore, name: str, **facts: JsonValue) -> Job:
    """A job that was completed with such a result."""
    added(store, name)
    (held,) = take(store)
    result = canonical_json({"key": f"outputs/{name}.zip", "recipe": "aaaa", "pages": 3, **facts})
    (outcome,) = store.apply([Transition(held, completing(held, result=result))]).outcomes
    assert isinstance(outcome, Job)
    return outcome


class FilteringContract:
    def test_results_with_gaps_are_found_and_counted(self, store: JobStore) -> None:
        done(store, "whole", pages_failed=0, codes={})
        gapped = done(store, "gapped", pages_failed=10, codes={"ocr_unavailable": 10})
        done(store, "by another program", pages_failed="no number")
        added(store, "waiting")

        assert store.page(JobFilter(gaps=True)) == [gapped]
        assert store.page(JobFilter(gaps=True, state=State.COMPLETED)) == [gapped]
        assert store.page(JobFilter(gaps=True, state=State.DEAD)) == store.page(JobFilter(gaps=True, type="echo")) == []
        assert store.gaps() == store.gaps(project="default") == {"pdf": 1}
        assert store.gaps(project="nobody's") == {}

    def test_results_with_doubts_are_found_and_counted(self, store: JobStore) -> None:
        done(store, "sound", warnings={}, repaired=False)
        repaired = done(store, "repaired", repaired=True)
        doubtful = done(store, "doubtful", warnings={"unknown_glyphs": 2})
        done(store, "a word alone", note="repaired")
        added(store, "waiting")

        assert store.page(JobFilter(doubts=True)) == [doubtful, repaired]
        assert store.page(JobFilter(doubts=True, state=State.COMPLETED), limit=1) == [doubtful]
        assert store.page(JobFilter(doubts=True, state=State.DEAD)) == []
        assert store.doubts() == store.doubts(project="default") == {"pdf": 2}
        assert store.doubts(project="nobody's") == {}

    def test_a_doubt_is_known_until_a_new_result_has_none(self, store: JobStore) -> None:
        doubtful = done(store, "doubtful", repaired=True, pages_failed=1)
        waiting = store.update(doubtful.id, lambda job: lifecycle.retry(job, now=LATER))
        while_it_waits = store.page(JobFilter(doubts=True, gaps=True))

        (held,) = take(store)
        store.apply([Transition(held, completing(held, result='{"pages_failed":1}'))])

        assert while_it_waits == [waiting]
        assert (store.page(JobFilter(doubts=True)), store.doubts()) == ([], {})
        assert store.gaps() == {"pdf": 1}

    def test_a_gap_is_known_until_a_new_result_has_none(self, store: JobStore) -> None:
        gapped = done(store, "gapped", pages_failed=2)
        waiting = store.update(gapped.id, lambda job: lifecycle.retry(job, now=LATER))
        while_it_waits = store.page(JobFilter(gaps=True))

        (held,) = take(store)
        store.apply([Transition(held, completing(held, result='{"pages_failed":0}'))])

        assert while_it_waits == [waiting]
        assert store.page(JobFilter(gaps=True)) == []
        assert store.gaps() == {}

    def test_gaps_come_in_pages_from_the_newest_down(self, store: JobStore) -> None:
        jobs = [done(store, name, pages_failed=int(name) % 2) for name in "12345"]

        first = store.page(JobFilter(gaps=True), limit=2)
        rest = store.page(JobFilter(gaps=True), after=first[-1].id, limit=2)

        assert [*first, *rest] == [jobs[4], jobs[2], jobs[0]]

    def test_jobs_are_found_by_their_error_code(self, store: JobStore) -> None:
        added(store, *"abc")
        a, b, c = take(store, 3)
        store.update(a.id, failing(a, Failure("not_a_pdf", "a page of HTML")))
        store.update(b.id, failing(b, Failure("timed_out", "too long", retryable=True)))
        store.update(c.id, failing(c, Failure("not_a_pdf", "a picture")))

        assert {job.id for job in store.page(JobFilter(code="not_a_pdf"))} == {a.id, c.id}
        assert [job.id for job in store.page(JobFilter(code="timed_out", state=State.FAILED))] == [b.id]
        assert store.page(JobFilter(code="timed_out", state=State.DEAD)) == []

    def test_jobs_are_found_by_when_they_changed_last(self, store: JobStore) -> None:
        added(store, *"abc")
        a, b, _ = take(store, 3)
        store.apply([Transition(a, completing(a, now=LATER)), Transition(b, renewing(b, now=LATER))])

        assert {job.id for job in store.page(JobFilter(since=LATER))} == {a.id, b.id}
        assert len(store.page(JobFilter(since=START))) == 3
        assert store.page(JobFilter(since=LATER + timedelta(seconds=1))) == []

    @pytest.mark.parametrize("tag", ["x", "100%", "under_score", '"quoted"', ",", "größer", "[]"])
    def test_jobs_are_found_by_a_tag_of_theirs_and_not_by_a_part_of_one(self, store: JobStore, tag: str) -> None:
        (tagged,) = added(store, "a", tags=canonical_json(["first", tag]))
        added(store, "b", tags=canonical_json([f"{tag}{tag}", "other", "more"]))
        added(store, "c")

        assert store.page(JobFilter(tag=tag)) == [tagged]

    def test_jobs_are_found_by_the_beginning_of_their_recipe(self, store: JobStore) -> None:
        old = done(store, "old", recipe="0123456789abcdef")
        new = done(store, "new", recipe="0123ffffffffffff")
        done(store, "other", recipe="ffff0123ffffffff")

        assert store.page(JobFilter(recipe="0123")) == [new, old]
        assert store.page(JobFilter(recipe="0123456789abcdef")) == [old]

    def test_jobs_are_found_by_the_engine_that_made_their_result(self, store: JobStore) -> None:
        """Also where the order names none, and while another order waits."""
        adopted = done(store, "adopted", engine="blobforge")
        other = done(store, "other", engine="marker")
        asked = canonical_json({"options": {"engine": "marker"}})
        waiting = store.update(adopted.id, lambda job: lifecycle.retry(job, now=LATER, metadata=asked))

        assert store.page(JobFilter(engine="blobforge")) == [waiting]
        assert store.page(JobFilter(engine="marker")) == [other]

    def test_where_a_result_does_not_tell_its_engine_the_order_does(self, store: JobStore) -> None:
        made = done(store, "a")
        asked = canonical_json({"options": {"engine": "marker"}})
        waiting = store.update(made.id, lambda job: lifecycle.retry(job, now=LATER, metadata=asked))

        assert store.page(JobFilter(engine="marker")) == [waiting]

    def test_jobs_without_a_result_are_found_by_the_engine_that_their_order_asks_for(self, store: JobStore) -> None:
        (marker,) = added(store, "a", metadata=canonical_json({"options": {"engine": "marker"}}))
        added(store, "b", metadata=canonical_json({"options": {"engine": "blobforge", "note": "marker"}}))
        added(store, "c", metadata="no JSON, but a marker")

        assert store.page(JobFilter(engine="marker")) == [marker]

    def test_what_is_rare_fills_a_page_all_the_same(self, store: JobStore) -> None:
        """A store that reads one page and then filters it would return too few."""
        rare = [added(store, name, tags='["a,b"]' if name in "05" else '["a","b"]')[0] for name in "0123456789"]

        assert store.page(JobFilter(tag="a,b"), limit=2) == [rare[5], rare[0]]
