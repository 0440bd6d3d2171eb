"""The contracts of accounts and trail are worth what they catch: each planted bug breaks the sentence that names it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.contract.test_contracts_catch_bugs import holds

from blobforge.coordination.memory.accounts import MemoryAccounts
from blobforge.coordination.memory.audit import MemoryAudit
from blobforge.coordination.sql.account_connections import AccountConnections
from blobforge.coordination.sql.accounts import SqlAccounts
from blobforge.coordination.sql.audit import SqlAudit
from blobforge.coordination.sql.schema import prepare
from blobforge.coordination.sql.sqlite import sqlite_engine
from blobforge.domain.account import ApiToken, SecretHash, TokenId, User, WorkerAccount
from blobforge.domain.audit import AuditEntry, AuditFilter, AuditId, matches
from blobforge.ports.accounts import AccountChange, Accounts
from blobforge.testing.accounts_contract import AccountsContract
from blobforge.testing.audit_contract import AuditContract


class WithoutALock(MemoryAccounts):
    def __init__(self, audit: MemoryAudit) -> None:
        super().__init__(audit)
        self._lock: AbstractContextManager[Any] = nullcontext()  # type: ignore[assignment]


class TellsOfWhatChangedNothing(MemoryAccounts):
    def update_worker(self, name: str, change: AccountChange, *, audit: AuditEntry | None = None) -> WorkerAccount:
        after = super().update_worker(name, change)
        self._record(audit)
        return after


class TellsBeforeItIsDone(MemoryAccounts):
    def add_worker(self, account: WorkerAccount, *, audit: AuditEntry | None = None) -> None:
        self._record(audit)
        super().add_worker(account)


class AddsBeforeItIsTold(MemoryAccounts):
    def add_token(self, token: ApiToken, *, audit: Callable[[ApiToken], AuditEntry] | None = None) -> ApiToken:
        added = super().add_token(token)
        self._record(None if audit is None else audit(added))
        return added


class RevokesAgain(MemoryAccounts):
    def revoke_token(self, token_id: TokenId, *, now: datetime, audit: AuditEntry | None = None) -> ApiToken:
        self._tokens[token_id] = replace(self.token(token_id), revoked_at=None)
        return super().revoke_token(token_id, now=now, audit=audit)


class LetsUsesGoBack(MemoryAccounts):
    def touch_token(self, token_id: TokenId, *, now: datetime) -> None:
        if token_id in self._tokens:
            self._tokens[token_id] = replace(self._tokens[token_id], last_used_at=now)


class FindsByThePrefixOfAHash(MemoryAccounts):
    def token_by_hash(self, token_hash: SecretHash) -> ApiToken | None:
        return next(iter(self._tokens.values()), None)


class ForgetsWhenAUserCame(MemoryAccounts):
    def put_user(self, user: User) -> User:
        super().put_user(user)
        self._users[user.id] = user
        return user


class IgnoresTheRevision(SqlAccounts):
    def _replace_worker(self, account: WorkerAccount, rev: int, audit: AuditEntry | None) -> bool:
        return any(super(IgnoresTheRevision, self)._replace_worker(account, other, audit) for other in range(5))


class TellsInAStepOfItsOwn(SqlAccounts):
    """What is told stays, though the act was rolled back."""

    def add_worker(self, account: WorkerAccount, *, audit: AuditEntry | None = None) -> None:
        if audit is not None:
            SqlAudit(self._connections).append([audit])
        super().add_worker(account)


IN_MEMORY: list[tuple[type[MemoryAccounts], str]] = [
    (WithoutALock, "test_two_changes_of_one_account_at_once_both_count"),
    (WithoutALock, "test_of_two_processes_that_take_over_an_exclusive_account_at_once_the_later_has_it"),
    (TellsOfWhatChangedNothing, "test_what_is_done_to_accounts_is_in_the_trail_and_nothing_else_is"),
    (TellsBeforeItIsDone, "test_what_is_done_to_accounts_is_in_the_trail_and_nothing_else_is"),
    (AddsBeforeItIsTold, "test_a_token_whose_entry_cannot_be_made_is_not_added"),
    (RevokesAgain, "test_a_token_is_revoked_once"),
    (RevokesAgain, "test_what_is_done_to_tokens_is_in_the_trail_and_nothing_else_is"),
    (LetsUsesGoBack, "test_the_last_use_of_a_token_never_goes_back"),
    (FindsByThePrefixOfAHash, "test_an_unknown_token_is_not_found"),
    (ForgetsWhenAUserCame, "test_a_user_that_is_put_again_is_replaced_and_keeps_when_it_came"),
]
IN_SQLITE: list[tuple[type[SqlAccounts], str]] = [
    (IgnoresTheRevision, "test_two_changes_of_one_account_at_once_both_count"),
    (IgnoresTheRevision, "test_of_two_processes_that_take_over_an_exclusive_account_at_once_the_later_has_it"),
    (TellsInAStepOfItsOwn, "test_what_is_done_to_accounts_is_in_the_trail_and_nothing_else_is"),
]


def fixtures(accounts: Accounts, audit: Any) -> dict[str, Any]:
    handle = (accounts, audit)
    return {
        "accounts": accounts,
        "audit": audit,
        "two": (handle, handle),
        "open_accounts": lambda: handle,
    }


def with_an_owner(sentence: str, given: dict[str, Any]) -> dict[str, Any]:
    """For the sentences that need one: in the contract, a fixture makes it."""
    if "token" in sentence:
        from blobforge.testing.accounts.steps import a_user

        given["accounts"].put_user(a_user())
        given["owned"] = given["accounts"]
    return given


@pytest.mark.parametrize(("planted", "sentence"), IN_MEMORY)
def test_a_bug_of_accounts_in_memory_is_caught(planted: type[MemoryAccounts], sentence: str) -> None:
    def given(kind: type[MemoryAccounts]) -> dict[str, Any]:
        audit = MemoryAudit()
        return with_an_owner(sentence, fixtures(kind(audit), audit))

    assert holds(AccountsContract(), sentence, given(MemoryAccounts))
    assert not holds(AccountsContract(), sentence, given(planted))


@pytest.fixture
def open_in_sqlite(tmp_path: Path) -> Iterator[Callable[[str], AccountConnections]]:
    engines = []

    def open_another(name: str) -> AccountConnections:
        engine = sqlite_engine(tmp_path / name, synchronous="NORMAL")
        engines.append(engine)
        prepare(engine)
        return AccountConnections(engine)

    yield open_another
    for engine in engines:
        engine.dispose()


@pytest.mark.parametrize(("planted", "sentence"), IN_SQLITE)
def test_a_bug_of_accounts_in_sqlite_is_caught(
    planted: type[SqlAccounts], sentence: str, open_in_sqlite: Callable[[str], AccountConnections]
) -> None:
    sound, broken = open_in_sqlite("sound.db"), open_in_sqlite("broken.db")

    assert holds(AccountsContract(), sentence, fixtures(SqlAccounts(sound), SqlAudit(sound)))
    assert not holds(AccountsContract(), sentence, fixtures(planted(broken), SqlAudit(broken)))


class OrdersByIds(MemoryAudit):
    def page(self, wanted: AuditFilter, *, after: AuditId | None = None, limit: int = 50) -> list[AuditEntry]:
        found = [entry for entry in reversed(self._entries) if matches(entry, wanted)]
        return [entry for entry in found if after is None or entry.id < after][:limit]


class CutsBeforeItFilters(MemoryAudit):
    def page(self, wanted: AuditFilter, *, after: AuditId | None = None, limit: int = 50) -> list[AuditEntry]:
        return [entry for entry in super().page(AuditFilter(), after=after, limit=limit) if matches(entry, wanted)]


class AddsOneByOne(MemoryAudit):
    def append(self, entries: Sequence[AuditEntry]) -> None:
        for entry in entries:
            super().append([entry])


class BeginsAnewBehindAnUnknownEntry(MemoryAudit):
    def page(self, wanted: AuditFilter, *, after: AuditId | None = None, limit: int = 50) -> list[AuditEntry]:
        return super().page(wanted, after=after, limit=limit) or super().page(wanted, limit=limit)


@pytest.mark.parametrize(
    ("planted", "sentence"),
    [
        (OrdersByIds, "test_entries_come_newest_first_and_those_of_one_moment_as_they_were_added"),
        (CutsBeforeItFilters, "test_a_page_has_what_is_asked_for"),
        (AddsOneByOne, "test_an_append_that_fails_adds_nothing"),
        (BeginsAnewBehindAnUnknownEntry, "test_there_is_nothing_behind_an_unknown_entry"),
    ],
)
def test_a_bug_of_a_trail_is_caught(planted: type[MemoryAudit], sentence: str) -> None:
    def given(audit: MemoryAudit) -> dict[str, Any]:
        return {"audit": audit, "wanted": AuditFilter(subject="c"), "expected": ["c"]}

    assert holds(AuditContract(), sentence, given(MemoryAudit()))
    assert not holds(AuditContract(), sentence, given(planted()))
