"""Reads JSON that another version or program or a person wrote: what is not as expected is None, never an error."""

import json
import math
from datetime import UTC, datetime

from blobforge.domain.json_value import JsonObject, JsonValue

LARGEST = 2**63 - 1


def json_in(text: str | None) -> JsonValue:
    """None for what is no JSON, or too deep to be read."""
    try:
        said: JsonValue = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return said


def whole_in(value: JsonValue) -> int | None:
    """A count or an id, also one that was written as text; nothing negative. Exact: ids pass what a float can hold."""
    if isinstance(value, str) and value.isdecimal() and len(value) <= len(str(LARGEST)):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 <= value <= LARGEST else None
    number = number_in(value)
    return None if number is None else int(number)


def number_in(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0 <= number <= LARGEST else None


def text_in(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def time_in(value: JsonValue) -> datetime | None:
    """With its time zone; UTC where none was written."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def object_in(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def list_in(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
