"""Reads JSON that another version or program or a person wrote: what is not as expected is None, never an error."""

import json
import math
from collections.abc import Iterable
from datetime import UTC, datetime

from blobforge.domain.json_value import JsonObject, JsonValue

LARGEST = 2**63 - 1
DEEPEST = 100
"""Nothing of ours is nested like that; and what can just be read might not be written or shown any more."""
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
"""Between them every time can be put into another zone, and into an id."""


def json_in(text: str | bytes | None) -> JsonValue:
    """None for what is no JSON, or too deep to be read."""
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        said: JsonValue = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    # Counting brackets takes next to nothing, and of nearly everything there are few.
    if text and text.count("[") + text.count("{") > DEEPEST and _is_deep(said):
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
    """With its time zone; UTC where none was written. None for one that no clock has ever shown."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if moment is None:
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return moment if EARLIEST <= moment < LATEST else None


def object_in(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def list_in(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _is_deep(value: JsonValue) -> bool:
    """Level by level: a function that calls itself would not come to the end of what is deep."""
    level = [value]
    for _ in range(DEEPEST):
        level = [part for whole in level if isinstance(whole, dict | list) for part in _parts(whole)]
        if not level:
            return False
    return True


def _parts(whole: JsonObject | list[JsonValue]) -> Iterable[JsonValue]:
    return whole.values() if isinstance(whole, dict) else whole
