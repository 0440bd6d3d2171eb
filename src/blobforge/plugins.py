"""Processors, engines, queues and stores by name, from the entry points of installed packages. Listing them imports
none."""

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar, NamedTuple, Protocol, TypeVar, cast

from blobforge.domain.errors import (
    BlobForgeError,
    EngineUnavailable,
    InvalidOptions,
    InvalidSettings,
    UnknownProcessor,
)
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Processor
from blobforge.ports.queue_backend import QueueBackend
from blobforge.ports.store_backend import StoreBackend

Backend = TypeVar("Backend")


class Group(StrEnum):
    PROCESSORS = "blobforge.processors"
    ENGINES = "blobforge.engines"
    QUEUES = "blobforge.queues"
    STORES = "blobforge.stores"


class LoadableEngine(Protocol):
    info: ClassVar[EngineInfo]


class Plugin(NamedTuple):
    """`package` and `package_version` say whom to ask when it does not work."""

    name: str
    package: str
    package_version: str
    entry_point: EntryPoint


def plugins(group: Group) -> tuple[Plugin, ...]:
    """All that are installed, by name. Two packages that claim one name are both there."""
    return _found(group)


def names(group: Group) -> tuple[str, ...]:
    return tuple(dict.fromkeys(plugin.name for plugin in plugins(group)))


def load(group: Group, name: str) -> object:
    """What the entry point names. Raises UnknownProcessor, InvalidOptions or InvalidSettings for an unknown name or two
    packages that share it, EngineUnavailable or InvalidSettings when its import fails."""
    plugin = _the_one(group, name)
    with failures_named(group, plugin):
        return cast("object", plugin.entry_point.load())


def load_queue(url: str) -> QueueBackend:
    """The backend of such a URL. Raises InvalidSettings."""
    return _backend(Group.QUEUES, url, QueueBackend)


def load_store(url: str) -> StoreBackend:
    """The backend of such a URL. Raises InvalidSettings."""
    return _backend(Group.STORES, url, StoreBackend)


def _backend(group: Group, url: str, kind: type[Backend]) -> Backend:
    name = scheme_of(url)
    found = load(group, name)
    if not isinstance(found, kind):
        package = _the_one(group, name).package
        raise InvalidSettings(f"{_KINDS[group]} {name!r} of package {package} is no {kind.__name__}")
    return found


def scheme_of(url: str) -> str:
    return url.partition("://")[0].lower()


def load_processor(name: str) -> Processor:
    """Raises UnknownProcessor, EngineUnavailable."""
    plugin = _the_one(Group.PROCESSORS, name)
    with failures_named(Group.PROCESSORS, plugin):
        processor = cast("Processor", plugin.entry_point.load()())
        _ = processor.info  # what is no processor fails here, under its package's name
        return processor


def load_engine(name: str) -> type[LoadableEngine]:
    """Its class, of which only the `info` is known here. Raises InvalidOptions, EngineUnavailable."""
    plugin = _the_one(Group.ENGINES, name)
    with failures_named(Group.ENGINES, plugin):
        found = plugin.entry_point.load()
        if not isinstance(found.info, EngineInfo):
            raise TypeError("its info is no EngineInfo")
        return cast("type[LoadableEngine]", found)


@contextmanager
def failures_named(group: Group, plugin: Plugin) -> Iterator[None]:
    """Around a plugin's code: whatever it raises, but for our own errors, becomes one that names the package."""
    try:
        yield
    except BlobForgeError:
        raise
    except Exception as error:  # anyone's code may raise anything
        raise _BROKEN[group](
            f"{_KINDS[group]} {plugin.name!r} of package {plugin.package} {plugin.package_version} does not work: "
            f"{type(error).__name__}: {error}"
        ) from error


_KINDS = {
    Group.PROCESSORS: "processor",
    Group.ENGINES: "engine",
    Group.QUEUES: "queue backend",
    Group.STORES: "store backend",
}
_UNKNOWN: dict[Group, type[BlobForgeError]] = {
    Group.PROCESSORS: UnknownProcessor,
    Group.ENGINES: InvalidOptions,
    Group.QUEUES: InvalidSettings,
    Group.STORES: InvalidSettings,
}
_BROKEN: dict[Group, type[BlobForgeError]] = {
    Group.PROCESSORS: EngineUnavailable,
    Group.ENGINES: EngineUnavailable,
    Group.QUEUES: InvalidSettings,
    Group.STORES: InvalidSettings,
}


@cache
def _found(group: Group) -> tuple[Plugin, ...]:
    # A package that is on the path twice (an editable install and its wheel) names the same things twice.
    unique = {(plugin.name, plugin.package, plugin.entry_point.value): plugin for plugin in _installed(group)}
    return tuple(unique[key] for key in sorted(unique))


def _installed(group: Group) -> Iterator[Plugin]:
    for entry_point in entry_points(group=group):
        package = entry_point.dist
        yield Plugin(
            name=entry_point.name,
            package=package.name if package else "unknown package",
            package_version=package.version if package else "",
            entry_point=entry_point,
        )


def _the_one(group: Group, name: str) -> Plugin:
    candidates = [plugin for plugin in plugins(group) if plugin.name == name]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        packages = ", ".join(plugin.package for plugin in candidates)
        raise _UNKNOWN[group](f"{_KINDS[group]} {name!r} is in several packages ({packages}): uninstall all but one")
    raise _UNKNOWN[group](_unknown(group, name))


def _unknown(group: Group, name: str) -> str:
    known = names(group)
    nearest = difflib.get_close_matches(name, known, n=1)
    question = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"no {_KINDS[group]} {name!r} is installed: there are {', '.join(known) or 'none'}{question}"
