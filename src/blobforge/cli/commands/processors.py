"""`blobforge processors`: what can be done with documents here, and with which engines."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from blobforge import extras, plugins
from blobforge.cli.output import Column, json_option, print_json, print_table, warn
from blobforge.domain.errors import BlobForgeError, EngineUnavailable, InvalidOptions
from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.domain.needs import how_to_get, in_words
from blobforge.domain.recipe import Recipe
from blobforge.plugins import Group, Plugin
from blobforge.ports.processor import Processor, ProcessorInfo


class EngineSeen(NamedTuple):
    """`problem` says why it is not available."""

    name: str
    version: str | None = None
    problem: BlobForgeError | None = None


class Seen(NamedTuple):
    """`problem` says why it cannot work here: its import failed, or what it needs by default is not there."""

    plugin: Plugin
    info: ProcessorInfo | None = None
    default: EngineSeen | None = None
    engines: tuple[EngineSeen, ...] = ()
    problem: BlobForgeError | None = None


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """List the processors that are installed, and which of their engines are there.

    With --json: processors, a list of objects with name, version, summary, types (the job types that it serves),
    engine and engine_version (those that it uses by default), engines (a list of objects with name, version and
    problem), available (true or false), problem (null, or code and message), package and package_version.
    """
    found = [_look_at(plugin) for plugin in plugins.plugins(Group.PROCESSORS)]
    if as_json:
        print_json({"processors": [_as_json(seen) for seen in found]})
        return
    columns = [Column("NAME", keep=True), Column("VERSION"), Column("TYPES"), Column("ENGINES"), Column("SUMMARY")]
    print_table(columns, [_row(seen) for seen in found])
    for seen in found:
        if seen.problem:
            is_named = repr(seen.plugin.name) in str(seen.problem)
            warn(str(seen.problem) if is_named else f"{seen.plugin.name}: {seen.problem}")


def _look_at(plugin: Plugin) -> Seen:
    try:
        processor = plugins.load_processor(plugin.name)
    except BlobForgeError as error:
        return Seen(plugin, problem=error)
    engines = tuple(_engines(plugin, processor))
    try:
        recipe = _recipe(plugin, processor, {})
        _require_equipment(plugin, processor)
    except BlobForgeError as error:
        return Seen(plugin, processor.info, engines=engines, problem=error)
    default = EngineSeen(recipe.engine, recipe.engine_version)
    return Seen(plugin, processor.info, default, engines or (default,))


def _engines(plugin: Plugin, processor: Processor) -> Iterator[EngineSeen]:
    """Those that the processor takes by name; none where it leaves no choice."""
    for name in plugins.names(Group.ENGINES):
        try:
            recipe = _recipe(plugin, processor, {"engine": name})
        except InvalidOptions:
            continue
        except BlobForgeError as error:
            yield EngineSeen(name, problem=error)
        else:
            if recipe.engine == name:
                yield EngineSeen(name, recipe.engine_version)


def _recipe(plugin: Plugin, processor: Processor, options: JsonObject) -> Recipe:
    with plugins.failures_named(Group.PROCESSORS, plugin):
        return processor.recipe(options)


def _require_equipment(plugin: Plugin, processor: Processor) -> None:
    """A recipe only names things: what a worker would lack for it shows when it is asked as a worker is."""
    with plugins.failures_named(Group.PROCESSORS, plugin):
        lacks = sorted(processor.needs({}) - processor.has())
    if lacks:
        verb = "is" if len(lacks) == 1 else "are"
        hints = "; ".join(extras.as_here(hint) for word in lacks if (hint := how_to_get(word)))
        raise EngineUnavailable(f"{', '.join(map(in_words, lacks))} {verb} not installed here{hints and f': {hints}'}")


def _as_json(seen: Seen) -> JsonObject:
    info, default = seen.info, seen.default
    return {
        "name": seen.plugin.name,
        "version": info.version if info else None,
        "summary": info.summary if info else None,
        "types": info.types if info else (),
        "engine": default.name if default else None,
        "engine_version": default.version if default else None,
        "engines": [
            {"name": engine.name, "version": engine.version, "problem": _problem(engine.problem)}
            for engine in seen.engines
        ],
        "available": seen.problem is None,
        "problem": _problem(seen.problem),
        "package": seen.plugin.package,
        "package_version": seen.plugin.package_version,
    }


def _problem(error: BlobForgeError | None) -> JsonValue:
    return {"code": error.code, "message": str(error)} if error else None


def _row(seen: Seen) -> tuple[str, ...]:
    version, types, summary = (
        (seen.info.version, ", ".join(seen.info.types), seen.info.summary) if seen.info else ("-", "-", "-")
    )
    return (seen.plugin.name, version, types, _engines_in_words(seen.engines), summary)


def _engines_in_words(engines: Sequence[EngineSeen]) -> str:
    """Where none is there, the warning below the table says what is missing."""
    there = ", ".join(f"{engine.name} {engine.version}" for engine in engines if not engine.problem)
    missing = ", ".join(engine.name for engine in engines if engine.problem)
    return f"{there}; not installed: {missing}" if there and missing else there or "none"
