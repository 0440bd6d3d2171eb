"""Tokens and accounts of workers made and changed in somebody's name, each with its entry in the trail."""

from datetime import timedelta

import pytest

from blobforge.accounts.service import AccountService, NewWorker
from blobforge.coordination.memory.accounts import MemoryAccounts
from blobforge.coordination.memory.audit import MemoryAudit
from blobforge.domain.account import Role, TokenId, UserId, WorkerAccount, hash_of_secret
from blobforge.domain.audit import Actor, ActorKind, AuditFilter
from blobforge.domain.errors import AlreadyExists, InvalidValue, NotFound
from blobforge.testing.clock import START, FakeClock

ALICE = Actor(ActorKind.LOCAL, "alice")


class Bench:
    def __init__(self) -> None:
        self.audit = MemoryAudit()
        self.accounts = MemoryAccounts(self.audit)
        self.clock = FakeClock()
        self.drawn = 0
        self.service = AccountService(self.accounts, clock=self.clock, random_bytes=self._draw)
        self.owner = self.service.local_user("alice").id

    def _draw(self, size: int) -> bytes:
        self.drawn += 1
        return self.drawn.to_bytes(size, "big")

    def trail(self) -> list[tuple[str, str]]:
        """Action and subject of all entries, oldest first."""
        return [(entry.action, entry.subject) for entry in reversed(self.audit.page(AuditFilter()))]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_the_local_user_is_made_when_it_is_needed_and_only_then(bench: Bench) -> None:
    first = bench.service.local_user("bob")
    bench.clock.advance(hours=1)

    assert bench.service.local_user("bob") == first == bench.accounts.user(UserId("local:bob"))
    assert (first.provider, first.name, first.role, first.created_at) == ("local", "bob", Role.ADMIN, START)


def test_a_token_is_known_by_the_hash_of_what_is_shown(bench: Bench) -> None:
    token, secret = bench.service.create_token(
        actor=ALICE,
        owner=bench.owner,
        role=Role.OPERATOR,
        description="laptop",
        project="books",
        expires_after=timedelta(days=30),
    )

    assert secret.text == "bf_" + "1".zfill(32)
    assert bench.accounts.token_by_hash(hash_of_secret(secret)) == token
    assert (token.role, token.description, token.project) == (Role.OPERATOR, "laptop", "books")
    assert (token.created_at, token.expires_at) == (START, START + timedelta(days=30))


def test_what_was_made_is_told_with_who_made_it(bench: Bench) -> None:
    """R1-98."""
    bench.service.create_token(actor=ALICE, owner=bench.owner, role=Role.ADMIN, project="books", request_id="r1")

    (entry,) = bench.audit.page(AuditFilter())
    assert (entry.at, entry.actor, entry.action, entry.subject) == (START, ALICE, "token.create", "token:1")
    assert (entry.project, entry.request_id) == ("books", "r1")
    assert entry.detail == {"role": "admin", "owner": "local:alice", "description": "", "expires_at": None}


@pytest.mark.parametrize(
    "wrong",
    [
        {"description": "two\nlines"},
        {"project": "Books"},
        {"expires_after": timedelta(0)},
        {"expires_after": timedelta(days=36_501)},
        {"expires_after": timedelta.max},
    ],
)
def test_a_token_that_makes_no_sense_is_neither_made_nor_told_of(bench: Bench, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidValue):
        bench.service.create_token(actor=ALICE, owner=bench.owner, role=Role.VIEWER, **wrong)  # type: ignore[arg-type]

    assert (bench.accounts.tokens(), bench.trail()) == ([], [])


def test_a_token_needs_an_owner_that_is_known(bench: Bench) -> None:
    with pytest.raises(NotFound):
        bench.service.create_token(actor=ALICE, owner=UserId("nobody"), role=Role.VIEWER)

    assert bench.trail() == []


