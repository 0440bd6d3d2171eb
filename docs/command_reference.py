"""The reference of commands, from their own help texts."""

from collections.abc import Iterator

import click

from blobforge.cli.main import cli

INTRODUCTION = """\
# Commands

<!-- Made by docs/generate_reference.py from src/blobforge/cli; changes belong there. -->

Data goes to stdout, messages go to stderr. Every command takes `--json`, whose fields stay. Exit codes: 0 done, 1 an
error, 2 usage, 3 partial, 130 interrupted.
"""


def render() -> str:
    return "\n".join([INTRODUCTION, *_commands(cli, "blobforge")])


def _commands(group: click.Group, path: str) -> Iterator[str]:
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, "a group knows its commands"
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"## {path} {name}\n\n```text\n{_help(command, f'{path} {name}')}\n```\n"


def _help(command: click.Command, path: str) -> str:
    with click.Context(command, info_name=path, terminal_width=100, max_content_width=100) as context:
        return command.get_help(context)
