"""`blobforge version`: what to write into a report of a problem."""

import platform
from importlib.metadata import PackageNotFoundError, version

import click

from blobforge import plugins
from blobforge.cli.output import Column, json_option, print_json, print_table
from blobforge.domain.errors import EngineUnavailable, InvalidOptions
from blobforge.plugins import Group
from blobforge.version import __version__


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """Show the versions of BlobForge and its engines.

    With --json: blobforge, python, platform, and engines, an object of name to version (null: not installed).
    """
    engines = {name: _installed(name) for name in plugins.names(Group.ENGINES)}
    python = f"{platform.python_version()} ({platform.python_implementation()})"
    if as_json:
        print_json({"blobforge": __version__, "python": python, "platform": platform.platform(), "engines": engines})
        return
    rows = [("blobforge", __version__), ("python", python), ("platform", platform.platform())]
    rows += [(f"engine {name}", found or "not installed") for name, found in engines.items()]
    print_table([Column("PART", keep=True), Column("VERSION")], rows)


def _installed(engine: str) -> str | None:
    try:
        return version(plugins.load_engine(engine).info.distribution)
    except (PackageNotFoundError, EngineUnavailable, InvalidOptions):
        return None
