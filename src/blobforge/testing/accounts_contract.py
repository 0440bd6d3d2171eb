"""The contract of every Accounts, races included.

A subclass gives one fixture: `open_accounts`, a function that opens another handle on the same accounts at each call,
together with the audit trail beside them.
"""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from blobforge.domain.account import (
    ApiToken,
    Role,
    SecretHash,
    Session,
    SessionId,
    TokenId,
    User,
    UserId,
    WorkerAccount,
    disabled,
    draining,
    taken_over,
)
from blobforge.domain.audit import Actor, ActorKind, AuditEntry, AuditFilter
from blobforge.domain.errors import AlreadyExists, BlobForgeError, InvalidMove, NotFound
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.testing.clock import START
from blobforge.testing.races import at_once, meet

OpenAccounts = Callable[[], tuple[Accounts, Audit]]

ALICE, BOB = UserId("local:alice"), UserId("https://id.example.org|bob")
LATER = START + timedelta(hours=1)
NOBODY = UserId("nobody")


def a_hash(text: str) -> SecretHash:
    return SecretHash(hashlib.sha256(text.encode()).hexdigest())


def a_user(user_id: UserId = ALICE, **facts: Any) -> User:
    return replace(User(id=user_id, provider="local", role=Role.ADMIN, created_at=START, updated_at=START), **facts)


def a_session(name: str, user_id: UserId = ALICE, **facts: Any) -> Session:
    session = Session(id=SessionId(a_hash(name)), user_id=user_id, expires_at=LATER, created_at=START)
    return replace(session, **facts)


def a_token(name: str, user_id: UserId = ALICE, **facts: Any) -> ApiToken:
    token = ApiToken(user_id=user_id, token_hash=a_hash(name), role=Role.VIEWER, created_at=START)
    return replace(token, **facts)


def an_account(name: str = "rack4", **facts: Any) -> WorkerAccount:
    return replace(WorkerAccount(name=name, created_at=START, updated_at=START), **facts)


def an_entry(subject: str, *, action: str = "test") -> AuditEntry:
    return AuditEntry(at=START, actor=Actor(ActorKind.LOCAL, "alice"), action=action, subject=subject)


def refusing(_account: WorkerAccount) -> WorkerAccount:
    raise InvalidMove("not this one")


def told(audit: Audit) -> list[str]:
    """What the trail tells of, oldest first."""
    return [entry.subject for entry in reversed(audit.page(AuditFilter()))]


class UsersContract:
    def test_every_fact_of_a_user_is_kept(self, accounts: Accounts) -> None:
        """R1-15."""
        user = a_user(
            BOB,
            email="bob@example.org",
            name="Bob 漢字",
            picture="https://example.org/bob.png",
            groups=("staff", "ops, and more"),
            role=Role.OPERATOR,
        )

        assert accounts.put_user(user) == user
        assert accounts.user(BOB) == user

    def test_a_user_that_is_put_again_is_replaced_and_keeps_when_it_came(self, accounts: Accounts) -> None:
        accounts.put_user(a_user(name="Alice", groups=("staff",)))

        again = accounts.put_user(a_user(role=Role.VIEWER, created_at=LATER, updated_at=LATER))

        assert again == a_user(role=Role.VIEWER, updated_at=LATER) == accounts.user(ALICE)

    def test_an_address_of_mail_is_of_one_user_and_none_of_any_number(self, accounts: Accounts) -> None:
        accounts.put_user(a_user(ALICE, email="a@example.org"))
        accounts.put_user(a_user(ALICE, email="a@example.org", name="Alice"))

        with pytest.raises(AlreadyExists, match="a@example.org"):
            accounts.put_user(a_user(BOB, email="a@example.org"))
        accounts.put_user(a_user(BOB))
        accounts.put_user(a_user(UserId("carol")))

        assert (accounts.user(ALICE).name, accounts.user(BOB).email) == ("Alice", None)

    def test_an_unknown_user_is_not_found(self, accounts: Accounts) -> None:
        with pytest.raises(NotFound, match="nobody"):
            accounts.user(NOBODY)


