"""Whether the addresses of the queue and the store can be used here, and which files of this machine they stand for."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from blobforge import plugins
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings
from blobforge.plugins import Group
from blobforge.ports.queue_backend import QueueBackend
from blobforge.ports.store_backend import StoreBackend

_LOADERS: dict[Group, Callable[[str], QueueBackend | StoreBackend]] = {
    Group.QUEUES: plugins.load_queue,
    Group.STORES: plugins.load_store,
}


def unusable_addresses(settings: Settings) -> Iterator[tuple[str, str]]:
    """The name of the setting, and what is wrong with it. Opens nothing; a scheme that nobody has is not told here."""
    for name, group, url in (("queue", Group.QUEUES, settings.queue), ("store", Group.STORES, settings.store)):
        if plugins.scheme_of(url) in plugins.names(group):
            try:
                _LOADERS[group](url).check(url)
            except InvalidSettings as error:
                yield name, str(error)


def files_of_queue(settings: Settings) -> Sequence[Path]:
    """Those of this machine that the queue is kept in. Raises InvalidSettings."""
    return _files(Group.QUEUES, settings.queue)


def files_of_store(settings: Settings) -> Sequence[Path]:
    """Those of this machine that the store is kept in. Raises InvalidSettings."""
    return _files(Group.STORES, settings.store)


def are_on_this_machine(settings: Settings) -> bool:
    """Whether queue and store are both in files here: what does not open now will not open by itself.

    Raises InvalidSettings.
    """
    return bool(files_of_queue(settings) and files_of_store(settings))


def _files(group: Group, url: str) -> Sequence[Path]:
    # Who opens an address that nobody has is told; not everyone who asks for its files opens it.
    return _LOADERS[group](url).files(url) if plugins.scheme_of(url) in plugins.names(group) else ()
