"""The last step: all pages together become one report, in two forms, and one archive."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from blobforge.domain.errors import EngineFailed, NoPageConverted, NoText
from blobforge.domain.json_value import JsonObject
from blobforge.domain.page import Page, PageOutcome, tally
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import Gap, Plan, Product, Progress, Report, Task
from blobforge.processors import result_archive
from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.tagger import LineTagger
from blobforge.processors.lab_report.output.normal_form import normal_form
from blobforge.processors.lab_report.output.raw_form import raw_form
from blobforge.processors.lab_report.page.slice_files import ReadPage
from blobforge.processors.lab_report.report import read_report
from blobforge.processors.lab_report.source_file import named
from blobforge.processors.result_archive import Entry

NORMALIZED, RAW = "normalized.json", "raw.json"


class ArchiveWriter:
    def __init__(self, task: Task, recipe: Recipe, *, tagger: LineTagger, lexicon: Lexicon, model: str) -> None:
        self._task = task
        self._recipe = recipe
        self._tagger = tagger
        self._lexicon = lexicon
        self._model = model

    def run(self, plan: Plan, pages: Iterable[ReadPage], gaps: Sequence[Gap], report: Report) -> Product:
        read = {page.account.number: page for page in pages}
        account = _account(plan, read, gaps)
        self._require_text(account)
        found = read_report({number: page.words for number, page in read.items()}, self._tagger, self._lexicon)
        normal = normal_form(found, self._lexicon)
        raw = raw_form(found, version=self._recipe.version, model=self._model, components=self._tagger.components)
        observations = normal["observations"]
        assert isinstance(observations, list)
        counts: JsonObject = {"observations": len(observations)}
        entries = [
            Entry(NORMALIZED, _json(normal)),
            Entry(RAW, _json(raw)),
            Entry(result_archive.INFO, result_archive.info_json(self._task, self._recipe, account, counts)),
        ]
        archive = self._task.workspace / result_archive.ARCHIVE
        size = result_archive.write_archive(archive, entries)
        report(Progress("writing", plan.units, plan.units))
        summary = {**tally(account)._asdict(), **counts, "images": 0, "output_size": size}
        return Product(archive=archive, summary=summary)

    def _require_text(self, account: Sequence[Page]) -> None:
        outcomes = {page.outcome for page in account}
        if PageOutcome.TEXT in outcomes:
            return
        if PageOutcome.FAILED in outcomes:
            raise NoPageConverted(f"{named(self._task)}: none of its {len(account)} pages could be read")
        raise NoText(f"{named(self._task)}: no page has text; it is a scan, and lab reports are read from text alone")


def _account(plan: Plan, read: dict[int, ReadPage], gaps: Sequence[Gap]) -> list[Page]:
    missing = result_archive.gap_pages(gaps)
    account = []
    for part in plan.slices:
        for number in range(part.first, part.last + 1):
            page = read.get(number)
            lost = Page(number, PageOutcome.FAILED, EngineFailed.code, "this page was not read")
            account.append(missing.get(number) or (page.account if page else lost))
    return account


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")
