"""A processor and a queue backend of somebody else's package, found by their entry points alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOUT = '''
"""A processor as the how-to page describes it."""

import zipfile

from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Plan, ProcessorInfo, Product, Progress, Slice


class ShoutProcessor:
    info = ProcessorInfo(name="shout", version="1", summary="LOUDER", types=("shout",))

    def recipe(self, options):
        return Recipe(processor="shout", version="1", engine="shout", engine_version="1", options=dict(options))

    def needs(self, options, *, refused=None):
        return frozenset()

    def has(self):
        return frozenset()

    def mended(self, options):
        return frozenset()

    def plan(self, task):
        return Plan(slices=(Slice(1, 1),))

    def run(self, task, plan, part, report):
        (task.workspace / "loud").write_text(task.source.read_text().upper())
        report(Progress("shouting", 1, 1))

    def join(self, task, plan, gaps, report):
        archive = task.workspace / "result.zip"
        with zipfile.ZipFile(archive, "w") as result:
            result.writestr("loud.txt", (task.workspace / "loud").read_text())
            result.writestr("info.json", '{"tally": {"pages": 1}}')
        return Product(archive=archive, summary={"pages": 1, "pages_failed": 0})
'''

NOTEBOOK = '''
"""A queue of another scheme: here it is the SQLite one under another name."""

from blobforge.coordination.sql.backend import open_queue as open_sqlite
from blobforge.ports.queue_backend import QueueBackend


def open_queue(url, options):
    return open_sqlite(url.replace("notebook:", "sqlite:", 1), options)


QUEUE = QueueBackend(open=open_queue)
'''

ENTRY_POINTS = """
[blobforge.processors]
shout = their_package.shout:ShoutProcessor

[blobforge.queues]
notebook = their_package.notebook:QUEUE
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A package as an installer leaves it: its code, and its metadata beside it."""
    site = tmp_path / "site"
    package, metadata = site / "their_package", site / "their_package-1.0.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    (package / "__init__.py").touch()
    (package / "shout.py").write_text(SHOUT)
    (package / "notebook.py").write_text(NOTEBOOK)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    return {**os.environ, "PYTHONPATH": str(site), "BLOBFORGE_HOME": str(tmp_path / "home")}


def blobforge(*arguments: str, environment: dict[str, str]) -> dict[str, object]:
    command = [sys.executable, "-m", "blobforge", *arguments, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_a_processor_of_another_package_serves_its_own_job_type(environment: dict[str, str], tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("hello")

    blobforge("submit", str(note), "--type", "shout", environment=environment)
    ended = blobforge("worker", "--type", "shout", "--drain", environment=environment)

    assert ended["completed"] == 1
    (archive,) = (tmp_path / "home" / "blobs" / "outputs").rglob("*.zip")
    assert b"HELLO" in archive.read_bytes()


def test_a_queue_of_another_package_is_chosen_by_its_scheme(environment: dict[str, str], tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("hello")
    theirs = {**environment, "BLOBFORGE_QUEUE": f"notebook:///{tmp_path / 'their.db'}"}

    blobforge("submit", str(note), "--type", "echo", environment=theirs)

    assert (tmp_path / "their.db").exists()
    assert blobforge("status", environment=theirs)["counts"] == {
        "echo": {"pending": 1, "running": 0, "completed": 0, "failed": 0, "dead": 0, "cancelled": 0}
    }
