"""The example of a package with a processor and an engine: installed as anybody would, run, and held to contracts."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from tests.unit.processors import pdfs

from blobforge.domain.errors import EmptySource, EngineFailed, InvalidOptions
from blobforge.ports.processor import Gap, Processor, Slice
from blobforge.processors.pdf_markdown.engines.engine import Engine
from blobforge.testing.engine_contract import EngineContract
from blobforge.testing.processor_contract import MakeTask, ProcessorContract, nobody
from blobforge_example.plain import PlainEngine
from blobforge_example.word_count import WordCountProcessor

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "plugin"
RULEBOOK = ROOT / "examples" / "library" / "rulebook.pdf"
OFFLINE = ("--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "--quiet")

Run = Callable[..., dict[str, object]]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", *OFFLINE, "--target", str(folder)]
    subprocess.run([*pip, str(PACKAGE)], check=True)
    return folder


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Run:
    environment = {**os.environ, "PYTHONPATH": str(installed), "BLOBFORGE_HOME": str(tmp_path / "home")}

    def start(*arguments: str) -> dict[str, object]:
        command = [sys.executable, "-m", "blobforge", *arguments, "--json"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        said: dict[str, object] = json.loads(done.stdout)
        return said

    return start


def test_its_engine_converts_a_document(run: Run, tmp_path: Path) -> None:
    said = run("convert", str(RULEBOOK), "-o", "out", "--engine", "plain")

    assert (said["converted"], said["pages_failed"]) == (1, 0)
    markdown = (tmp_path / "out" / "rulebook.md").read_text(encoding="utf-8")
    assert "TRAVELLING THE LONG WATER" in markdown
    assert "# T" not in markdown, "it knows no layout"


def test_its_processor_serves_a_queue(run: Run, tmp_path: Path) -> None:
    (tmp_path / "poem.txt").write_text("one two\n\nthree\n")

    run("submit", "poem.txt", "--type", "text", "--option", "slice_lines=1")
    done = run("worker", "--type", "text", "--drain")

    assert done["completed"] == 1
    (result,) = (tmp_path / "home" / "blobs" / "outputs").rglob("*.zip")
    with zipfile.ZipFile(result) as archive:
        assert json.loads(archive.read("words.json")) == {"words": 3, "lines": {"1": 2, "2": 0, "3": 1}}


def test_both_are_listed_with_their_package(run: Run) -> None:
    processors = run("processors")["processors"]

    assert isinstance(processors, list)
    found = {processor["name"]: processor for processor in processors}
    assert (found["word_count"]["package"], found["word_count"]["available"]) == ("blobforge-example", True)
    assert {"name": "plain", "version": "1.0", "problem": None} in found["pdf_markdown"]["engines"]


class TestPlain(EngineContract):
    @pytest.fixture
    def engine(self) -> Engine:
        return PlainEngine()

    @pytest.fixture
    def path(self) -> Path:
        return RULEBOOK


class TestWordCount(ProcessorContract):
    @pytest.fixture
    def processor(self) -> Processor:
        return WordCountProcessor()

    @pytest.fixture
    def make_task(self, tmp_path: Path) -> MakeTask:
        source = tmp_path / "poem.txt"
        source.write_text("one two\nthree\nfour five six\n\nseven\n")
        numbers = count()
        return lambda: pdfs.a_task(source, tmp_path / f"work-{next(numbers)}", slice_lines=2)


def test_a_text_without_lines_or_without_counts_is_refused(tmp_path: Path) -> None:
    processor = WordCountProcessor()
    (tmp_path / "empty.txt").touch()
    (tmp_path / "line.txt").write_text("one\n")
    task = pdfs.a_task(tmp_path / "line.txt", tmp_path / "lost")

    with pytest.raises(EmptySource):
        processor.plan(pdfs.a_task(tmp_path / "empty.txt", tmp_path / "work"))
    with pytest.raises(EngineFailed, match="no line could be counted"):
        processor.join(task, processor.plan(task), [Gap(Slice(1, 1), "killed", "it died")], nobody)
    with pytest.raises(InvalidOptions, match="use a number of lines"):
        processor.recipe({"slice_lines": "none"})
