"""Accounts are in the place of their queue, and opened with it."""

from pathlib import Path

import pytest

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.domain.account import Role
from blobforge.domain.audit import Actor, ActorKind, AuditFilter
from blobforge.domain.errors import InvalidSettings, NotFound
from blobforge.testing.builders import new_job

ALICE = Actor(ActorKind.LOCAL, "alice")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", queue=f"sqlite:///{tmp_path}/queue.db")


def test_accounts_and_jobs_share_one_queue_that_is_opened_once(settings: Settings) -> None:
    queue = wiring.open_coordinator(settings)
    opened = wiring.accounts_of(queue)

    queue.coordinator.submit([new_job("a")])
    owner = opened.service.local_user("alice")
    token, _ = opened.service.create_token(actor=ALICE, owner=owner.id, role=Role.VIEWER)
    opened.close()

    again = wiring.open_known_accounts(settings)
    assert again.accounts.tokens() == [token]
    assert [entry.subject for entry in again.audit.page(AuditFilter())] == ["token:1"]
    again.close()


def test_accounts_of_memory_end_with_their_queue(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", queue="memory://")

    wiring.open_accounts(settings).service.local_user("alice")

    with pytest.raises(NotFound):
        wiring.open_accounts(settings).accounts.user(wiring.open_accounts(settings).service.local_user("x").id)


def test_a_bucket_is_not_asked_for_accounts(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", queue="s3://nowhere/library")

    with pytest.raises(
        InvalidSettings, match=r"a queue in a bucket has no accounts, which need SQLite or PostgreSQL: s3://nowhere"
    ):
        wiring.open_accounts(settings)