class SessionsContract:
    def test_a_session_is_found_until_it_is_ended(self, accounts: Accounts) -> None:
        """R1-16."""
        accounts.put_user(a_user())
        session = a_session("s")
        accounts.add_session(session)

        assert accounts.session(session.id) == session
        accounts.end_session(session.id)
        accounts.end_session(session.id)

        with pytest.raises(NotFound):
            accounts.session(session.id)

    def test_a_session_needs_a_user_and_an_id_of_its_own(self, accounts: Accounts) -> None:
        accounts.put_user(a_user())
        accounts.add_session(a_session("s"))

        with pytest.raises(NotFound, match="nobody"):
            accounts.add_session(a_session("t", NOBODY))
        with pytest.raises(AlreadyExists):
            accounts.add_session(a_session("s", expires_at=LATER + timedelta(hours=1)))

        assert accounts.session(a_session("s").id).expires_at == LATER

    def test_a_user_is_signed_out_everywhere_and_nobody_else_is(self, accounts: Accounts) -> None:
        for user in (a_user(ALICE), a_user(BOB)):
            accounts.put_user(user)
        for name, user_id in (("a", ALICE), ("b", ALICE), ("c", BOB)):
            accounts.add_session(a_session(name, user_id))

        assert (accounts.end_sessions_of(ALICE), accounts.end_sessions_of(ALICE)) == (2, 0)

        assert accounts.session(a_session("c").id).user_id == BOB

    def test_sessions_that_have_expired_are_forgotten(self, accounts: Accounts) -> None:
        accounts.put_user(a_user())
        accounts.add_session(a_session("old"))
        accounts.add_session(a_session("new", expires_at=LATER + timedelta(microseconds=1)))

        assert accounts.forget_sessions(expired_by=LATER) == 1

        assert accounts.session(a_session("new").id)


class TokensContract:
    @pytest.fixture
    def owned(self, accounts: Accounts) -> Accounts:
        """The accounts, with an owner for tokens."""
        accounts.put_user(a_user())
        return accounts

    def test_every_fact_of_a_token_is_kept(self, owned: Accounts) -> None:
        """R1-17."""
        facts: dict[str, Any] = {
            "description": "laptop, 100 % 漢字",
            "role": Role.ADMIN,
            "project": "books",
            "expires_at": LATER,
            "revoked_at": LATER + timedelta(microseconds=1),
            "last_used_at": START + timedelta(microseconds=999_999),
        }

        added = owned.add_token(a_token("t", **facts))

        assert added == a_token("t", id=added.id, **facts)
        assert owned.token(added.id) == owned.token_by_hash(a_hash("t")) == added

    def test_tokens_are_listed_by_their_ids_which_grow(self, owned: Accounts) -> None:
        added = [owned.add_token(a_token(name)) for name in "zya"]

        assert owned.tokens() == added
        assert 0 < added[0].id < added[1].id < added[2].id

    def test_a_token_needs_a_user_and_a_hash_of_its_own(self, owned: Accounts) -> None:
        owned.add_token(a_token("t"))

        with pytest.raises(NotFound, match="nobody"):
            owned.add_token(a_token("u", NOBODY))
        with pytest.raises(AlreadyExists) as refusal:
            owned.add_token(a_token("t", role=Role.ADMIN))

        assert a_hash("t") not in str(refusal.value)
        assert [token.role for token in owned.tokens()] == [Role.VIEWER]

    def test_an_unknown_token_is_not_found(self, owned: Accounts) -> None:
        assert owned.token_by_hash(a_hash("unknown")) is None
        with pytest.raises(NotFound, match="token 7"):
            owned.token(TokenId(7))
        with pytest.raises(NotFound, match="token 7"):
            owned.revoke_token(TokenId(7), now=START)

    def test_a_token_is_revoked_once(self, owned: Accounts) -> None:
        one, other = owned.add_token(a_token("one")), owned.add_token(a_token("other"))

        first = owned.revoke_token(one.id, now=START)
        again = owned.revoke_token(one.id, now=LATER)

        assert first == again == replace(one, revoked_at=START) == owned.token_by_hash(one.token_hash)
        assert owned.token(other.id).revoked_at is None

    def test_the_last_use_of_a_token_never_goes_back(self, owned: Accounts) -> None:
        """R1-91."""
        token = owned.add_token(a_token("t"))

        owned.touch_token(token.id, now=LATER)
        owned.touch_token(token.id, now=START)
        owned.touch_token(TokenId(77), now=LATER)

        assert owned.token(token.id) == replace(token, last_used_at=LATER)

    def test_what_is_done_to_tokens_is_in_the_trail_and_nothing_else_is(self, owned: Accounts, audit: Audit) -> None:
        """R1-98."""
        token = owned.add_token(a_token("t"), audit=lambda added: an_entry(f"token:{added.id}"))
        with pytest.raises(AlreadyExists):
            owned.add_token(a_token("t"), audit=lambda added: an_entry("twice"))
        with pytest.raises(NotFound):
            owned.add_token(a_token("u", NOBODY), audit=lambda added: an_entry("of nobody"))
        with pytest.raises(NotFound):
            owned.revoke_token(TokenId(77), now=START, audit=an_entry("unknown"))
        owned.revoke_token(token.id, now=START, audit=an_entry("revoked"))
        owned.revoke_token(token.id, now=LATER, audit=an_entry("revoked again"))

        assert told(audit) == [f"token:{token.id}", "revoked"]

    def test_a_token_whose_entry_cannot_be_made_is_not_added(self, owned: Accounts, audit: Audit) -> None:
        def fail(_added: ApiToken) -> AuditEntry:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            owned.add_token(a_token("t"), audit=fail)

        assert (owned.tokens(), told(audit)) == ([], [])


