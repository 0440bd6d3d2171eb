"""A command imports what it needs: who lists jobs waits for no worker, no conversion and no engine."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from blobforge import wiring

NEEDLESS = (
    "blobforge.worker.loop",
    "blobforge.worker.child",
    "blobforge.conversion",
    "blobforge.ingest",
    "blobforge.processors",
    "blobforge.catalog.layers",
    "blobforge.wiring.workers",
    "boto3",
    "psycopg",
    "alembic",
    "sqlalchemy.dialects.postgresql",
    "rich",
)


@pytest.mark.parametrize("name", wiring.__all__)
def test_what_the_room_offers_is_there_when_it_is_asked_for(name: str) -> None:
    assert getattr(wiring, name) is not None
    assert name in dir(wiring)


def test_what_it_offers_is_what_the_types_say() -> None:
    tree = ast.parse(Path(wiring.__file__).read_text(encoding="utf-8"))
    typed = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    assert {(module, name) for name, module in wiring._PLACES.items()} == typed
    assert {name for _, name in typed} == set(wiring.__all__)


def test_what_it_does_not_offer_is_an_attribute_error_like_any() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'open_sesame'"):
        getattr(wiring, "open_sesame")  # noqa: B009 - the type checker knows that it is not there


def test_listing_jobs_imports_neither_workers_nor_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOBFORGE_HOME", str(tmp_path))
    code = f"""
import sys
from blobforge.cli.main import run
assert run(["list"]) == 0  # makes the queue
assert run(["list"]) == 0
print(*[name for name in {NEEDLESS!r} if name in sys.modules])
"""
    first = subprocess.run([sys.executable, "-m", "blobforge", "list"], capture_output=True, text=True)

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert first.returncode == 0, first.stderr
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr
