"""Secrets of tokens and workers are shown once: they are in no file, no table, no log and no error."""

import re
from pathlib import Path

import psycopg
import pytest
from tests.e2e.program import Blobforge
from tests.postgres import Databases

ISSUED = re.compile(r"bfw?_[0-9a-f]{32}")
MAKING = (
    "token create --description laptop",
    "token create --json",
    "workers create rack4 --exclusive",
    "workers create desk --json",
    "workers regenerate rack4",
)
OTHERS = (
    "token list",
    "token list --json",
    "token revoke 1",
    "token revoke 1 --json",
    "workers create rack4",
    "workers disable rack4",
    "workers drain rack4 --json",
    "workers accounts",
    "workers accounts --json",
    "workers --json",
    "status",
    "config show",
    "doctor",
)
TABLES = "SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'public'"


def issue(blobforge: Blobforge, **env: str) -> list[str]:
    """Makes one secret by each command, and sees to it that none is shown again."""
    shown: list[str] = []
    for words in MAKING:
        done = blobforge.call(*words.split(), "--log-level", "debug", **env)
        assert done.exit_code == 0, done.output
        (secret,) = ISSUED.findall(done.output)
        shown.append(secret)
    for words in OTHERS:
        done = blobforge.call(*words.split(), "--log-level", "debug", **env)
        assert not ISSUED.search(done.output), done.output
        assert not [secret for secret in shown if digits(secret) in done.output]
    return shown


def digits(secret: str) -> str:
    return secret.partition("_")[2]


def test_no_file_holds_a_secret(blobforge: Blobforge, tmp_path: Path) -> None:
    secrets = issue(blobforge, BLOBFORGE_QUEUE=f"sqlite:///{tmp_path / 'queue.db'}")

    files = [path for path in tmp_path.rglob("*") if path.is_file()]

    assert len(set(secrets)) == len(MAKING)
    assert any(path.name == "queue.db" for path in files)
    for path in files:
        content = path.read_bytes()
        assert not [secret for secret in secrets if digits(secret).encode() in content], path
        assert not [secret for secret in secrets if bytes.fromhex(digits(secret)) in content], path


def test_no_table_holds_a_secret(blobforge: Blobforge, postgres_server: Databases) -> None:
    url = postgres_server.new_database()
    secrets = issue(blobforge, BLOBFORGE_QUEUE=url)

    with psycopg.connect(url) as connection:
        names = [name for (name,) in connection.execute(TABLES)]
        rows = [f"{name} {row}" for name in names for (row,) in connection.execute(f"SELECT {name}::text FROM {name}")]

    assert len([row for row in rows if row.startswith("audit_log")]) > len(MAKING)
    assert not [row for row in rows for secret in secrets if digits(secret) in row]


@pytest.mark.parametrize("words", ["token create", "workers create rack4"])
def test_a_secret_that_could_not_be_kept_is_not_shown(blobforge: Blobforge, tmp_path: Path, words: str) -> None:
    queue = tmp_path / "queue.db"
    assert blobforge.call("token", "list", BLOBFORGE_QUEUE=f"sqlite:///{queue}", BLOBFORGE_HOME=str(tmp_path)).output
    queue.write_bytes(b"no database at all, but as long as one has to be to be read" * 100)

    done = blobforge.call(*words.split(), "--log-level", "debug", BLOBFORGE_QUEUE=f"sqlite:///{queue}")

    assert done.exit_code != 0
    assert not ISSUED.search(done.output)