class WorkerAccountsContract:
    def test_every_fact_of_an_account_is_kept(self, accounts: Accounts) -> None:
        account = an_account(
            project="books",
            types=("pdf", "lab"),
            secret_hash=a_hash("s"),
            is_enabled=False,
            is_draining=True,
            is_exclusive=True,
            process="rack4.4711.ab12cd34",
            updated_at=LATER,
            last_seen_at=LATER + timedelta(microseconds=1),
        )
        plain = an_account("plain")
        for added in (account, plain):
            accounts.add_worker(added)

        assert (accounts.worker("rack4"), accounts.worker("plain")) == (account, plain)

    def test_accounts_are_listed_by_name(self, accounts: Accounts) -> None:
        for name in ("b", "B", "a-1", "a.1", "a"):
            accounts.add_worker(an_account(name))

        assert [account.name for account in accounts.workers()] == ["B", "a", "a-1", "a.1", "b"]

    def test_a_name_is_given_once(self, accounts: Accounts) -> None:
        accounts.add_worker(an_account())

        with pytest.raises(AlreadyExists, match="rack4"):
            accounts.add_worker(an_account(is_enabled=False))

        assert accounts.workers() == [an_account()]

    def test_a_change_is_made_to_what_is_stored(self, accounts: Accounts) -> None:
        accounts.add_worker(an_account())

        first = accounts.update_worker("rack4", lambda account: draining(account, now=LATER))
        second = accounts.update_worker("rack4", lambda account: disabled(account, now=LATER))

        assert first == an_account(is_draining=True, updated_at=LATER)
        assert second == replace(first, is_enabled=False) == accounts.worker("rack4")

    def test_a_change_that_refuses_leaves_the_account_as_it_was(self, accounts: Accounts, audit: Audit) -> None:
        accounts.add_worker(an_account())

        with pytest.raises(InvalidMove):
            accounts.update_worker("rack4", refusing, audit=an_entry("refused"))

        assert accounts.worker("rack4") == an_account()
        assert told(audit) == []

    def test_the_name_of_an_account_stays(self, accounts: Accounts) -> None:
        accounts.add_worker(an_account())

        changed = accounts.update_worker("rack4", lambda account: replace(account, name="other", process="p"))

        assert changed == an_account(process="p")
        assert accounts.workers() == [changed]

    def test_an_unknown_account_is_not_found(self, accounts: Accounts) -> None:
        with pytest.raises(NotFound, match="rack4"):
            accounts.worker("rack4")
        with pytest.raises(NotFound, match="rack4"):
            accounts.update_worker("rack4", lambda account: account)

    def test_an_account_that_is_removed_may_be_made_again(self, accounts: Accounts) -> None:
        accounts.add_worker(an_account())
        accounts.add_worker(an_account("other"))

        accounts.remove_worker("rack4")
        accounts.remove_worker("rack4")
        accounts.add_worker(an_account(project="books"))

        assert [account.project for account in accounts.workers()] == [None, "books"]

    def test_what_is_done_to_accounts_is_in_the_trail_and_nothing_else_is(
        self, accounts: Accounts, audit: Audit
    ) -> None:
        """R1-98."""
        accounts.add_worker(an_account(), audit=an_entry("added"))
        with pytest.raises(AlreadyExists):
            accounts.add_worker(an_account(), audit=an_entry("twice"))
        accounts.update_worker("rack4", lambda account: draining(account, now=LATER), audit=an_entry("drained"))
        accounts.update_worker("rack4", lambda account: draining(account, now=LATER), audit=an_entry("as it was"))
        with pytest.raises(NotFound):
            accounts.update_worker("nix", lambda account: account, audit=an_entry("unknown"))
        accounts.remove_worker("rack4", audit=an_entry("removed"))
        accounts.remove_worker("rack4", audit=an_entry("not there"))

        assert told(audit) == ["added", "drained", "removed"]