def test_a_token_is_revoked_and_told_of_once(bench: Bench) -> None:
    token, _ = bench.service.create_token(actor=ALICE, owner=bench.owner, role=Role.VIEWER)
    bench.clock.advance(hours=1)

    first = bench.service.revoke_token(token.id, actor=ALICE)
    bench.clock.advance(hours=1)
    again = bench.service.revoke_token(token.id, actor=ALICE)

    assert first == again
    assert first.revoked_at == START + timedelta(hours=1)
    assert bench.trail() == [("token.create", "token:1"), ("token.revoke", "token:1")]
    with pytest.raises(NotFound, match="token 7"):
        bench.service.revoke_token(TokenId(7), actor=ALICE)


@pytest.mark.parametrize("project", ["books", None])
def test_that_a_token_was_revoked_is_told_in_its_project(bench: Bench, project: str | None) -> None:
    """Who sees one project alone finds it in the trail."""
    token, _ = bench.service.create_token(actor=ALICE, owner=bench.owner, role=Role.VIEWER, project=project)

    bench.service.revoke_token(token.id, actor=ALICE, request_id="r2")

    entry, _ = bench.audit.page(AuditFilter())
    assert (entry.action, entry.actor, entry.project, entry.request_id) == ("token.revoke", ALICE, project, "r2")


def test_a_worker_gets_an_account_and_a_secret(bench: Bench) -> None:
    """R1-93."""
    made = bench.service.create_worker("rack4", actor=ALICE, project="books", types=["pdf", "lab"], is_exclusive=True)

    assert made.secret.text == "bfw_" + "1".zfill(32)
    assert made.account == bench.accounts.worker("rack4")
    assert made.account == WorkerAccount(
        name="rack4",
        project="books",
        types=("pdf", "lab"),
        secret_hash=hash_of_secret(made.secret),
        is_exclusive=True,
        created_at=START,
        updated_at=START,
    )
    (entry,) = bench.audit.page(AuditFilter())
    assert (entry.action, entry.subject, entry.project) == ("worker.create", "worker:rack4", "books")
    assert entry.detail == {"types": ["pdf", "lab"], "exclusive": True}


def test_a_name_of_a_worker_is_given_once(bench: Bench) -> None:
    bench.service.create_worker("rack4", actor=ALICE)

    with pytest.raises(AlreadyExists):
        bench.service.create_worker("rack4", actor=ALICE)
    for wrong in ({"name": "rack 4"}, {"name": "a", "project": "A"}, {"name": "a", "types": ["A"]}):
        with pytest.raises(InvalidValue):
            bench.service.create_worker(actor=ALICE, **wrong)

    assert bench.trail() == [("worker.create", "worker:rack4")]


def test_another_secret_takes_the_place_of_the_one_before(bench: Bench) -> None:
    """R1-94."""
    before = bench.service.create_worker("rack4", actor=ALICE)
    bench.clock.advance(hours=1)

    after: NewWorker = bench.service.regenerate_secret("rack4", actor=ALICE)

    assert after.secret != before.secret
    assert after.account == bench.accounts.worker("rack4")
    assert after.account.secret_hash == hash_of_secret(after.secret)
    assert bench.trail()[-1] == ("worker.regenerate", "worker:rack4")


def test_a_worker_is_disabled_enabled_drained_and_resumed_with_an_entry_each(bench: Bench) -> None:
    """R1-95, R1-96."""
    bench.service.create_worker("rack4", actor=ALICE)
    steps = [
        (bench.service.disable_worker, (False, False)),
        (bench.service.drain_worker, (False, True)),
        (bench.service.enable_worker, (True, True)),
        (bench.service.resume_worker, (True, False)),
    ]

    for step, expected in steps:
        for _again in range(2):
            account = step("rack4", actor=ALICE)
            assert (account.is_enabled, account.is_draining) == expected

    assert [action for action, _ in bench.trail()[1:]] == [
        "worker.disable",
        "worker.drain",
        "worker.enable",
        "worker.resume",
    ]


def test_an_unknown_worker_is_not_found_and_not_told_of(bench: Bench) -> None:
    service = bench.service
    for step in (service.enable_worker, service.disable_worker, service.drain_worker, service.resume_worker):
        with pytest.raises(NotFound, match="rack4"):
            step("rack4", actor=ALICE)
    with pytest.raises(NotFound, match="rack4"):
        service.regenerate_secret("rack4", actor=ALICE)

    assert bench.trail() == []
