"""The contract of every Processor.

A subclass gives two fixtures: `processor`, and `make_task`, a function that at each call gives the same work in an
empty workspace of its own: a source of several units that its options cut into several slices.
"""

import json
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import InvalidOptions
from blobforge.domain.ids import parse_name
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.page import PageOutcome
from blobforge.ports.processor import Gap, Plan, Processor, Product, Progress, Slice, Task

MakeTask = Callable[[], Task]

SECRET = "a-secret-of-the-contract"


def nobody(_progress: Progress) -> None:
    """Listens to no progress."""


def units_of(plan: Plan) -> list[int]:
    return [unit for part in plan.slices for unit in range(part.first, part.last + 1)]


def converted(processor: Processor, task: Task, *, gaps: Sequence[Gap] = (), slices: Sequence[Slice] = ()) -> Product:
    """The whole way; `slices` in place of the planned ones."""
    plan = processor.plan(task)
    for part in slices or plan.slices:
        processor.run(task, plan, part, nobody)
    return processor.join(task, plan, gaps, nobody)


def info_of(product: Product) -> dict[str, object]:
    with zipfile.ZipFile(product.archive) as archive:
        found: dict[str, object] = json.loads(archive.read("info.json"))
    return found


def account_of(product: Product) -> dict[int, JsonObject]:
    """What became of each unit; one that is named twice fails the test."""
    pages = info_of(product)["pages"]
    assert isinstance(pages, list)
    account = {page["page"]: page for page in pages}
    assert len(account) == len(pages)
    return account


