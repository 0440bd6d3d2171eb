"""The contract of every Accounts, races included.

A subclass gives one fixture: `open_accounts`, a function that opens another handle on the same accounts at each call,
together with the audit trail beside them.
"""

import pytest

from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.testing.accounts.people import SessionsContract, TokensContract, UsersContract
from blobforge.testing.accounts.racing import AccountsRaceContract
from blobforge.testing.accounts.steps import OpenAccounts, a_token, a_user, an_account, an_entry, told
from blobforge.testing.accounts.workers import WorkerAccountsContract

__all__ = ["AccountsContract", "OpenAccounts"]


class AccountsContract(UsersContract, SessionsContract, TokensContract, WorkerAccountsContract, AccountsRaceContract):
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
