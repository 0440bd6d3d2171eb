"""`blobforge config`: what the settings are, where each came from, and whether they are good."""

from contextlib import suppress

from blobforge.cli import context, exit_codes, output
from blobforge.cli.groups import HelpfulGroup
from blobforge.cli.output import Column, json_option
from blobforge.config.catalog import Setting, as_text, catalog
from blobforge.config.load import Examined, Loaded, examine, shown
from blobforge.config.reading import Layer
from blobforge.config.settings import Settings
from blobforge.domain.errors import EngineUnavailable, InvalidOptions, InvalidSettings
from blobforge.plugins import Group, names, scheme_of

command = HelpfulGroup(name="config", help="Show and check the settings.")


@command.command()
@json_option
def show(*, as_json: bool) -> None:
    """Show each setting and where its value came from; passwords are masked.

    A flag wins over the environment, that over ./blobforge.toml, that over the user's file, that over the default.

    With --json: settings, a list of objects with name, value, source (flag, environment, file or default), place (the
    flag, variable or file, or null) and environment (the variable that sets it); files, a list of objects with path
    and found. The value of a store that a server keeps is null.
    """
    loaded = context.loaded()
    if as_json:
        output.print_json(
            {
                "settings": [_as_json(setting, loaded) for setting in catalog()],
                "files": [{"path": str(file.path), "found": file.found} for file in loaded.files],
            }
        )
        return
    output.print_table(
        [Column("NAME", keep=True), Column("VALUE"), Column("FROM")],
        [_row(setting, loaded) for setting in catalog()],
    )
    for file in loaded.files:
        output.say(f"{'Read' if file.found else 'Not found'}: {file.path}")


@command.command()
@json_option
def check(*, as_json: bool) -> int:
    """Check the settings strictly: bad values, unknown names, addresses that cannot be read, backends and engines that
    are not installed. Exits 2 if any.

    With --json: ok (true or false) and problems, a list of texts.
    """
    examined = examine(context.with_log_level({}))
    problems = [
        *(*examined.refused, *examined.doubts),
        *(*_missing_backends(examined.settings), *_unusable(examined), *_missing_engine(examined)),
    ]
    if as_json:
        output.print_json({"ok": not problems, "problems": problems})
    elif problems:
        for problem in problems:
            output.print_line(problem)
    else:
        output.say(f"All {len(catalog())} settings are good.")
    return exit_codes.USAGE if problems else exit_codes.OK


def _as_json(setting: Setting, loaded: Loaded) -> dict[str, str | int | float | bool | None]:
    provenance = loaded.provenance[setting.name]
    return {
        "name": setting.name,
        "value": _value(setting, loaded),
        "source": provenance.layer.value,
        "place": provenance.place or None,
        "environment": setting.environment,
    }


def _row(setting: Setting, loaded: Loaded) -> tuple[str, str, str]:
    value = _value(setting, loaded)
    text = "auto" if value is None else as_text(value)
    if _is_store_of_server(setting, loaded):
        from blobforge.wiring.servers import STORE_OF_SERVER

        text = STORE_OF_SERVER
    return (setting.name, text, str(loaded.provenance[setting.name]))


def _value(setting: Setting, loaded: Loaded) -> str | int | float | bool | None:
    if _is_store_of_server(setting, loaded):
        return None
    value = setting.value_in(loaded.settings)
    return shown(setting, value) if isinstance(value, str) else value


def _is_store_of_server(setting: Setting, loaded: Loaded) -> bool:
    """Nobody chose one here, and the default is for a queue on this machine."""
    if setting.name != "store" or loaded.provenance["store"].layer is not Layer.DEFAULT:
        return False
    from blobforge.wiring import is_behind_server

    with suppress(InvalidSettings):  # an address that no backend knows, which `check` tells
        return is_behind_server(loaded.settings)
    return False


def _unusable(examined: Examined) -> list[str]:
    from blobforge.wiring.addresses import unusable_addresses

    if examined.settings is None:
        return []
    return [f"{examined.provenance[name]}: {message}" for name, message in unusable_addresses(examined.settings)]


def _missing_engine(examined: Examined) -> list[str]:
    from blobforge.wiring import PDF, recipe_for

    if examined.settings is None:
        return []
    try:
        recipe_for(examined.settings, PDF, {})
    except (EngineUnavailable, InvalidOptions) as error:
        return [f"{examined.provenance['engine']}: {error}"]
    return []


def _missing_backends(settings: Settings | None) -> list[str]:
    if settings is None:
        return []
    wanted = (("queue", settings.queue, Group.QUEUES), ("store", settings.store, Group.STORES))
    return [
        f"{name}: no backend for {scheme}:// is installed; there are {', '.join(names(group))}"
        for name, url, group in wanted
        if (scheme := scheme_of(url)) not in names(group)
    ]
