"""The accounts of workers."""

from dataclasses import replace
from datetime import timedelta

import pytest

from blobforge.domain.account import disabled, draining
from blobforge.domain.errors import AlreadyExists, InvalidMove, NotFound
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.testing.accounts.steps import LATER, a_hash, an_account, an_entry, refusing, told


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
