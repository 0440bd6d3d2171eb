"""What the words of a database driver mean: a setting that is wrong, or an outage that passes."""

import psycopg
import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from blobforge.coordination.sql import schema
from blobforge.domain.errors import InvalidSettings, StoreUnavailable

_FAILED = 'connection to server at "127.0.0.1", port 5432 failed: '


def told_of(words: str) -> Exception:
    engine = create_engine("postgresql+psycopg://me@127.0.0.1:5432/jobs")
    return schema._cannot_open(engine, OperationalError(None, None, psycopg.OperationalError(words)))


@pytest.mark.parametrize(
    "words",
    [
        "fe_sendauth: no password supplied",
        'FATAL:  password authentication failed for user "me"',
        'FATAL:  no pg_hba.conf entry for host "127.0.0.1", user "me", database "jobs", no encryption',
        'FATAL:  permission denied for database "jobs"',
    ],
)
def test_a_server_that_wants_another_user_or_password_is_a_wrong_setting(words: str) -> None:
    told = told_of(_FAILED + words)

    assert isinstance(told, InvalidSettings)
    assert "check the user, the password and the database in BLOBFORGE_QUEUE" in str(told)


def test_the_address_is_told_as_it_was_written_and_not_as_the_driver_has_it() -> None:
    told = told_of(_FAILED + "Connection refused")

    assert "the queue database at postgresql://me@127.0.0.1:5432/jobs cannot be opened" in str(told)


def test_a_server_without_the_encryption_that_the_url_asks_for_is_a_wrong_setting() -> None:
    told = told_of(_FAILED + "server does not support SSL, but SSL was required")

    assert isinstance(told, InvalidSettings)
    assert "check what stands behind the ? in BLOBFORGE_QUEUE" in str(told)


@pytest.mark.parametrize(
    "words", ["Connection refused", "FATAL:  the database system is starting up", "timeout expired"]
)
def test_a_server_that_is_away_is_an_outage(words: str) -> None:
    told = told_of(_FAILED + words)

    assert isinstance(told, StoreUnavailable)
    assert "check the host and the port in BLOBFORGE_QUEUE" in str(told)
