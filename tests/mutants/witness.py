"""A part of pytest in the runs of mutants: it sees to it that the mutant is what is tested, and notes the verdict."""

import importlib
import json
import os
from pathlib import Path

import pytest

import blobforge

NOT_THE_MUTANT = 90
CANNOT_BE_IMPORTED = 91


def pytest_sessionstart() -> None:
    source = Path(os.environ["BLOBFORGE_TEST_SOURCE"])
    if not Path(blobforge.__file__).is_relative_to(source):
        pytest.exit(f"{blobforge.__file__} was imported, which is not in {source}", NOT_THE_MUTANT)
    for module in filter(None, os.environ["BLOBFORGE_TEST_MODULE"].split()):
        try:
            importlib.import_module(module)
        except Exception as error:  # noqa: BLE001 - whatever it is, the mutant is no program
            pytest.exit(f"{module} cannot be imported: {error!r}", CANNOT_BE_IMPORTED)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    verdict = Path(os.environ["BLOBFORGE_TEST_VERDICT"])
    if report.failed and not verdict.exists():
        half = verdict.with_suffix(".half")
        half.write_text(json.dumps({"test": report.nodeid, "when": report.when}))
        half.rename(verdict)
