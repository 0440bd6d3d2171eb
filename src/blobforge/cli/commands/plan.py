"""`blobforge plan`: what another engine or other options would redo."""

import shlex
from collections.abc import Iterator

import click

from blobforge.cli import context, output
from blobforge.cli.output import Column, json_option
from blobforge.cli.processor_options import parse_options
from blobforge.cli.progress import counted
from blobforge.cli.queue import opened_queue
from blobforge.domain.json_value import JsonObject
from blobforge.results.redoing import Amount, Redoing, RedoPlan, Stock

CONVERT_FLAGS = ("read_pictures", "explain")


@click.command()
@click.option("--engine", help="The engine to plan for; 'blobforge processors' lists them.  [default: the settings']")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the processor.")
@click.option("--type", "job_type", default="pdf", show_default=True, help="The job type.")
@json_option
def command(*, engine: str | None, options: tuple[str, ...], job_type: str, as_json: bool) -> None:
    """Say what another engine, newer versions or other options would redo.

    Compares the recipe (processor, engine, versions and options) with those of all completed documents, and estimates
    from what was done before how long it would take to redo the rest. Changes nothing.

    With --json: recipe_id, recipe, done, kept and redo (each documents, pages, bytes), uncompleted, recipes (a list of
    recipe_id, recipe, documents, pages, bytes), estimate (null, or low_seconds, likely_seconds, high_seconds,
    from_documents, from_pages, worked_seconds, at_once, same_engine), and command, which starts it.
    """
    from blobforge import wiring

    settings = context.settings(engine=engine)
    wanted = parse_options(options)
    recipe = wiring.recipe_for(settings, job_type, wanted)
    with opened_queue(settings) as queue:
        redoing = Redoing(queue, wiring.open_blobs(settings), project=settings.project, job_type=job_type)
        plan = redoing.plan(recipe)
    command_line = _command_line(engine, wanted)
    if as_json:
        output.print_json(_plan_json(plan, command_line))
    else:
        _tell(plan, command_line)


def _tell(plan: RedoPlan, command_line: str | None) -> None:
    if not plan.stocks:
        output.say("no document is completed, so there is nothing to redo")
        return
    columns = [Column(title, keep=True) for title in ("RECIPE", "ENGINE")]
    columns += [Column("VERSION"), Column("DOCUMENTS", right=True, keep=True), Column("PAGES", right=True, keep=True)]
    output.print_table([*columns, Column("")], [_row(stock, plan) for stock in plan.stocks])
    output.print_line()
    output.print_line(f"asked for   {plan.recipe.id}: {plan.recipe.engine}, {plan.recipe.engine_version}")
    output.print_line(f"done        {_amount(plan.done)}")
    if plan.kept.documents:
        output.print_line(f"in store    {_amount(plan.kept)}: made before, and takes no work")
    output.print_line(f"to redo     {_amount(plan.redo)}")
    if plan.redo.documents:
        for label, text in _time_lines(plan):
            output.print_line(f"{label:<11} {text}")
    if plan.uncompleted:
        output.say(f"{counted(plan.uncompleted, 'document')} not completed: not counted here")
    if plan.redo.documents or plan.kept.documents:
        output.say(_how_to_start(command_line))


def _row(stock: Stock, plan: RedoPlan) -> list[str]:
    recipe = stock.recipe or {}
    return [
        stock.recipe_id or "unknown",
        stock.engine or "unknown",
        str(recipe.get("engine_version") or ""),
        str(stock.amount.documents),
        str(stock.amount.pages),
        "asked for" if stock.recipe_id == plan.recipe.id else _differences(recipe, plan),
    ]


def _differences(recipe: JsonObject, plan: RedoPlan) -> str:
    """In which options a recipe differs from the one that is asked for."""
    theirs, ours = recipe.get("options"), plan.recipe.options
    if not isinstance(theirs, dict):
        return ""
    names = [name for name in sorted({*theirs, *ours}) if name != "engine" and theirs.get(name) != ours.get(name)]
    return ", ".join(f"{name}={theirs.get(name)}" for name in names)


def _amount(amount: Amount) -> str:
    return f"{counted(amount.documents, 'document')}, {counted(amount.pages, 'page')}, {output.size_text(amount.size)}"


def _time_lines(plan: RedoPlan) -> Iterator[tuple[str, str]]:
    if plan.estimate is None or plan.pace is None:
        yield "time", "unknown: no document that was made here tells how long one takes"
        return
    low, likely, high = map(output.duration_text, plan.estimate)
    yield "time", f"about {likely}, between {low} and {high}"
    pace = plan.pace
    worked = f"{counted(pace.pages, 'page')} in {output.duration_text(pace.worked)}, {pace.at_once:.1f} at once"
    yield "judged by", f"{counted(pace.documents, 'document')}: {worked}"
    if not plan.pace_is_of_engine:
        yield "", "too few of them by this engine, which may be much slower or quicker"


def _how_to_start(command_line: str | None) -> str:
    if command_line is None:
        return "To redo them, convert the documents again; 'convert' does not take all of these options by itself."
    return f"To redo them: {command_line}"


def _command_line(engine: str | None, options: JsonObject) -> str | None:
    """A call of `convert` by this recipe; None when it has no flag for one of the options."""
    words = ["blobforge", "convert", "PATH", "-o", "OUT"]
    engine = str(options["engine"]) if "engine" in options else engine
    if engine is not None:
        words += ["--engine", engine]
    for name, value in options.items():
        if name in CONVERT_FLAGS and value is True:
            words.append("--" + name.replace("_", "-"))
        elif name == "pages":
            words += ["--pages", str(value)]
        elif name != "engine":
            return None
    return shlex.join(words)


def _plan_json(plan: RedoPlan, command_line: str | None) -> JsonObject:
    return {
        "recipe_id": plan.recipe.id,
        "recipe": plan.recipe.as_json(),
        "done": _amount_json(plan.done),
        "kept": _amount_json(plan.kept),
        "redo": _amount_json(plan.redo),
        "uncompleted": plan.uncompleted,
        "recipes": [
            {"recipe_id": stock.recipe_id, "recipe": stock.recipe, **_amount_json(stock.amount)}
            for stock in plan.stocks
        ],
        "estimate": _estimate_json(plan),
        "command": command_line,
    }


def _amount_json(amount: Amount) -> JsonObject:
    return {"documents": amount.documents, "pages": amount.pages, "bytes": amount.size}


def _estimate_json(plan: RedoPlan) -> JsonObject | None:
    if plan.estimate is None or plan.pace is None:
        return None
    low, likely, high = (round(moment.total_seconds(), 1) for moment in plan.estimate)
    return {
        "low_seconds": low,
        "likely_seconds": likely,
        "high_seconds": high,
        "from_documents": plan.pace.documents,
        "from_pages": plan.pace.pages,
        "worked_seconds": round(plan.pace.worked.total_seconds(), 1),
        "at_once": round(plan.pace.at_once, 2),
        "same_engine": plan.pace_is_of_engine,
    }
