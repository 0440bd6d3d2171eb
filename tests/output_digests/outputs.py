"""The fixed documents, and digests of what a processor makes of them that are the same on every machine.

All documents are files of the repository, nothing is read by OCR, and pictures count by their form and size alone: the
bytes of a picture are a matter of the library that packs it.
"""

import hashlib
import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zipfile import ZipFile

from PIL import Image
from tests.unit.processors.pdfs import a_task

from blobforge import plugins
from blobforge.domain.errors import InvalidOptions
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Processor
from blobforge.testing.processor_contract import converted

LIBRARY = Path(__file__).parents[2] / "examples" / "library"
REPORTS = Path(__file__).parent / "reports"
"""Printed by benchmarks/lab_reports, one layout and language each."""
_NOT_OUTPUT = ("source", "recipe", "recipe_id")
"""What info.json says of the order rather than of the result."""

OF_WORKERS = frozenset({"engine:liteparse"})
"""What `make setup` installs besides the default (release/lock.py): it is held to its digests too."""
_ENGINE = "engine:"

Files = Mapping[str, str]
"""The files of a result, each with a digest of what it says."""


class Given(NamedTuple):
    """A document, and how it is asked for."""

    path: Path
    options: JsonObject | None = None


PDFS = (
    Given(LIBRARY / "rulebook.pdf"),
    Given(LIBRARY / "report.pdf", {"page_marks": True}),
    Given(LIBRARY / "atlas.pdf"),
    Given(LIBRARY / "handbook.pdf", {"pages": "1-30"}),
)
DOCUMENTS: dict[str, tuple[Given, ...]] = {
    "echo": (Given(LIBRARY / "report.pdf", {"units": 3, "slices": 2}),),
    "pdf_markdown": PDFS,
    "lab_report": tuple(map(Given, sorted(REPORTS.glob("*.pdf")))),
}
OPTIONS: dict[str, JsonObject] = {"pdf_markdown": {"ocr": "off"}}


class Maker(NamedTuple):
    """A processor with one of its engines; the engine is empty where there is no choice."""

    processor: str
    engine: str = ""

    @property
    def name(self) -> str:
        return f"{self.processor}/{self.engine}" if self.engine else self.processor

    @property
    def options(self) -> JsonObject:
        return {**OPTIONS.get(self.processor, {}), **({"engine": self.engine} if self.engine else {})}


def maker(name: str) -> Maker:
    return Maker(*name.split("/"))


def everywhere(processor: str) -> list[Maker]:
    """A processor with each of the engines that all workers have; what else is in the ledger stays there."""
    loaded = plugins.load_processor(processor)
    engines = sorted(word.removeprefix(_ENGINE) for word in loaded.has() if word.startswith(_ENGINE))
    return [Maker(processor, engine) for engine in engines if _is_everywhere(loaded, engine)] or [Maker(processor)]


def _is_everywhere(processor: Processor, engine: str) -> bool:
    try:
        return processor.needs({"engine": engine}) <= OF_WORKERS
    except InvalidOptions:
        return False  # an engine that it needs, and none that can be chosen


def recipe_of(made_by: Maker) -> Recipe:
    """Raises EngineUnavailable."""
    return plugins.load_processor(made_by.processor).recipe(made_by.options)


def outputs_of(made_by: Maker) -> dict[str, Files]:
    """What is made of each document, by its name."""
    processor = plugins.load_processor(made_by.processor)
    return {
        given.path.name: _files(processor, given, {**made_by.options, **(given.options or {})})
        for given in DOCUMENTS[made_by.processor]
    }


def _files(processor: Processor, given: Given, options: JsonObject) -> Files:
    with TemporaryDirectory() as folder:
        task = a_task(given.path, Path(folder), name=given.path.name, **options)
        with ZipFile(converted(processor, task).archive) as archive:
            return {name: digest_of(name, archive.read(name)) for name in archive.namelist()}


def digest_of(name: str, content: bytes) -> str:
    if name == "info.json":
        told: dict[str, Any] = json.loads(content)
        content = canonical_json({key: value for key, value in told.items() if key not in _NOT_OUTPUT}).encode()
    elif name.startswith("assets/"):
        with Image.open(BytesIO(content)) as picture:
            return f"{picture.format} {picture.width} x {picture.height}"
    return hashlib.sha256(content).hexdigest()[:16]
