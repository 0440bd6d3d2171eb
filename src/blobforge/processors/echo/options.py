"""What echo can be asked to do, parsed and with defaults."""

import difflib
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import InvalidOptions
from blobforge.domain.json_value import JsonObject, JsonValue

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoOptions:
    slices: int = 1
    units: int = 0
    """How many in all; 0 means one a slice."""
    stage: Literal["plan", "run", "join"] = "run"
    """Where it misbehaves, unless a unit is named."""
    fail: str = ""
    """The code of the error to raise."""
    fail_unit: int = 0
    """This unit comes out as failed; the others are copied."""
    crash: int = 0
    """The signal with which it kills itself."""
    crash_unit: int = 0
    """Crash only when it comes to this unit."""
    exit_code: int = -1
    """Leave at once with it, unless negative."""
    hang_seconds: float = 0.0
    """Wait so long, with signs of life."""
    stall: bool = False
    """Wait for ever, without a word."""
    burn_seconds: float = 0.0
    """Use so much of a processor."""
    eat_bytes: int = 0
    """Allocate and touch so much memory."""
    flood_bytes: int = 0
    """Write so much to stdout and to stderr."""
    write_bytes: int = 0
    """Write so much into the workspace."""
    deaf: bool = False
    """Take no notice of SIGTERM."""
    orphan_seconds: int = 0
    """Start a process that lives so long, and leave it."""

    def as_json(self) -> JsonObject:
        return asdict(self)


def parse_options(options: JsonObject) -> EchoOptions:
    """Values may be text, as a command line gives them. Raises InvalidOptions."""
    parsed: dict[str, Any] = {name: _parse(name, value) for name, value in options.items()}
    return EchoOptions(**parsed)


def _parse(name: str, value: JsonValue) -> object:
    default = _DEFAULTS.get(name)
    if default is None:
        nearest = difflib.get_close_matches(name, _DEFAULTS, n=1)
        hint = f"did you mean {nearest[0]!r}?" if nearest else f"known are {', '.join(_DEFAULTS)}"
        raise InvalidOptions(f"there is no option {name!r}; {hint}")
    try:
        parsed = _PARSERS[type(default)](value)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidOptions(f"{name}={value!r}: expected a value like {default!r}") from error
    _check(name, parsed)
    return parsed


def _check(name: str, value: Any) -> None:
    if name == "fail" and value and value not in all_errors():
        raise InvalidOptions(f"fail={value!r} is no error code")
    if name == "stage" and value not in ("plan", "run", "join"):
        raise InvalidOptions(f"stage={value!r}: use plan, run or join")
    if name == "slices" and value < 1:
        raise InvalidOptions("slices: at least 1")


_PARSERS: dict[type, Callable[[Any], object]] = {
    int: int,
    float: float,
    bool: lambda value: _TRUTHS[str(value).lower()],
    str: str,
}
_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(EchoOptions)}
