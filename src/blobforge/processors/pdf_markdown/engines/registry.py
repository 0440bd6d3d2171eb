"""The engines by name, from the entry points of installed packages. Ours, the default, is known without looking."""

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, cast

from blobforge import extras, plugins
from blobforge.domain.errors import EngineUnavailable
from blobforge.plugins import Group
from blobforge.ports.engine import EngineInfo
from blobforge.processors.pdf_markdown import versions

if TYPE_CHECKING:
    from blobforge.processors.pdf_markdown.engines.engine import Engine

DEFAULT = OURS = versions.OURS
INFO_OF_OURS = EngineInfo(
    distribution="pdf-oxide",
    install="pip install blobforge",
    own_version=versions.VERSION_OF_OURS,
    explains=True,
)
"""Here, and not beside the engine, which is large: every conversion asks for it in the parent process."""


def names() -> tuple[str, ...]:
    """Those that are known here, whether their packages are installed or not."""
    return plugins.names(Group.ENGINES)


def is_known(name: str) -> bool:
    return name == OURS or name in names()


def info_of(name: str) -> EngineInfo:
    """Raises EngineUnavailable, InvalidOptions."""
    return INFO_OF_OURS if name == OURS else engine_class(name).info


@cache
def engine_version(name: str) -> str:
    """Raises EngineUnavailable, InvalidOptions."""
    from importlib import metadata

    info = info_of(name)
    try:
        version = metadata.version(info.distribution)
    except metadata.PackageNotFoundError as error:
        raise not_installed(name, info) from error
    return f"{info.own_version} on {info.distribution} {version}" if info.own_version else version


def installed() -> list[str]:
    """The engines whose packages are here; whether one loads shows when it is used."""
    found: list[str] = []
    for name in names():
        with suppress(EngineUnavailable):
            engine_version(name)
            found.append(name)
    return found


def engine_class(name: str) -> "type[Engine]":
    """Cheap: an engine loads its libraries when it is made, not before. Raises EngineUnavailable, InvalidOptions."""
    if name == OURS:
        # A child need not search the installed packages for the one that it is part of.
        from blobforge.processors.pdf_markdown.engines.blobforge import BlobforgeEngine

        return BlobforgeEngine
    return cast("type[Engine]", plugins.load_engine(name))


def not_installed(name: str, info: EngineInfo) -> EngineUnavailable:
    remark = f" ({info.remark})" if info.remark else ""
    command = extras.as_here(info.install)
    return EngineUnavailable(
        f"the engine {name} is not installed here: its package is {info.distribution}; {command}{remark}"
    )


def not_loadable(name: str, reason: Exception) -> EngineUnavailable:
    return EngineUnavailable(
        f"the engine {name} is installed but does not load: {reason}; it downloads its model "
        "weights at first run, so let it run once where there is a network, or bring the weights with you"
    )
