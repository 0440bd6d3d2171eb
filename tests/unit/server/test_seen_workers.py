"""That an account of a worker was seen is written down, and undoes nothing that an admin changes meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.server_scene import ACTOR, Scene

from blobforge.domain.account import WorkerAccount

Change = Callable[[Scene], Any]
CHANGES: dict[str, Change] = {
    "disabled": lambda scene: scene.accounts.disable_worker("rack4", actor=ACTOR),
    "another secret": lambda scene: scene.accounts.regenerate_secret("rack4", actor=ACTOR),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_account_that_is_changed_while_it_is_noted_as_seen_stays_changed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    worker, accounts = scene.worker("rack4"), scene.parts.accounts
    assert accounts is not None
    update = accounts.update_worker
    before = scene.accounts_of("rack4")

    def changed_first(name: str, seen: Callable[[WorkerAccount], WorkerAccount]) -> WorkerAccount:
        monkeypatch.undo()
        change(scene)
        return update(name, seen)

    monkeypatch.setattr(accounts, "update_worker", changed_first)
    worker.get("/api/jobs/claim")

    after = scene.accounts_of("rack4")
    assert after.last_seen_at == scene.clock.now()
    assert (after.is_enabled, after.secret_hash) != (before.is_enabled, before.secret_hash)
    assert worker.get("/api/jobs/claim").status_code == 401
