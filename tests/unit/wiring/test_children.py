"""What the wiring tells of a machine's places to the children that it makes."""

from pathlib import Path

import pytest

from blobforge.config.settings import Settings
from blobforge.wiring.children import child_spec

pytestmark = pytest.mark.needs("sandbox")


def private(settings: Settings, folder: Path) -> tuple[str, ...]:
    policy = child_spec(settings, "echo", scratch=folder / "children").sandbox
    assert policy is not None
    return policy.private


def test_home_queue_and_store_are_private(tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path / "home", queue=f"sqlite:///{tmp_path}/the%20queue.db", store=f"file://{tmp_path}/the%20store"
    )

    kept = private(settings, tmp_path)

    assert {str(tmp_path / "home"), str(tmp_path / "the store")} <= set(kept)
    assert {str(tmp_path / f"the queue.db{suffix}") for suffix in ("", "-wal", "-shm")} <= set(kept)


def test_a_queue_on_a_server_has_no_file_here(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", queue="postgresql://host/name", store="s3://bucket/prefix")

    assert private(settings, tmp_path) == (str(tmp_path / "home"),)
