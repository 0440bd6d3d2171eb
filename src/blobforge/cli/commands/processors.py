"""`blobforge processors`: what can be done with documents here."""

from typing import NamedTuple

import click

from blobforge import plugins
from blobforge.cli.output import Column, json_option, print_json, print_table, warn
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe
from blobforge.plugins import Group, Plugin
from blobforge.ports.processor import ProcessorInfo


class Seen(NamedTuple):
    """`problem` says why it cannot work here: its import failed, or its default engine is not there."""

    plugin: Plugin
    info: ProcessorInfo | None = None
    recipe: Recipe | None = None
    problem: BlobForgeError | None = None


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """List the processors that are installed, and whether their engines are there.

    With --json: processors, a list of objects with name, version, summary, types (the job types that it serves),
    engine, engine_version, available (true or false), problem (null, or code and message), package and
    package_version.
    """
    found = [_look_at(plugin) for plugin in plugins.plugins(Group.PROCESSORS)]
    if as_json:
        print_json({"processors": [_as_json(seen) for seen in found]})
        return
    columns = [Column("NAME", keep=True), Column("VERSION"), Column("TYPES"), Column("ENGINE"), Column("SUMMARY")]
    print_table(columns, [_row(seen) for seen in found])
    for seen in found:
        if seen.problem:
            warn(f"{seen.plugin.name}: {seen.problem}")


def _look_at(plugin: Plugin) -> Seen:
    try:
        processor = plugins.load_processor(plugin.name)
    except BlobForgeError as error:
        return Seen(plugin, problem=error)
    try:
        return Seen(plugin, processor.info, processor.recipe({}))
    except BlobForgeError as error:
        return Seen(plugin, processor.info, problem=error)


def _as_json(seen: Seen) -> JsonObject:
    info, recipe, problem = seen.info, seen.recipe, seen.problem
    return {
        "name": seen.plugin.name,
        "version": info.version if info else None,
        "summary": info.summary if info else None,
        "types": info.types if info else (),
        "engine": recipe.engine if recipe else None,
        "engine_version": recipe.engine_version if recipe else None,
        "available": problem is None,
        "problem": {"code": problem.code, "message": str(problem)} if problem else None,
        "package": seen.plugin.package,
        "package_version": seen.plugin.package_version,
    }


def _row(seen: Seen) -> tuple[str, ...]:
    version, types, summary = (
        (seen.info.version, ", ".join(seen.info.types), seen.info.summary) if seen.info else ("-", "-", "-")
    )
    engine = f"{seen.recipe.engine} {seen.recipe.engine_version}" if seen.recipe else "not available"
    return (seen.plugin.name, version, types, engine, summary)
