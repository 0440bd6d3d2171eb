"""Code that turns a source into a result. It runs in a child process; only `info` and `recipe` run elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from blobforge.domain.errors import TooManyPages, TooManyPictures
from blobforge.domain.ids import SourceHash
from blobforge.domain.json_value import JsonObject
from blobforge.domain.recipe import Recipe


class VersionChange(NamedTuple):
    """What a version changed in results, for people who have older ones.

    `engine` is the engine whose version it is; empty for a version of the processor itself.
    """

    version: str
    summary: str
    engine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorInfo:
    """`types` are the job types (queues) that it serves. `changes` are its versions and those of its engines, oldest
    first: what `blobforge plan` says of results that an older version made.

    `discreet`: its documents are confidential. Of an unforeseen error only the type and the position in the code are
    reported then, and the output of its libraries is discarded.
    """

    name: str
    version: str
    summary: str
    types: tuple[str, ...]
    discreet: bool = False
    changes: tuple[VersionChange, ...] = ()


class DocumentLimits(NamedTuple):
    """Limits of one document. A processor that can count early raises before it has spent much."""

    pages: int = 50_000
    pictures: int = 50_000

    def require_pages(self, name: str, pages: int) -> None:
        """Raises TooManyPages."""
        if pages > self.pages:
            raise TooManyPages(f"{name}: it has {pages:,} pages, and conversion_max_pages allows {self.pages:,}")

    def require_pictures(self, name: str, pictures: int) -> None:
        """Raises TooManyPictures."""
        if pictures > self.pictures:
            raise TooManyPictures(
                f"{name}: it has more than {self.pictures:,} pictures, and conversion_max_pictures allows no more"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One document's work. The workspace is a folder of its own: what one step leaves there, later ones find. Slices
    that run at the same time do not see each other, and its path may be another at each step.

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
    limits: DocumentLimits = field(default_factory=DocumentLimits)
    may_decline: bool = False
    """Another worker may be better equipped: what was asked for and is missing here raises, instead of a fallback."""


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
    """Equal tasks give equal results, whatever the machine: results are kept by content and recipe."""

    @property
    def info(self) -> ProcessorInfo:
        """Cheap: no heavy import happens before `plan`."""
        ...

    def recipe(self, options: JsonObject) -> Recipe:
        """The recipe of these options, defaults filled in; cheap too. Raises InvalidOptions, EngineUnavailable.

        It names the options that leave out some of the document, whose results no queue publishes.
        """
        ...

    def needs(self, options: JsonObject, *, refused: str | None = None) -> frozenset[str]:
        """What a worker must have for these options, beyond what every installation has: `blobforge.domain.needs`.

        With `refused`, the code of a document that was refused here: what was missing for that document. It is
        empty where no other worker would do better. Cheap; it does not ask what is installed. Raises InvalidOptions.
        """
        ...

    def has(self) -> frozenset[str]:
        """What is installed here, in the same words."""
        ...

    def mended(self, options: JsonObject) -> frozenset[str]:
        """Codes of failed and of doubtful units that would be better now, because what was missing is there."""
        ...

    def plan(self, task: Task) -> Plan:
        """Reads the source and decides how to cut it. Raises SourceError, EngineUnavailable."""
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
