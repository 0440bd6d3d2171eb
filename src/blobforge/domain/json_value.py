"""JSON as a type, and its one canonical text, by which equal things have equal bytes."""

import json
from collections.abc import Mapping, Sequence

JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
JsonObject = Mapping[str, JsonValue]


def canonical_json(value: JsonValue) -> str:
    """Sorted keys, no spaces, text as it is; what is no valid text (a file's name) is escaped, as JSON allows."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
