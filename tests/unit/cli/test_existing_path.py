"""Paths that people name."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.conftest import Call


def test_a_path_that_this_user_may_not_look_at_is_not_called_missing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who runs the tests may be allowed to look everywhere."""
    secret, look = tmp_path / "secret.pdf", os.stat

    def look_as_another_user(path: Any, *args: Any, **more: Any) -> os.stat_result:
        if str(path) == str(secret):
            raise PermissionError(13, "Permission denied", path)
        return look(path, *args, **more)

    monkeypatch.setattr(os, "stat", look_as_another_user)

    refused = call("submit", str(secret))
    missing = call("submit", str(tmp_path / "missing.pdf"))

    assert (refused.exit_code, missing.exit_code) == (2, 2)
    assert "permission denied" in refused.stderr
    assert "does not exist" in missing.stderr
