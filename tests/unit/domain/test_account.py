"""Secrets, and what of tokens, sessions and accounts counts at a time."""

import hashlib
from dataclasses import FrozenInstanceError, replace
from datetime import timedelta

import pytest

from blobforge.domain import account as rules
from blobforge.domain.account import (
    ApiToken,
    Role,
    Secret,
    SecretHash,
    Session,
    SessionId,
    Standing,
    User,
    UserId,
    WorkerAccount,
    hash_of_secret,
    is_token_secret,
    is_worker_secret,
    token_secret,
    worker_secret,
)
from blobforge.domain.errors import InvalidValue
from blobforge.testing.clock import START

BYTES = bytes(range(16))
DIGITS = "000102030405060708090a0b0c0d0e0f"
HASH = SecretHash("ab" * 32)
LATER = START + timedelta(hours=1)
TOKEN = ApiToken(user_id=UserId("local:alice"), token_hash=HASH, role=Role.VIEWER, created_at=START)
ACCOUNT = WorkerAccount(name="rack4", created_at=START, updated_at=START, secret_hash=HASH)
EXCLUSIVE = replace(ACCOUNT, is_exclusive=True, process="rack4.1.a")


def test_a_secret_is_its_kind_and_the_digits_of_its_bytes() -> None:
    """R1-90, R1-92."""
    assert token_secret(BYTES).text == f"bf_{DIGITS}"
    assert worker_secret(BYTES).text == f"bfw_{DIGITS}"


@pytest.mark.parametrize("size", [0, 15, 17])
def test_a_secret_of_fewer_or_more_bytes_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"16 random bytes, not of {size}"):
        token_secret(bytes(size))


def test_what_is_kept_of_a_secret_is_its_sha_256() -> None:
    """R1-90."""
    assert hash_of_secret(Secret(text="bf_x")) == hashlib.sha256(b"bf_x").hexdigest()
    assert hash_of_secret(Secret(text="no text \udcff")) != hash_of_secret(Secret(text="no text "))


@pytest.mark.parametrize(
    ("text", "token", "worker"),
    [
        (f"bf_{DIGITS}", True, False),
        (f"bfw_{DIGITS}", False, True),
        (f"bf_{DIGITS.upper()}", False, False),
        (f"bf_{DIGITS}0", False, False),
        (f"bf_{DIGITS}\n", False, False),
        (f" bf_{DIGITS}", False, False),
        (f"bf_{DIGITS[:-1]}", False, False),
        (f"bf_{DIGITS[:-1]}٣", False, False),
        ("", False, False),
    ],
)
def test_the_form_of_a_secret_says_what_it_is_for(text: str, token: bool, worker: bool) -> None:
    assert (is_token_secret(text), is_worker_secret(text)) == (token, worker)


def test_an_account_knows_its_secret_and_no_other() -> None:
    """R1-92."""
    secret, other = worker_secret(BYTES), worker_secret(bytes(16))
    account = replace(ACCOUNT, secret_hash=hash_of_secret(secret))

    assert [rules.is_secret_of(account, tried) for tried in (secret, other, Secret(text=""))] == [True, False, False]
    assert not rules.is_secret_of(replace(ACCOUNT, secret_hash=None), secret)


def test_neither_a_secret_nor_a_hash_is_in_a_repr() -> None:
    session = Session(id=SessionId(HASH), user_id=UserId("u"), expires_at=LATER, created_at=START)
    shown = f"{token_secret(BYTES)} {token_secret(BYTES)!r} {(TOKEN, ACCOUNT, session)}"

    assert DIGITS not in shown
    assert HASH not in shown


@pytest.mark.parametrize("value", [TOKEN, ACCOUNT, token_secret(BYTES)])
def test_values_do_not_change(value: object) -> None:
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        value.name = "another"  # type: ignore[attr-defined]


def test_who_has_the_role_of_an_admin_is_one() -> None:
    admin = User(id=UserId("u"), provider="local", role=Role.ADMIN, created_at=START, updated_at=START)

    assert (admin.is_admin, replace(admin, role=Role.OPERATOR).is_admin) == (True, False)


