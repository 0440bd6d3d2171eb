"""Ctrl-C while the program is still being loaded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, signals_as_usual

INTERRUPTED_WHEN_LOADED = """
import os, signal

os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.fixture
def loading(tmp_path: Path) -> Path:
    """A folder that comes before all packages, where the first that is loaded of others is met by Ctrl-C."""
    folder = tmp_path / "first"
    folder.mkdir()
    (folder / "click.py").write_text(INTERRUPTED_WHEN_LOADED)
    return folder


@pytest.mark.parametrize("as_json", [False, True])
def test_an_interrupt_while_it_is_loaded_is_told_as_any_other(
    blobforge: Blobforge, loading: Path, as_json: bool
) -> None:
    call = [sys.executable, "-m", "blobforge", "status", *(["--json"] if as_json else [])]

    with signals_as_usual():
        done = subprocess.run(
            call, env=blobforge.environ(PYTHONPATH=str(loading)), cwd=blobforge.cwd, capture_output=True, text=True
        )

    assert done.returncode == 130
    if as_json:
        assert json.loads(done.stdout) == {"error": {"code": "interrupted", "message": "interrupted"}}
        assert done.stderr == ""
    else:
        assert (done.stdout, done.stderr) == ("", "error: interrupted [interrupted]\n")
