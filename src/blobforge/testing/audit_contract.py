"""The contract of every Audit.

A subclass gives one fixture: `open_audit`, a function that opens another handle on the same trail at each call.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from blobforge.domain.audit import Actor, ActorKind, AuditEntry, AuditFilter, AuditId
from blobforge.ports.audit import Audit
from blobforge.testing.clock import START
from blobforge.testing.races import at_once

OpenAudit = Callable[[], Audit]

ALICE = Actor(ActorKind.LOCAL, "alice")


def an_entry(subject: str = "token:1", *, minutes: float = 0, **facts: Any) -> AuditEntry:
    at = START + timedelta(minutes=minutes)
    return replace(AuditEntry(at=at, actor=ALICE, action="token.create", subject=subject), **facts)


def subjects(entries: list[AuditEntry]) -> list[str]:
    return [entry.subject for entry in entries]


class AuditContract:
    @pytest.fixture
    def audit(self, open_audit: OpenAudit) -> Audit:
        return open_audit()

    def test_every_fact_of_an_entry_is_kept(self, audit: Audit) -> None:
        """R1-98."""
        full = an_entry(
            actor=Actor(ActorKind.TOKEN, "3"),
            action="job.cancel",
            project="books",
            request_id="0f1e2d",
            detail={"jobs": [1, 2], "why": "漢字 \x00 \n", "nested": {"a": None, "b": 1.5}},
            at=START + timedelta(microseconds=1),
        )

        audit.append([an_entry(), full])

        newest, oldest = audit.page(AuditFilter())
        assert newest == replace(full, id=newest.id)
        assert oldest == replace(an_entry(), id=oldest.id)
        assert 0 < oldest.id < newest.id

    def test_entries_come_newest_first_and_those_of_one_moment_as_they_were_added(self, audit: Audit) -> None:
        audit.append([an_entry("a", minutes=2), an_entry("b", minutes=1)])
        audit.append([an_entry("c", minutes=2)])

        assert subjects(audit.page(AuditFilter())) == ["c", "a", "b"]

    def test_an_empty_trail_has_no_entries(self, audit: Audit) -> None:
        audit.append([])

        assert audit.page(AuditFilter()) == []

    def test_pages_follow_each_other_without_gap_or_repetition(self, audit: Audit) -> None:
        audit.append([an_entry(f"{number}", minutes=number // 3) for number in range(10)])

        pages: list[str] = []
        after: AuditId | None = None
        while found := audit.page(AuditFilter(), after=after, limit=4):
            pages += subjects(found)
            after = found[-1].id
            audit.append([an_entry("new meanwhile", minutes=100)])

        assert pages == [f"{number}" for number in reversed(range(10))]

    def test_there_is_nothing_behind_an_unknown_entry(self, audit: Audit) -> None:
        audit.append([an_entry()])

        assert audit.page(AuditFilter(), after=AuditId(77)) == []

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            (AuditFilter(actor=ALICE), ["d", "a"]),
            (AuditFilter(actor=Actor(ActorKind.TOKEN, "alice")), ["b"]),
            (AuditFilter(actor=Actor(ActorKind.WORKER, "alice")), []),
            (AuditFilter(subject="c"), ["c"]),
            (AuditFilter(project="books"), ["d", "c"]),
            (AuditFilter(since=START + timedelta(minutes=2)), ["d", "c"]),
            (AuditFilter(since=START + timedelta(minutes=2, microseconds=1)), ["d"]),
            (AuditFilter(actor=ALICE, project="books", subject="d", since=START), ["d"]),
            (AuditFilter(actor=ALICE, subject="c"), []),
        ],
    )
    def test_a_page_has_what_is_asked_for(self, audit: Audit, wanted: AuditFilter, expected: list[str]) -> None:
        token, worker = Actor(ActorKind.TOKEN, "alice"), Actor(ActorKind.WORKER, "rack4")
        audit.append(
            [
                an_entry("a", minutes=0),
                an_entry("b", minutes=1, actor=token),
                an_entry("c", minutes=2, actor=worker, project="books"),
                an_entry("d", minutes=3, project="books"),
            ]
        )

        assert subjects(audit.page(wanted)) == expected
        assert subjects(audit.page(wanted, limit=1)) == expected[:1]

    def test_a_filter_goes_on_behind_an_entry_that_it_leaves_out(self, audit: Audit) -> None:
        audit.append([an_entry(name, minutes=place) for place, name in enumerate("aba")])
        (left_out,) = audit.page(AuditFilter(subject="b"))

        assert len(audit.page(AuditFilter(subject="a"), after=left_out.id)) == 1

    def test_what_two_append_at_once_is_all_there(self, open_audit: OpenAudit) -> None:
        one, other = open_audit(), open_audit()

        def append(audit: Audit, name: str) -> None:
            for number in range(20):
                audit.append([an_entry(f"{name}{number}"), an_entry(f"{name}{number}, second")])

        at_once(lambda: append(one, "a"), lambda: append(other, "b"))

        found = other.page(AuditFilter(), limit=100)
        assert len({entry.id for entry in found}) == 80
        of_one = [entry.subject for entry in reversed(found) if entry.subject.startswith("a")]
        assert of_one == [text for number in range(20) for text in (f"a{number}", f"a{number}, second")]

    def test_an_append_that_fails_adds_nothing(self, audit: Audit) -> None:
        broken = an_entry("broken", detail={"a thing": object()})

        with pytest.raises(TypeError):
            audit.append([an_entry("sound"), broken])

        assert audit.page(AuditFilter()) == []

    def test_nothing_changes_or_removes_an_entry(self, audit: Audit) -> None:
        assert [name for name in dir(audit) if not name.startswith("_")] == ["append", "page"]