@pytest.mark.parametrize("role", Role)
def test_a_role_is_written_as_it_is_called(role: Role) -> None:
    assert rules.parse_role(role.value) is role


def test_an_unknown_role_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidValue, match="'root' is no role: there are viewer, operator, admin"):
        rules.parse_role("root")


@pytest.mark.parametrize("name", ["rack4", "R", "gpu-1.example.org", "a" * 64, "4_x"])
def test_a_name_of_a_worker_is_safe_in_headers_urls_and_files(name: str) -> None:
    assert rules.parse_worker_name(name) == name


@pytest.mark.parametrize("name", ["", "rack 4", ".rack", "-x", "a/b", "ä", "a" * 65, "a\n", "a:b", "a@b", "٣"])
def test_another_name_of_a_worker_is_refused(name: str) -> None:
    with pytest.raises(InvalidValue, match="is no name for a worker: use up to 64"):
        rules.parse_worker_name(name)


@pytest.mark.parametrize(
    "name", ["rack.11.0123abcd", "a.example.org.4294967295.ffffffff", "rack.11.0123abcd.7.deadbeef"]
)
def test_a_name_that_could_act_for_a_process_of_another_worker_is_refused(name: str) -> None:
    other, pid, nonce = name.rsplit(".", 2)

    with pytest.raises(InvalidValue) as refused:
        rules.parse_worker_name(name)

    assert str(refused.value) == (
        f"{name!r} is no name for a worker: process {pid} of a worker {other!r} may be called so, and this one could "
        f"act for it; use '-' for the last '.', as in '{other}.{pid}-{nonce}'"
    )
    assert rules.is_process_of(name, other)


@pytest.mark.parametrize(
    "name", ["rack.11.0123abc", "rack.11.0123abcg", "rack.11-0123abcd", "rack.x.0123abcd", "1.0123abcd"]
)
def test_a_name_that_only_resembles_a_process_is_taken(name: str) -> None:
    assert rules.parse_worker_name(name) == name


@pytest.mark.parametrize(
    ("process", "belongs"),
    [
        ("rack", True),
        ("rack.11.0123abcd", True),
        ("rack.11.0123abcd\n", False),
        ("rack.11.0123ABCD", False),
        ("rack.12345678901.0123abcd", False),
        ("rack.11.0123abcd.11.0123abcd", False),
        ("rack2.11.0123abcd", False),
        ("", False),
    ],
)
def test_a_process_is_a_name_with_a_number_and_eight_digits(process: str, belongs: bool) -> None:
    assert rules.is_process_of(process, "rack") is belongs


@pytest.mark.parametrize(
    ("process", "tells"), [("rack.11.0123abcd", True), ("rack", False), ("rack.11.0123ABCD", False)]
)
def test_an_id_tells_the_processes_of_a_name_apart_by_number_and_digits(process: str, tells: bool) -> None:
    assert rules.names_instance(process) is tells


def test_job_types_are_kept_once_each() -> None:
    assert rules.parse_types(["pdf", "lab", "pdf"]) == ("pdf", "lab")
    with pytest.raises(InvalidValue, match="no name for a job type"):
        rules.parse_types(["PDF"])


def test_a_description_is_one_line_of_text() -> None:
    assert rules.parse_description("laptop 漢字") == "laptop 漢字"
    for text in ("two\nlines", "a" * 201, "bell \x07", "no text \udcff", "nul \x00"):
        with pytest.raises(InvalidValue, match="one line of up to 200 characters"):
            rules.parse_description(text)


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (TOKEN, Standing.ACTIVE),
        (replace(TOKEN, expires_at=LATER + timedelta(microseconds=1)), Standing.ACTIVE),
        (replace(TOKEN, expires_at=LATER), Standing.EXPIRED),
        (replace(TOKEN, revoked_at=START), Standing.REVOKED),
        (replace(TOKEN, revoked_at=LATER + timedelta(days=1)), Standing.REVOKED),
        (replace(TOKEN, revoked_at=START, expires_at=START), Standing.REVOKED),
    ],
)
def test_a_token_counts_until_it_expires_or_is_revoked(token: ApiToken, expected: Standing) -> None:
    assert rules.standing(token, now=LATER) is expected
    assert rules.counts(token, now=LATER) is (expected is Standing.ACTIVE)


