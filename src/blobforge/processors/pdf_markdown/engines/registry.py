"""The engines by name. Asking for a name or a version imports nothing heavy."""

from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from blobforge.domain.errors import EngineUnavailable
from blobforge.processors.pdf_markdown import versions

if TYPE_CHECKING:
    from blobforge.processors.pdf_markdown.engines.engine import Engine

DEFAULT = OURS = versions.OURS
EXPLAINING = frozenset({OURS})
"""Engines that give passages, from which an explanation can be made."""

_HERE = "blobforge.processors.pdf_markdown.engines"


class EngineEntry(NamedTuple):
    """`distribution` is the package that it comes from; `remark` is what a user should know before installing it."""

    name: str
    distribution: str
    class_name: str
    extra: str | None = None
    remark: str = ""
    own_version: str = ""
    """Of what we add to the package; part of the recipe, so that results are made anew when it changes."""


ENGINES = {
    entry.name: entry
    for entry in (
        EngineEntry(OURS, "pdf-oxide", "BlobforgeEngine", own_version=versions.VERSION_OF_OURS),
        EngineEntry("liteparse", "liteparse", "LiteparseEngine", "liteparse"),
        EngineEntry("pymupdf4llm", "pymupdf4llm", "Pymupdf4llmEngine", "pymupdf4llm", "its licence is the AGPL"),
        EngineEntry("marker", "marker-pdf", "MarkerEngine", "marker", "it downloads its model weights at first run"),
        EngineEntry("docling", "docling", "DoclingEngine", "docling", "it downloads its model weights at first run"),
    )
}


@cache
def engine_version(name: str) -> str:
    """Raises EngineUnavailable."""
    from importlib import metadata

    entry = ENGINES[name]
    try:
        version = metadata.version(entry.distribution)
    except metadata.PackageNotFoundError as error:
        raise not_installed(name) from error
    return f"{entry.own_version} on {entry.distribution} {version}" if entry.own_version else version


def installed() -> list[str]:
    """The engines whose packages are here; whether one loads shows when it is used."""
    found: list[str] = []
    for name in ENGINES:
        with suppress(EngineUnavailable):
            engine_version(name)
            found.append(name)
    return found


def engine_class(name: str) -> "type[Engine]":
    """Cheap: an engine loads its libraries when it is made, not before."""
    module = import_module(f"{_HERE}.{name}")
    found: type[Engine] = getattr(module, ENGINES[name].class_name)
    return found


def not_installed(name: str) -> EngineUnavailable:
    entry = ENGINES[name]
    package = "blobforge" if entry.extra is None else f"blobforge[{entry.extra}]"
    remark = f" ({entry.remark})" if entry.remark else ""
    return EngineUnavailable(
        f"the engine {name} is not installed here: its package is {entry.distribution}; pip install '{package}'{remark}"
    )


def not_loadable(name: str, reason: Exception) -> EngineUnavailable:
    return EngineUnavailable(
        f"the engine {name} is installed but does not load: {reason}; it downloads its model "
        "weights at first run, so let it run once where there is a network, or bring the weights with you"
    )
