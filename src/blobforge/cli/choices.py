"""Words that a shell completes: engines, job types and commands, looked up when someone presses the tabulator."""

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem


class Word(click.ParamType[str]):
    """Any text; whether it makes sense is for those to say who know the settings."""

    def __init__(self, name: str, known: Callable[[], Iterable[str]]) -> None:
        self.name = name
        self._known = known

    def convert(self, value: str, _param: click.Parameter | None, _ctx: click.Context | None) -> str:
        return value

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in self._known() if word.startswith(incomplete)]


def job_types() -> list[str]:
    """What processors on this machine serve."""
    from blobforge import wiring

    return sorted(wiring.processors_by_type())


def _engines() -> Iterable[str]:
    from blobforge.plugins import Group, names

    return names(Group.ENGINES)


def _commands() -> Iterable[str]:
    from blobforge.cli.main import COMMANDS

    return COMMANDS


ENGINE = Word("engine", _engines)
JOB_TYPE = Word("type", job_types)
COMMAND = Word("command", _commands)
