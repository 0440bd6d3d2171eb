"""Options that take a number within bounds."""

from collections.abc import Callable

import click


def within(
    least: float, most: float, *, of: str
) -> Callable[[click.Context, click.Parameter, float | None], float | None]:
    """The callback of an option. click's own range lets pass what is no number at all, which "nan" is."""

    def checked(_ctx: click.Context, _option: click.Parameter, number: float | None) -> float | None:
        if number is not None and not least <= number <= most:
            raise click.BadParameter(f"{number:g} is not between {least:g} and {most:g} {of}")
        return number

    return checked