def files_under(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class ProcessorContract:
    @pytest.fixture
    def other(self, processor: Processor) -> Processor:
        """The same processor as another process would have it: made anew, without arguments."""
        made: Processor = type(processor)()
        return made

    # Who it is, and what its results depend on

    def test_its_info_does_not_change(self, processor: Processor, other: Processor) -> None:
        assert processor.info == processor.info == other.info

    def test_its_names_fit_into_paths_and_urls(self, processor: Processor) -> None:
        assert processor.info.types
        for name in (processor.info.name, *processor.info.types):
            assert parse_name(name, of="processor") == name

    def test_a_recipe_names_the_processor_and_its_version(self, processor: Processor, make_task: MakeTask) -> None:
        recipe = processor.recipe(make_task().options)

        assert (recipe.processor, recipe.version) == (processor.info.name, processor.info.version)

    def test_the_same_options_mean_the_same_recipe(
        self, processor: Processor, other: Processor, make_task: MakeTask
    ) -> None:
        options = make_task().options

        assert processor.recipe(options).id == processor.recipe(dict(reversed(list(options.items())))).id
        assert processor.recipe(options).id == other.recipe(options).id

    def test_a_recipe_has_its_defaults_filled_in(self, processor: Processor, make_task: MakeTask) -> None:
        recipe = processor.recipe(make_task().options)

        assert processor.recipe(recipe.options) == recipe

    def test_an_unknown_option_is_refused_by_name(self, processor: Processor) -> None:
        with pytest.raises(InvalidOptions, match="no_such_option"):
            processor.recipe({"no_such_option": 1})

    def test_a_secret_is_in_no_recipe_and_in_no_file(self, processor: Processor, make_task: MakeTask) -> None:
        task = replace(make_task(), secrets={"password": SECRET})

        product = converted(processor, task)

        assert SECRET not in canonical_json(processor.recipe(task.options).as_json())
        assert not [name for name, content in files_under(task.workspace).items() if SECRET.encode() in content]
        assert SECRET not in canonical_json(product.summary)

    # How it cuts

    def test_a_plan_covers_each_unit_once_and_in_order(self, processor: Processor, make_task: MakeTask) -> None:
        plan = processor.plan(make_task())

        units = units_of(plan)
        assert units == sorted(set(units))
        assert len(units) == plan.units
        assert units[0] >= 1
        assert all(part.first <= part.last for part in plan.slices)

    def test_the_task_of_this_suite_is_cut_into_several_slices(self, processor: Processor, make_task: MakeTask) -> None:
        plan = processor.plan(make_task())

        assert len(plan.slices) > 1
        assert plan.units > len(plan.slices)

    def test_a_plan_survives_the_way_to_another_process(
        self, processor: Processor, other: Processor, make_task: MakeTask
    ) -> None:
        task = make_task()
        plan = processor.plan(task)
        notes = json.loads(json.dumps(plan.notes))
        sent = Plan(slices=plan.slices, notes=notes)

        for part in sent.slices:
            other.run(task, sent, part, nobody)
        product = type(processor)().join(task, sent, [], nobody)

        assert product.archive.read_bytes() == converted(processor, make_task()).archive.read_bytes()

    # The work

    def test_the_same_work_gives_the_same_bytes(self, processor: Processor, make_task: MakeTask) -> None:
        first = converted(processor, make_task())
        second = converted(processor, make_task())

        assert first.archive.read_bytes() == second.archive.read_bytes()
        assert first.summary == second.summary

    def test_a_slice_done_twice_leaves_the_same(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        plan = processor.plan(task)
        processor.run(task, plan, plan.slices[0], nobody)
        once = files_under(task.workspace)

        processor.run(task, plan, plan.slices[0], nobody)

        assert files_under(task.workspace) == once

    def test_slices_may_be_done_in_any_order(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        backwards = tuple(reversed(processor.plan(task).slices))

        product = converted(processor, task, slices=backwards)

        assert product.archive.read_bytes() == converted(processor, make_task()).archive.read_bytes()

    def test_a_slice_may_be_cut_smaller_than_planned(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        units = units_of(processor.plan(task))

        product = converted(processor, task, slices=[Slice(unit, unit) for unit in units])

        assert list(account_of(product)) == units

    def test_joining_twice_gives_the_same_bytes(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        product = converted(processor, task)
        content = product.archive.read_bytes()

        again = processor.join(task, processor.plan(task), [], nobody)

        assert again.archive.read_bytes() == content

    def test_the_source_stays_as_it_is(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        before = task.source.read_bytes()

        converted(processor, task)

        assert task.source.read_bytes() == before

    def test_it_says_nothing_on_standard_output(
        self, processor: Processor, make_task: MakeTask, capfd: pytest.CaptureFixture[str]
    ) -> None:
        converted(processor, make_task())

        assert capfd.readouterr().out == ""

    # The account

    def test_every_unit_is_accounted_for(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()

        account = account_of(converted(processor, task))

        assert list(account) == units_of(processor.plan(task))
        assert {page["outcome"] for page in account.values()} <= {outcome.value for outcome in PageOutcome}

    def test_a_gap_is_accounted_for_with_its_reason(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        lost, *others = processor.plan(task).slices
        gap = Gap(lost, "child_killed", "the child was killed by signal 11")

        product = converted(processor, task, gaps=[gap], slices=others)

        failed = [page for page in account_of(product).values() if page["outcome"] == PageOutcome.FAILED]
        assert [page["page"] for page in failed] == list(range(lost.first, lost.last + 1))
        assert {(page["code"], page["message"]) for page in failed} == {(gap.code, gap.message)}
        assert product.summary["pages_failed"] == len(failed)
        assert product.summary["codes"] == {gap.code: len(failed)}

    def test_a_slice_that_nobody_did_is_accounted_for_too(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        forgotten, *others = processor.plan(task).slices

        account = account_of(converted(processor, task, slices=others))

        units = range(forgotten.first, forgotten.last + 1)
        assert {account[unit]["outcome"] for unit in units} == {PageOutcome.FAILED}

    def test_a_summary_says_what_the_job_record_keeps(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()

        product = converted(processor, task)

        assert {"pages", "pages_failed", "codes", "images", "output_size"} <= set(product.summary)
        assert product.summary["pages"] == processor.plan(task).units
        assert product.summary["output_size"] == product.archive.stat().st_size
        assert json.loads(json.dumps(product.summary)) == product.summary

    def test_info_json_says_what_the_result_was_made_from_and_how(
        self, processor: Processor, make_task: MakeTask
    ) -> None:
        task = make_task()
        recipe = processor.recipe(task.options)

        info = info_of(converted(processor, task))

        assert info["source"] == {
            "name": task.source_name,
            "sha256": task.source_hash,
            "size": task.source.stat().st_size,
        }
        assert (info["recipe"], info["recipe_id"]) == (recipe.as_json(), recipe.id)

    def test_a_source_name_may_hold_anything(self, processor: Processor, make_task: MakeTask) -> None:
        name = 'a "quoted"\n\x00 name \udcff -- <!-- ../../\U0001f409.pdf'

        info = info_of(converted(processor, replace(make_task(), source_name=name)))

        assert isinstance(info["source"], dict)
        assert info["source"]["name"] == name

    def test_what_failed_just_now_is_not_mended(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()

        product = converted(processor, task)

        assert isinstance(product.summary["codes"], dict)
        assert processor.mended(task.options).isdisjoint(product.summary["codes"])
        assert processor.mended(task.options) <= set(all_errors())

    def test_what_it_needs_and_has_are_words_of_a_kind_and_a_name(
        self, processor: Processor, make_task: MakeTask
    ) -> None:
        options = make_task().options
        refused = {word for code in all_errors() for word in processor.needs(options, refused=code)}

        words = processor.needs(options) | processor.has() | refused

        assert all(re.fullmatch(r"[a-z]+:[^\s:]+", word) for word in words), words
        assert processor.needs(options, refused="damaged_pdf") == frozenset()

    # The archive

    def test_the_archive_depends_on_nothing_but_its_content(self, processor: Processor, make_task: MakeTask) -> None:
        product = converted(processor, make_task())

        with zipfile.ZipFile(product.archive) as archive:
            entries = archive.infolist()
        assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
        assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
        assert len({(entry.create_system, entry.external_attr, entry.compress_type) for entry in entries}) == 1

    def test_the_archive_lies_in_the_workspace(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()

        product = converted(processor, task)

        assert product.archive.is_relative_to(task.workspace)

    # Progress

    def test_progress_never_goes_back_and_reaches_its_end(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        plan = processor.plan(task)
        for part in plan.slices:
            heard: list[Progress] = []

            processor.run(task, plan, part, heard.append)

            units = part.last - part.first + 1
            assert (heard[-1].current, heard[-1].total) == (units, units)
            for stage in {progress.stage for progress in heard}:
                steps = [progress.current for progress in heard if progress.stage == stage]
                assert steps == sorted(steps)

    def test_joining_reports_its_end(self, processor: Processor, make_task: MakeTask) -> None:
        task = make_task()
        plan = processor.plan(task)
        for part in plan.slices:
            processor.run(task, plan, part, nobody)
        heard: list[Progress] = []

        processor.join(task, plan, [], heard.append)

        assert heard[-1].current == heard[-1].total == plan.units