class AccountsRaceContract:
    @pytest.fixture(params=["two handles", "one handle"])
    def two(
        self, request: pytest.FixtureRequest, open_accounts: OpenAccounts
    ) -> tuple[tuple[Accounts, Audit], tuple[Accounts, Audit]]:
        first = open_accounts()
        return first, open_accounts() if request.param == "two handles" else first

    def test_two_changes_of_one_account_at_once_both_count(
        self, two: tuple[tuple[Accounts, Audit], tuple[Accounts, Audit]]
    ) -> None:
        (first, trail), (second, _) = two
        first.add_worker(an_account(process=""))
        both_have_read = threading.Barrier(2)

        def append(accounts: Accounts, letter: str) -> None:
            def change(read: WorkerAccount) -> WorkerAccount:
                meet(both_have_read)
                return replace(read, process=f"{read.process}{letter}")

            accounts.update_worker("rack4", change, audit=an_entry(letter))

        at_once(lambda: append(first, "a"), lambda: append(second, "b"))

        assert sorted(first.worker("rack4").process or "") == ["a", "b"]
        assert sorted(told(trail)) == ["a", "b"]

    def test_of_two_processes_that_take_over_an_exclusive_account_at_once_the_later_has_it(
        self, two: tuple[tuple[Accounts, Audit], tuple[Accounts, Audit]]
    ) -> None:
        """A change sees what the one before it left, and none is made to a stale copy."""
        (first, _), (second, _) = two
        first.add_worker(an_account(is_exclusive=True))
        both_have_read = threading.Barrier(2)
        replaced: list[tuple[str | None, str | None]] = []

        def take(accounts: Accounts, process: str) -> None:
            seen: list[str | None] = []

            def change(read: WorkerAccount) -> WorkerAccount:
                seen.append(read.process)
                meet(both_have_read)
                return taken_over(read, process, now=LATER)

            after = accounts.update_worker("rack4", change)
            replaced.append((seen[-1], after.process))

        at_once(lambda: take(first, "p"), lambda: take(second, "q"))

        (nobody, loser), (before, winner) = sorted(replaced, key=lambda pair: pair[0] is not None)
        assert (nobody, before) == (None, loser)
        assert first.worker("rack4").process == winner

    @pytest.mark.parametrize("_round", range(5))
    def test_of_two_that_add_one_name_at_once_one_does(
        self, two: tuple[tuple[Accounts, Audit], tuple[Accounts, Audit]], _round: int
    ) -> None:
        (first, trail), (second, _) = two
        both_are_ready = threading.Barrier(2)

        def add(accounts: Accounts, project: str) -> str:
            both_are_ready.wait(timeout=10)
            try:
                accounts.add_worker(an_account(project=project), audit=an_entry(project))
            except BlobForgeError as error:
                return error.code
            return project

        outcomes = at_once(lambda: add(first, "a"), lambda: add(second, "b"))

        (project,) = (outcome for outcome in outcomes if outcome != AlreadyExists.code)
        assert len(set(outcomes)) == 2
        assert [account.project for account in second.workers()] == [project]
        assert told(trail) == [project]

    def test_of_two_that_revoke_one_token_at_once_one_is_told_of(
        self, two: tuple[tuple[Accounts, Audit], tuple[Accounts, Audit]]
    ) -> None:
        (first, trail), (second, _) = two
        first.put_user(a_user())
        token = first.add_token(a_token("t"))
        both_are_ready = threading.Barrier(2)

        def revoke(accounts: Accounts, hours: int) -> ApiToken:
            both_are_ready.wait(timeout=10)
            now = START + timedelta(hours=hours)
            return accounts.revoke_token(token.id, now=now, audit=an_entry(f"{hours}"))

        one, other = at_once(lambda: revoke(first, 1), lambda: revoke(second, 2))

        assert one == other == first.token(token.id)
        assert len(told(trail)) == 1


class AccountsContract(
    UsersContract, SessionsContract, TokensContract, WorkerAccountsContract, AccountsRaceContract
):
    @pytest.fixture
    def opened(self, open_accounts: OpenAccounts) -> tuple[Accounts, Audit]:
        return open_accounts()

    @pytest.fixture
    def accounts(self, opened: tuple[Accounts, Audit]) -> Accounts:
        return opened[0]

    @pytest.fixture
    def audit(self, opened: tuple[Accounts, Audit]) -> Audit:
        return opened[1]

    def test_what_one_handle_writes_the_other_reads(self, open_accounts: OpenAccounts) -> None:
        one, _ = open_accounts()
        other, trail = open_accounts()

        one.put_user(a_user())
        token = one.add_token(a_token("t"), audit=lambda added: an_entry("t"))
        one.add_worker(an_account())

        assert other.tokens() == [token]
        assert other.worker("rack4") == an_account()
        assert told(trail) == ["t"]
