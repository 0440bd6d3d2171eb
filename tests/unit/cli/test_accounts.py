"""The commands of tokens and of workers' accounts, as people see them."""

import json
import os
import pwd
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.unit.cli.conftest import Call, Terminal

from blobforge.cli import accounts
from blobforge.config.load import load
from blobforge.domain.account import Secret, Standing, hash_of_secret, standing
from blobforge.domain.audit import Actor, ActorKind, AuditEntry, AuditFilter
from blobforge.wiring import open_accounts

TOKEN = re.compile(r"bf_[0-9a-f]{32}")
WORKER_SECRET = re.compile(r"bfw_[0-9a-f]{32}")
ME = Actor(ActorKind.LOCAL, pwd.getpwuid(os.getuid()).pw_name)


def trail() -> list[AuditEntry]:
    """Oldest first."""
    opened = open_accounts(load({}).settings)
    try:
        return opened.audit.page(AuditFilter())[::-1]
    finally:
        opened.close()


def said(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


# Tokens


def test_a_token_is_printed_alone_on_stdout_and_said_to_be_shown_once(call: Call) -> None:
    """R1-90."""
    done = call("token", "create", "--description", "laptop", "--role", "viewer", "--project", "books")

    assert (done.exit_code, bool(TOKEN.fullmatch(done.stdout.removesuffix("\n")))) == (0, True)
    assert done.stderr == "token 1: viewer, project books, never expires; it is shown only this once\n"


def test_the_owner_of_a_token_is_a_local_user_that_is_made_for_it(call: Call) -> None:
    secret = said(call("token", "create", "--json"))["token"]
    call("token", "create")

    opened = open_accounts(load({}).settings)
    try:
        token = opened.accounts.token_by_hash(hash_of_secret(Secret(text=secret)))
        assert token is not None
        owner = opened.accounts.user(token.user_id)
        assert (owner.id, owner.provider, owner.name) == (str(ME), "local", ME.name)
        assert [token.user_id for token in opened.accounts.tokens()] == [owner.id] * 2
    finally:
        opened.close()


def test_a_token_for_programs_has_stable_fields(call: Call) -> None:
    made = said(call("token", "create", "--expires-days", "30", "--json"))

    assert list(made) == ["id", "token", "owner", "description", "role", "project", "created_at", "expires_at"]
    assert TOKEN.fullmatch(made["token"])
    assert (made["id"], made["owner"], made["role"], made["project"]) == (1, str(ME), "operator", None)
    lasts = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(made["created_at"])
    assert lasts == timedelta(days=30)


def test_tokens_are_listed_without_their_secrets(call: Call) -> None:
    secret = said(call("token", "create", "--description", "my laptop", "--json"))["token"]
    call("token", "create", "--role", "admin")
    call("token", "revoke", "2")

    lines = [re.split(" {2,}", line.strip()) for line in call("token", "list").stdout.splitlines()]
    listed = call("token", "list", "--json")

    day = f"{datetime.now(UTC):%Y-%m-%d}"
    assert lines == [
        ["ID", "ROLE", "STANDING", "PROJECT", "OWNER", "CREATED", "EXPIRES", "LAST USED", "DESCRIPTION"],
        ["1", "operator", "active", "all", str(ME), day, "never", "never", "my laptop"],
        ["2", "admin", "revoked", "all", str(ME), day, "never", "never", "-"],
    ]
    assert [entry["standing"] for entry in said(listed)["tokens"]] == ["active", "revoked"]
    assert secret not in listed.output
    assert hash_of_secret(Secret(text=secret)) not in listed.output


def test_without_tokens_it_is_said_how_to_make_one(call: Call) -> None:
    done = call("token", "list")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "there are no tokens yet; make one with 'blobforge token create'\n"
    assert said(call("token", "list", "--json")) == {"tokens": []}


def test_the_list_of_tokens_fits_a_terminal(call: Call, terminal: Terminal) -> None:
    call("token", "create", "--description", "a long word about what it is for, and by whom it was asked for")

    lines = [re.sub("\x1b[^m]*m", "", line) for line in terminal("token", "list", columns=80).lines]

    assert max(map(len, lines)) <= 80
    assert lines[1].split()[:3] == ["1", "operator", "active"]
    assert "a long word about" in lines[1]


def test_a_token_that_was_revoked_counts_no_more(call: Call) -> None:
    call("token", "create")

    revoked = said(call("token", "revoke", "1", "--json"))
    again = call("token", "revoke", "1")

    assert revoked["standing"] == "revoked"
    assert (again.exit_code, again.stderr) == (0, "token 1 is revoked\n")
    opened = open_accounts(load({}).settings)
    try:
        (token,) = opened.accounts.tokens()
        assert standing(token, now=datetime.now(UTC)) is Standing.REVOKED
        assert token.revoked_at == datetime.fromisoformat(revoked["revoked_at"])
    finally:
        opened.close()


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ("token revoke 7", 1, "there is no token 7 [not_found]"),
        ("token revoke seven", 2, "'seven' is not a valid integer range"),
        ("token create --role root", 2, "'root' is not one of 'viewer', 'operator', 'admin'"),
        ("token create --expires-days 0", 2, "0 is not in the range"),
        ("token create --project Books", 2, "'Books' is no name for a project"),
        ("workers create rack/4", 2, "'rack/4' is no name for a worker"),
        ("workers create rack.11.0123abcd", 2, "use '-' for the last '.', as in 'rack.11-0123abcd'"),
        ("workers create rack4 --type PDF", 2, "'PDF' is no name for a job type"),
        ("workers disable rack4", 1, "there is no worker account 'rack4' [not_found]"),
        ("workers regenerate rack4", 1, "there is no worker account 'rack4' [not_found]"),
        ("workers --json drain rack4", 2, "write options behind 'drain'"),
        ("workers drian rack4", 2, "no such command as 'drian'; did you mean 'drain'?"),
    ],
)
def test_what_makes_no_sense_is_refused_and_not_in_the_trail(call: Call, words: str, code: int, text: str) -> None:
    done = call(*words.split())

    assert (done.exit_code, text in done.output) == (code, True), done.output
    assert trail() == []


