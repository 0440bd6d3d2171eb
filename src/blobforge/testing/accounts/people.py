"""Users, their sessions and their tokens."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from blobforge.domain.account import ApiToken, Role, TokenId, UserId
from blobforge.domain.audit import AuditEntry
from blobforge.domain.errors import AlreadyExists, NotFound
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.testing.accounts.steps import (
    ALICE,
    BOB,
    LATER,
    NOBODY,
    a_hash,
    a_session,
    a_token,
    a_user,
    an_entry,
    told,
)
from blobforge.testing.clock import START


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

        with pytest.raises(AlreadyExists, match=r"a@example\.org"):
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

        assert accounts.session(a_session("new").id).id == a_session("new").id
        with pytest.raises(NotFound):
            accounts.session(a_session("old").id)


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
        owned.add_token(a_token("known"))

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
