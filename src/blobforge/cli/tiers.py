"""A priority as people give it on the command line."""

import click
from click.shell_completion import CompletionItem

from blobforge.domain.errors import InvalidValue
from blobforge.domain.priority import Priority, parse_priority


class _Tier(click.ParamType[Priority]):
    name = "tier"

    def convert(self, value: str | Priority, param: click.Parameter | None, ctx: click.Context | None) -> Priority:
        try:
            return parse_priority(value)
        except InvalidValue as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        names = (priority.name.lower() for priority in Priority)
        return [CompletionItem(name) for name in names if name.startswith(incomplete.lower())]


TIER = _Tier()
