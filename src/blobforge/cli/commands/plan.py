"""`blobforge plan`: what another engine or other options would redo."""

import shlex
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cache

import click

from blobforge.cli import context, output
from blobforge.cli.choices import ENGINE, JOB_TYPE
from blobforge.cli.output import Column, json_option
from blobforge.cli.processor_options import parse_options
from blobforge.cli.progress import counted
from blobforge.cli.queue import opened_with_store
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import UNRECORDED
from blobforge.results.outdated import ChangeSince, changes_of
from blobforge.results.redoing import Amount, Gaps, Redoing, RedoPlan, Stock

PDF_TYPE = "pdf"


@click.command()
@click.option(
    "--engine",
    type=ENGINE,
    help="The engine to plan for; 'blobforge processors' lists them.  [default: the settings']",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the processor.")
@click.option("--type", "job_type", default=PDF_TYPE, show_default=True, type=JOB_TYPE, help="The job type.")
@json_option
def command(*, engine: str | None, options: tuple[str, ...], job_type: str, as_json: bool) -> None:
    """Say what another engine, newer versions or other options would redo.

    Compares the recipe (processor, engine, versions and options) with those of all completed documents, and estimates
    from what was done before how long it would take to redo the rest. Changes nothing.

    With --json: recipe_id, recipe, done, kept and redo (each documents, pages, bytes), gaps (documents of this recipe
    that miss pages, pages, and mended, how many can be mended now: they are among redo), lost (documents whose
    result is not in the store any more, which are among redo too), uncompleted, recipes (a list
    of recipe_id, recipe, documents, pages, bytes), changes (what came after the versions that made these: a list of
    name, version, summary, documents), estimate (null, or low_seconds, likely_seconds, high_seconds,
    from_documents, from_pages, worked_seconds, at_once, same_engine), and command, which starts it.
    """
    from blobforge import wiring

    settings = context.settings_of_queue(engine=engine)
    wanted = parse_options(options)
    recipe = wiring.recipe_for(settings, job_type, wanted)
    with opened_with_store(settings) as opened:
        redoing = Redoing(
            opened.coordinator,
            wiring.open_blobs(settings),
            project=settings.project,
            job_type=job_type,
            are_published=opened.publishes,
            may_list=not opened.is_behind_server,
        )
        plan = redoing.plan(recipe, cache(lambda: wiring.mended_by(settings, job_type, wanted)))
    changes = changes_of(plan.stocks, recipe, wiring.version_changes(job_type))
    command_line = _command_line(engine, options, job_type)
    if as_json:
        output.print_json(_plan_json(plan, changes, command_line))
    else:
        _tell(plan, changes, command_line)


def _tell(plan: RedoPlan, changes: Sequence[ChangeSince], command_line: str) -> None:
    if not plan.stocks:
        output.say("no document is completed, so there is nothing to redo")
        return
    columns = [Column(title, keep=True) for title in ("RECIPE", "ENGINE")]
    columns += [Column("VERSION"), Column("DOCUMENTS", right=True, keep=True), Column("PAGES", right=True, keep=True)]
    output.print_table([*columns, Column("DIFFERENCE")], [_row(stock, plan) for stock in plan.stocks])
    output.print_line()
    output.print_fact("asked for   ", f"{plan.recipe.id}: {plan.recipe.engine}, {plan.recipe.engine_version}")
    output.print_fact("done        ", _amount(plan.done))
    if plan.kept.documents:
        output.print_fact("in store    ", f"{_amount(plan.kept)}: made before, and takes no work")
    output.print_fact("to redo     ", _amount(plan.redo))
    for since in changes:
        output.print_fact("changed     ", _change(since, plan))
    if plan.redo.documents:
        for label, text in _time_lines(plan):
            output.print_fact(f"{label:<11} ", text)
    if plan.gaps.documents:
        output.print_fact("with gaps   ", _gaps(plan.gaps))
    if plan.lost:
        output.print_fact(
            "lost        ", f"{counted(plan.lost, 'document')}, whose result is not in the store any more"
        )
    if plan.uncompleted:
        output.say(f"{counted(plan.uncompleted, 'document')} not completed: not counted here")
    if plan.redo.documents or plan.kept.documents:
        output.say(f"{'To redo them' if plan.redo.documents else 'To publish what is in the store'}: {command_line}")


def _row(stock: Stock, plan: RedoPlan) -> list[str]:
    recipe = stock.recipe or {}
    return [
        "another program's" if stock.recipe_id == UNRECORDED else stock.recipe_id or "unknown",
        stock.engine or "unknown",
        str(recipe.get("engine_version") or ""),
        str(stock.amount.documents),
        str(stock.amount.pages),
        "asked for" if stock.recipe_id == plan.recipe.id else _differences(recipe, plan),
    ]


def _differences(recipe: JsonObject, plan: RedoPlan) -> str:
    """In which version of the processor and which options a recipe differs from the one that is asked for."""
    theirs, ours = recipe.get("options"), plan.recipe.options
    if not isinstance(theirs, dict):
        return ""
    is_other = (recipe.get("processor"), recipe.get("version")) != (plan.recipe.processor, plan.recipe.version)
    version = [f"{recipe.get('processor')} {recipe.get('version')}"] if is_other else []
    names = [name for name in sorted({*theirs, *ours}) if name != "engine" and theirs.get(name) != ours.get(name)]
    return ", ".join([*version, *(f"{name}={theirs.get(name)}" for name in names)])


def _change(since: ChangeSince, plan: RedoPlan) -> str:
    change, documents = since
    name = f"the engine {change.engine}" if change.engine else plan.recipe.processor
    return f"by {name} {change.version}, for {counted(documents, 'document')}: {change.summary}"


def _amount(amount: Amount) -> str:
    return f"{counted(amount.documents, 'document')}, {counted(amount.pages, 'page')}, {output.size_text(amount.size)}"


def _gaps(gaps: Gaps) -> str:
    mended = f"{gaps.mended} can be mended now, and {'is' if gaps.mended == 1 else 'are'} to redo"
    missing = f"{counted(gaps.documents, 'document')}, {counted(gaps.pages, 'page')} missing"
    return f"{missing}; {mended if gaps.mended else 'the reason is still there (blobforge list --gaps)'}"


def _time_lines(plan: RedoPlan) -> Iterator[tuple[str, str]]:
    if plan.estimate is None or plan.pace is None:
        yield "time", "unknown: no document that was made here tells how long one takes"
        return
    low, likely, high = map(_duration_text, plan.estimate)
    yield "time", f"about {likely}, between {low} and {high}"
    pace = plan.pace
    worked = f"{counted(pace.pages, 'page')} in {_duration_text(pace.worked)}, {pace.at_once:.1f} at once"
    yield "judged by", f"{counted(pace.documents, 'document')}: {worked}"
    if not plan.pace_is_of_engine:
        yield "", "too few of them by this engine, which may be much slower or quicker"
    if plan.gaps.mended:
        yield "", "pages that were skipped before, as those for OCR, may be much slower"


def _duration_text(duration: timedelta) -> str:
    """Small documents take some milliseconds, which are not nothing where there are many."""
    milliseconds = duration.total_seconds() * 1000
    return f"{milliseconds:.0f} ms" if 0 < milliseconds < 100 else output.duration_text(duration)


def _command_line(engine: str | None, options: tuple[str, ...], job_type: str) -> str:
    """What redoes all that is to be redone by this recipe, and nothing else."""
    words = ["blobforge", "reprocess", "--all"]
    words += ["--engine", engine] if engine is not None else []
    words += [word for option in options for word in ("--option", option)]
    words += ["--type", job_type] if job_type != PDF_TYPE else []
    return shlex.join(words)


def _plan_json(plan: RedoPlan, changes: Sequence[ChangeSince], command_line: str) -> JsonObject:
    return {
        "recipe_id": plan.recipe.id,
        "recipe": plan.recipe.as_json(),
        "done": _amount_json(plan.done),
        "kept": _amount_json(plan.kept),
        "redo": _amount_json(plan.redo),
        "gaps": plan.gaps._asdict(),
        "lost": plan.lost,
        "uncompleted": plan.uncompleted,
        "recipes": [
            {"recipe_id": stock.recipe_id, "recipe": stock.recipe, **_amount_json(stock.amount)}
            for stock in plan.stocks
        ],
        "changes": [
            {
                "name": since.change.engine or plan.recipe.processor,
                "version": since.change.version,
                "summary": since.change.summary,
                "documents": since.documents,
            }
            for since in changes
        ],
        "estimate": _estimate_json(plan),
        "command": command_line,
    }


def _amount_json(amount: Amount) -> JsonObject:
    return {"documents": amount.documents, "pages": amount.pages, "bytes": amount.size}


def _estimate_json(plan: RedoPlan) -> JsonObject | None:
    if plan.estimate is None or plan.pace is None:
        return None
    low, likely, high = (round(moment.total_seconds(), 3) for moment in plan.estimate)
    return {
        "low_seconds": low,
        "likely_seconds": likely,
        "high_seconds": high,
        "from_documents": plan.pace.documents,
        "from_pages": plan.pace.pages,
        "worked_seconds": round(plan.pace.worked.total_seconds(), 3),
        "at_once": round(plan.pace.at_once, 2),
        "same_engine": plan.pace_is_of_engine,
    }
