"""Dead entries at the head of the claim index that no vacuum has removed yet."""

from contextlib import closing

import pytest

from blobforge.coordination.sql.postgres import claim_cursor
from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.ports.job_store import JobStore, Transition
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import hash_of
from blobforge.testing.job_store.steps import added, releasing, take


def test_while_a_cursor_is_set_urgent_jobs_still_come_first(
    url: str, store: JobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_cursor, "LONG_SECONDS", -1)  # every scan counts as long
    added(store, *(f"document {number}" for number in range(10)))
    take(store, 2)
    with closing(open_queue(url, QueueOptions()).store) as another:
        added(another, "urgent", "urgent too", priority=1)

    names = [job.source_hash for job in take(store, 3)]

    assert names == [hash_of("urgent"), hash_of("urgent too"), hash_of("document 2")]


def test_a_job_that_comes_back_before_the_cursor_is_late_by_a_moment_only(
    url: str, store: JobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_cursor, "LONG_SECONDS", -1)
    added(store, *(f"document {number}" for number in range(6)))
    first, _ = take(store, 2)
    with closing(open_queue(url, QueueOptions()).store) as another:
        another.apply([Transition(first, releasing(first))])

    monkeypatch.setattr(claim_cursor, "VALID_SECONDS", 0)
    taken = [job.id for _ in range(5) for job in take(store)]

    assert first.id in taken
    assert len(set(taken)) == 5


def test_a_scan_from_the_cursor_that_finds_too_few_is_repeated_from_the_head(
    url: str, store: JobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_cursor, "LONG_SECONDS", -1)
    added(store, *(f"document {number}" for number in range(6)))
    first, _ = take(store, 2)
    with closing(open_queue(url, QueueOptions()).store) as another:
        another.apply([Transition(first, releasing(first))])

    assert len(take(store, 10)) == 5
