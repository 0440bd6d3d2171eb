"""What one source of settings gives: raw values, each with where it came from."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Layer(StrEnum):
    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a value came from: `environment BLOBFORGE_SLOTS`, `file /srv/blobforge.toml`, `default`."""

    layer: Layer
    place: str = ""

    def __str__(self) -> str:
        return f"{self.layer} {self.place}".strip()


class Given(NamedTuple):
    value: object
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSettings:
    """`refused` are errors; `doubts` are warnings, and errors where settings are strict."""

    given: Mapping[str, Given] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name; empty where nothing is near."""
    nearest = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.75)
    return f"; did you mean {nearest[0]}?" if nearest else ""
