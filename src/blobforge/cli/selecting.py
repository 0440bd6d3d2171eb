"""Options by which commands choose among the documents that they find: the same words everywhere."""

import re
from collections.abc import Callable
from typing import TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., object])

_UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9}
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]*)", re.IGNORECASE)


class SizeType(click.ParamType[int]):
    """Bytes, as people write them: 500kB, 50MB, 1.5 GB."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(str(value).strip())
        unit = _UNITS.get(found[2].lower()) if found else None
        if found is None or unit is None:
            self.fail(f"{value!r} is no size; write it as 500kB, 50MB or 1.5GB", param, ctx)
        return round(float(found[1]) * unit)


def selection_options(function: Function) -> Function:
    """Gives a command `--include`, `--exclude` and `--max-size`, as keywords of those names."""
    for option in (
        click.option("--max-size", type=SizeType(), metavar="SIZE", help="Pass over larger documents, as 50MB."),
        click.option("--exclude", multiple=True, metavar="PATTERN", help="Pass over these names or folders."),
        click.option("--include", multiple=True, metavar="PATTERN", help="Only these names or folders."),
    ):
        function = option(function)
    return function
