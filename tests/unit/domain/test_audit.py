"""What an entry of the audit trail matches."""

from datetime import timedelta

import pytest

from blobforge.domain.audit import Actor, ActorKind, AuditEntry, AuditFilter, matches
from blobforge.testing.clock import START

ALICE = Actor(ActorKind.LOCAL, "alice")
ENTRY = AuditEntry(at=START, actor=ALICE, action="token.create", subject="token:1", project="books")
TICK = timedelta(microseconds=1)


def test_an_actor_is_written_with_its_kind() -> None:
    assert str(ALICE) == "local:alice"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (AuditFilter(), True),
        (AuditFilter(actor=ALICE, subject="token:1", project="books", since=START), True),
        (AuditFilter(actor=Actor(ActorKind.TOKEN, "alice")), False),
        (AuditFilter(subject="token:2"), False),
        (AuditFilter(project="other"), False),
        (AuditFilter(since=START + TICK), False),
        (AuditFilter(since=START - TICK), True),
    ],
)
def test_an_entry_is_wanted_if_all_that_is_asked_for_is_so(wanted: AuditFilter, expected: bool) -> None:
    assert matches(ENTRY, wanted) is expected
