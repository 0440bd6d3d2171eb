"""The settings of workers: the names that are known from elsewhere, their defaults, and the hours."""

from pathlib import Path

import pytest

from blobforge.config.load import load
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings


def settings(folder: Path, **environ: str) -> Settings:
    return load(environ={"HOME": str(folder), **environ}, folder=folder).settings


def test_the_defaults_are_those_that_people_know(tmp_path: Path) -> None:
    """R0-61, R0-62, R0-63, R0-65, R0-66."""
    usual = settings(tmp_path)

    assert usual.worker.id is None
    assert usual.retry.max_attempts == 3
    assert usual.worker.heartbeat_seconds == 60
    assert usual.conversion.timeout_seconds == 3600
    assert usual.log.level == "INFO"


def test_so_are_the_names(tmp_path: Path) -> None:
    """R0-61, R0-62, R0-63, R0-65, R0-66, R2-13."""
    chosen = settings(
        tmp_path,
        BLOBFORGE_WORKER_ID="rack4",
        BLOBFORGE_MAX_RETRIES="5",
        BLOBFORGE_HEARTBEAT_INTERVAL="20",
        BLOBFORGE_CONVERSION_TIMEOUT="60",
        BLOBFORGE_LOG_LEVEL="debug",
    )

    assert chosen.worker.id == "rack4"
    assert chosen.retry.max_attempts == 5
    assert chosen.worker.heartbeat_seconds == 20
    assert chosen.conversion.timeout_seconds == 60
    assert chosen.log.level == "DEBUG"


def test_run_windows_are_kept_in_one_form(tmp_path: Path) -> None:
    assert settings(tmp_path).worker.run_windows == ""
    chosen = settings(tmp_path, BLOBFORGE_RUN_WINDOWS="9:00-12:00, 22:00-6:00", BLOBFORGE_ABORT_OUTSIDE_WINDOW="1")

    assert chosen.worker.run_windows == "09:00-12:00,22:00-06:00"
    assert chosen.worker.abort_outside_window


def test_windows_that_make_no_sense_are_named_with_their_variable(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="environment BLOBFORGE_RUN_WINDOWS: '25:00-3' is no value"):
        settings(tmp_path, BLOBFORGE_RUN_WINDOWS="25:00-3")


def test_children_are_shut_in_unless_it_is_said_otherwise(tmp_path: Path) -> None:
    chosen = settings(
        tmp_path,
        BLOBFORGE_SANDBOX="Required",
        BLOBFORGE_SANDBOX_READ="~/models:/dev/nvidia0",
        BLOBFORGE_CHILD_ENVIRONMENT="HF_TOKEN,MIRROR",
    )

    assert settings(tmp_path).child.sandbox == "auto"
    assert chosen.child.sandbox == "required"
    assert (chosen.child.sandbox_read, chosen.child.environment) == ("~/models:/dev/nvidia0", "HF_TOKEN,MIRROR")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BLOBFORGE_SANDBOX", "maybe"),
        ("BLOBFORGE_SANDBOX_READ", "models"),
        ("BLOBFORGE_CHILD_ENVIRONMENT", "HF TOKEN"),
    ],
)
def test_a_sandbox_that_makes_no_sense_is_named_with_its_variable(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(InvalidSettings, match=f"environment {name}: "):
        settings(tmp_path, **{name: value})
