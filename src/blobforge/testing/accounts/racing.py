"""Races of two, staged by a barrier inside the change or right before the call."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from blobforge.domain.account import ApiToken, WorkerAccount, taken_over
from blobforge.domain.errors import AlreadyExists, BlobForgeError
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.testing.accounts.steps import LATER, OpenAccounts, a_token, a_user, an_account, an_entry, told
from blobforge.testing.clock import START
from blobforge.testing.races import at_once, meet

Two = tuple[tuple[Accounts, Audit], tuple[Accounts, Audit]]


class AccountsRaceContract:
    @pytest.fixture(params=["two handles", "one handle"])
    def two(self, request: pytest.FixtureRequest, open_accounts: OpenAccounts) -> Two:
        first = open_accounts()
        return first, open_accounts() if request.param == "two handles" else first

    def test_two_changes_of_one_account_at_once_both_count(self, two: Two) -> None:
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

    def test_of_two_processes_that_take_over_an_exclusive_account_at_once_the_later_has_it(self, two: Two) -> None:
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
    def test_of_two_that_add_one_name_at_once_one_does(self, two: Two, _round: int) -> None:
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

    def test_of_two_that_revoke_one_token_at_once_one_is_told_of(self, two: Two) -> None:
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