def test_a_session_ends_at_its_time() -> None:
    session = Session(id=SessionId(HASH), user_id=UserId("u"), expires_at=LATER, created_at=START)

    assert rules.is_signed_in(session, now=LATER - timedelta(microseconds=1))
    assert not rules.is_signed_in(session, now=LATER)


@pytest.mark.parametrize(
    ("seconds", "is_due"), [(0, False), (59.9, False), (60, True), (3_600, True), (-59, False), (-60, True)]
)
def test_a_use_is_written_down_once_a_minute(seconds: float, is_due: bool) -> None:
    """R1-91."""
    assert rules.is_use_due(START, now=START + timedelta(seconds=seconds)) is is_due
    assert rules.is_use_due(None, now=START)


@pytest.mark.parametrize(
    ("account", "process", "acts", "claims"),
    [
        (ACCOUNT, "any", True, True),
        (replace(ACCOUNT, is_draining=True), "any", True, False),
        (replace(ACCOUNT, is_enabled=False), "any", False, False),
        (EXCLUSIVE, "rack4.1.a", True, True),
        (EXCLUSIVE, "rack4.2.b", False, False),
        (replace(EXCLUSIVE, process=None), "rack4.1.a", False, False),
        (replace(EXCLUSIVE, is_enabled=False), "rack4.1.a", False, False),
        (replace(ACCOUNT, process="left over"), "any", True, True),
    ],
)
def test_who_may_act_in_the_name_of_a_worker(account: WorkerAccount, process: str, acts: bool, claims: bool) -> None:
    """R1-30, R1-96."""
    assert (rules.may_act(account, process), rules.may_claim(account, process)) == (acts, claims)


def test_a_worker_without_types_works_on_all() -> None:
    only_pdf = replace(ACCOUNT, types=("pdf",))

    assert [rules.works_on(account, "lab") for account in (ACCOUNT, only_pdf)] == [True, False]
    assert rules.works_on(only_pdf, "pdf")


def test_a_token_that_was_revoked_keeps_its_time() -> None:
    once = rules.revoked(TOKEN, now=START)

    assert once == replace(TOKEN, revoked_at=START)
    assert rules.revoked(once, now=LATER) is once


def test_what_is_so_already_is_left_as_it_is() -> None:
    off, slow = rules.disabled(ACCOUNT, now=LATER), rules.draining(ACCOUNT, now=LATER)

    assert off == replace(ACCOUNT, is_enabled=False, updated_at=LATER)
    assert slow == replace(ACCOUNT, is_draining=True, updated_at=LATER)
    for change, account in [
        (rules.enabled, ACCOUNT),
        (rules.resumed, ACCOUNT),
        (rules.disabled, off),
        (rules.draining, slow),
    ]:
        assert change(account, now=LATER) is account
    assert rules.enabled(off, now=LATER) == rules.resumed(slow, now=LATER) == replace(ACCOUNT, updated_at=LATER)


def test_another_secret_ends_the_one_before_and_its_process() -> None:
    """R1-94."""
    other = SecretHash("cd" * 32)

    changed = rules.with_secret(EXCLUSIVE, other, now=LATER)

    assert changed == replace(EXCLUSIVE, secret_hash=other, process=None, updated_at=LATER)


def test_an_exclusive_account_is_taken_over_by_the_process_that_registers() -> None:
    assert rules.taken_over(EXCLUSIVE, "q", now=LATER) == replace(EXCLUSIVE, process="q", last_seen_at=LATER)
    assert rules.taken_over(ACCOUNT, "q", now=LATER) == replace(ACCOUNT, last_seen_at=LATER)


def test_a_worker_is_seen_once_a_minute() -> None:
    seen = rules.seen(ACCOUNT, now=START)

    assert seen.last_seen_at == START
    assert rules.seen(seen, now=START + timedelta(seconds=59)) is seen
    assert rules.seen(seen, now=LATER).last_seen_at == LATER
