"""The reference of commands, from their own help texts."""

from collections.abc import Iterator

import click

from blobforge.cli.main import cli

INTRODUCTION = """\
# Commands

<!-- Made by docs/generate_reference.py from src/blobforge/cli; changes belong there. -->

Data goes to stdout, messages go to stderr. Every command takes `--json`, whose fields stay. Exit codes: 0 done, 1 an
error, 2 usage, 3 partial, 130 interrupted.

JSON is UTF-8 that every reader takes: a byte of a file's name that is no UTF-8 is written out there, as in all messages
and in the queue, as `caf\\xe9.pdf`.

A table on a terminal fits it. In a pipe or file it has all its columns and whole cells, two spaces or more between
them, and `-` in a cell that has nothing: `blobforge list | awk -F '  +' '{print $2}'` prints the names.
"""


def render() -> str:
    program = click.Context(cli, info_name="blobforge", terminal_width=100, **cli.context_settings)
    return "\n".join([INTRODUCTION, *_commands(cli, program)])


def _commands(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, "a group knows its commands"
        inner = click.Context(command, info_name=name, parent=context)
        # Click keeps the option that a command was first asked for, of whatever program it was a part then.
        command._help_option = None
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield f"## {inner.command_path}\n\n```text\n{command.get_help(inner)}\n```\n"
        if isinstance(command, click.Group):
            yield from _commands(command, inner)
