"""Options of a processor as people write them on the command line."""

from collections.abc import Iterable

import click

from blobforge.domain.json_value import JsonObject


def parse_options(texts: Iterable[str]) -> JsonObject:
    """From `NAME=VALUE` each."""
    return dict(_pair(text) for text in texts)


def _pair(text: str) -> tuple[str, str | int | bool]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"{text!r} is no NAME=VALUE", param_hint="--option")
    if value.isascii() and value.isdigit():
        return name, int(value)
    return name, {"true": True, "false": False}.get(value.lower(), value)
