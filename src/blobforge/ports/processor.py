"""Code that turns a source into a result. It runs in a child process; only `info` and `recipe` run elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from blobforge.domain.ids import SourceHash
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorInfo:
    """`types` are the job types (queues) that it serves.

    `discreet`: what its documents say is nobody else's business. Of an unforeseen error only its type and its place in
    the code are told then, and what its libraries print is heard by nobody.
    """

    name: str
    version: str
    summary: str
    types: tuple[str, ...]
    discreet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One document's work. The workspace is an empty folder of its own that all slices share.

    `secrets` (passwords) reach the child by its pipe alone; they never enter a recipe, a log or a result.
    `at_once` says that plan, run and join follow each other in this process, on the same processor: then nothing has
    to be left in the workspace between them.
    """

    source: Path
    source_name: str
    source_hash: SourceHash
    workspace: Path
    options: JsonObject = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    at_once: bool = False


class Slice(NamedTuple):
    """A range of units (pages), counted from 1, both ends included."""

    first: int
    last: int


class Gap(NamedTuple):
    """Units on which every child died: the result must account for them."""

    slice: Slice
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a document is cut. `units` are pages; `notes` are carried to run and join as they are."""

    slices: tuple[Slice, ...]
    notes: JsonObject = field(default_factory=dict)

    @property
    def units(self) -> int:
        return sum(part.last - part.first + 1 for part in self.slices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """The finished archive in the workspace, and what the job's record keeps of it."""

    archive: Path
    summary: JsonObject


class Progress(NamedTuple):
    """`current` units of this call are done; `stage` is a word for people."""

    stage: str
    current: int
    total: int


Report = Callable[[Progress], None]


class Processor(Protocol):
    @property
    def info(self) -> ProcessorInfo:
        """Cheap: no heavy import happens before `plan`."""
        ...

    def recipe(self, options: JsonObject) -> Recipe:
        """The recipe of these options, defaults filled in; cheap too. Raises InvalidOptions, EngineUnavailable."""
        ...

    def mended(self, options: JsonObject) -> frozenset[str]:
        """Codes of failed units that would not fail now, because what was missing is there."""
        ...

    def plan(self, task: Task) -> Plan:
        """Looks at the source and says how to cut it. Raises SourceError, EngineUnavailable."""
        ...

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        """Does one slice and leaves it in the workspace; doing it twice gives the same.

        A unit that fails by itself is accounted for, not raised.
        """
        ...

    def join(self, task: Task, plan: Plan, gaps: Sequence[Gap], report: Report) -> Product:
        """Puts the slices together into one deterministic archive.

        Raises ProcessingError, SourceError; also where no unit of the document is left.
        """
        ...
