"""Groups of commands: one that imports a command only when it is called, and the options that every command has."""

import difflib
from collections.abc import Mapping
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from blobforge.cli.context import Call
from blobforge.cli.exit_codes import USAGE

LEVELS = ("debug", "info", "warning", "error")


class HelpfulGroup(click.Group):
    """Without a command it shows its help, as a usage error: on stderr. Unless it does something by itself."""

    def __init__(self, **options: object) -> None:
        super().__init__(**{"no_args_is_help": False, **options})  # type: ignore[arg-type]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            nearest = difflib.get_close_matches(name, known, n=1)
            ctx.fail(f"no such command as {name!r}" + (f"; did you mean {nearest[0]!r}?" if nearest else ""))
        return super().resolve_command(ctx, args)


class LazyGroup(HelpfulGroup):
    """Knows its commands by name and one line each; a command's module is imported when it is called."""

    def __init__(self, *, package: str, sections: Mapping[str, Mapping[str, str]], **options: object) -> None:
        """`sections` have a title each, and their commands with one line."""
        super().__init__(**options)
        self.package = package
        self.sections = sections
        self.summaries = {name: line for section in sections.values() for name, line in section.items()}

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.summaries:
            return None
        if cmd_name not in self.commands:
            command = import_module(f"{self.package}.{cmd_name.replace('-', '_')}").command
            assert isinstance(command, click.Command)
            self.add_command(_with_log_level(command), cmd_name)
        return self.commands[cmd_name]

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.summaries))  # one column for all sections
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = [
            CompletionItem(name, help=summary)
            for name, summary in self.summaries.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def log_level_option() -> click.Option:
    return click.Option(
        ["--log-level"],
        type=click.Choice(LEVELS, case_sensitive=False),
        expose_value=False,
        callback=_keep_log_level,
        metavar="LEVEL",
        help=f"Log to stderr from this level on: {', '.join(LEVELS)}.",
    )


def _with_log_level(command: click.Command) -> click.Command:
    """`blobforge worker --log-level debug` is what people type as often as the other order."""
    command.params.append(log_level_option())
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _with_log_level(inner)
    return command


def _keep_log_level(ctx: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Call).log_level = value
