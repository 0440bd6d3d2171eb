"""The settings' defaults and rules."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from blobforge.config.settings import RetrySettings, Settings, WorkerSettings


def test_the_defaults_put_queue_and_store_into_home() -> None:
    settings = Settings(home=Path("/srv/blobforge"))

    assert settings.queue == "sqlite:////srv/blobforge/queue.db"
    assert settings.store == "file:///srv/blobforge/blobs"


def test_a_home_with_signs_of_a_url_makes_a_url_that_still_means_it() -> None:
    settings = Settings(home=Path("/srv/50% off? #1"))

    assert settings.store == "file:///srv/50%25 off%3F %231/blobs"


def test_home_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert Settings(home=Path("data")).home == tmp_path / "data"


def test_home_may_begin_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert Settings(home=Path("~/data")).home == tmp_path / "data"


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)

    with pytest.raises(ValidationError):
        settings.project = "other"


def test_a_field_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"home": tmp_path, "quue": "memory://"})


def test_the_heartbeat_follows_the_lease() -> None:
    """R1-60."""
    assert WorkerSettings().heartbeat_seconds == 60
    assert WorkerSettings(lease_seconds=30).heartbeat_seconds == 10
    assert WorkerSettings(lease_seconds=900).heartbeat_seconds == 60


def test_a_heartbeat_must_come_before_the_lease_ends() -> None:
    with pytest.raises(ValidationError, match=r"heartbeat_seconds \(60\) must be less than lease_seconds \(60\)"):
        WorkerSettings(lease_seconds=60, heartbeat_seconds=60)


def test_the_longest_wait_cannot_be_shorter_than_the_first() -> None:
    with pytest.raises(ValidationError, match=r"retry_longest_seconds \(5\) is less than retry_first_seconds \(10\)"):
        RetrySettings(longest_seconds=5)


def test_an_error_does_not_repeat_the_value_which_may_hold_a_password(tmp_path: Path) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings.model_validate({"home": tmp_path, "queue": "hunter2"})

    assert "hunter2" not in str(caught.value)