# Accounts of workers


def test_the_secret_of_a_worker_is_printed_alone_on_stdout(call: Call) -> None:
    """R1-92, R1-93."""
    done = call("workers", "create", "rack4", "--exclusive", "--project", "books", "--type", "pdf", "--type", "lab")

    assert (done.exit_code, bool(WORKER_SECRET.fullmatch(done.stdout.removesuffix("\n")))) == (0, True)
    assert done.stderr == (
        "worker rack4: project books, type pdf, lab, one process at a time; the secret is shown only this once\n"
    )


def test_accounts_of_workers_are_listed_without_their_secrets(call: Call) -> None:
    secret = said(call("workers", "create", "rack4", "--exclusive", "--type", "pdf", "--json"))["secret"]
    call("workers", "create", "desk")
    call("workers", "disable", "desk")

    lines = [re.split(" {2,}", line) for line in call("workers", "accounts").stdout.splitlines()]
    listed = call("workers", "accounts", "--json")

    assert lines == [
        ["NAME", "STANDING", "PROJECT", "TYPES", "PROCESSES", "LAST SEEN"],
        ["desk", "disabled", "all", "all", "any", "never"],
        ["rack4", "enabled", "all", "pdf", "one", "never"],
    ]
    rack4 = said(listed)["accounts"][1]
    assert (rack4["types"], rack4["exclusive"], rack4["has_secret"], rack4["process"]) == (["pdf"], True, True, None)
    assert secret not in listed.output


def test_without_accounts_it_is_said_how_to_make_one(call: Call) -> None:
    done = call("workers", "accounts")

    assert done.stderr == "there are no accounts yet; make one with 'blobforge workers create NAME'\n"


def test_each_change_says_how_the_worker_stands_now(call: Call) -> None:
    """R1-95, R1-96."""
    call("workers", "create", "rack4")

    steps = {verb: call("workers", verb, "rack4").stderr for verb in ("drain", "disable", "enable", "resume")}

    assert steps == {
        "drain": "worker rack4 is draining\n",
        "disable": "worker rack4 is disabled\n",
        "enable": "worker rack4 is draining\n",
        "resume": "worker rack4 is enabled\n",
    }
    assert said(call("workers", "disable", "rack4", "--json"))["enabled"] is False


def test_another_secret_is_another_one(call: Call) -> None:
    """R1-94."""
    first = said(call("workers", "create", "rack4", "--json"))["secret"]

    second = said(call("workers", "regenerate", "rack4", "--json"))["secret"]

    opened = open_accounts(load({}).settings)
    try:
        assert opened.accounts.worker("rack4").secret_hash == hash_of_secret(Secret(text=second))
        assert second != first
    finally:
        opened.close()


def test_workers_alone_still_lists_those_at_work(call: Call) -> None:
    call("workers", "create", "rack4")

    assert call("workers").stderr == "no worker is signed in; start one with 'blobforge worker'\n"
    assert said(call("workers", "--json"))["workers"] == []


# The trail, and where there are no accounts


def test_every_act_is_in_the_trail_with_the_login_name(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """R1-98."""
    monkeypatch.setenv("LOGNAME", "somebody-else")
    monkeypatch.setenv("USER", "somebody-else")
    call("token", "create", "--project", "books")
    call("token", "revoke", "1")
    call("workers", "create", "rack4")
    verbs = ("regenerate", "disable", "enable", "drain", "resume")
    for verb in verbs:
        call("workers", verb, "rack4")
    for reading in (("token", "list"), ("workers",), ("workers", "accounts")):
        call(*reading)

    entries = trail()

    assert [(entry.action, entry.subject) for entry in entries] == [
        ("token.create", "token:1"),
        ("token.revoke", "token:1"),
        ("worker.create", "worker:rack4"),
        *((f"worker.{verb}", "worker:rack4") for verb in verbs),
    ]
    assert {entry.actor for entry in entries} == {ME}
    assert [entry.project for entry in entries[:3]] == ["books", "books", None]


def test_a_user_without_a_name_is_known_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 123_456_789)

    assert accounts.local_actor() == Actor(ActorKind.LOCAL, "uid-123456789")


@pytest.mark.parametrize("words", ["token list", "token create", "workers create rack4", "workers enable rack4"])
def test_a_queue_in_a_bucket_has_no_accounts(call: Call, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setenv("BLOBFORGE_QUEUE", "s3://nowhere/library")

    done = call(*words.split())

    assert done.exit_code == 2
    assert "a queue in a bucket has no accounts, which need SQLite or PostgreSQL" in done.stderr
    assert "[invalid_settings]" in done.stderr


def test_the_first_token_may_come_before_the_queue_and_a_mistyped_one_is_not_listed(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = tmp_path / "server" / "queue.db"
    monkeypatch.setenv("BLOBFORGE_QUEUE", f"sqlite:///{queue}")

    for words in ("token list", "token revoke 1", "workers accounts", "workers enable rack4"):
        assert "there is no queue at" in call(*words.split()).stderr
        assert not queue.exists()

    assert call("token", "create").exit_code == 0
    assert said(call("token", "list", "--json"))["tokens"][0]["id"] == 1
