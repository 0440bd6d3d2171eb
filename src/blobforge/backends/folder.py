"""file:///FOLDER: a store in a folder."""

from blobforge.blobs.directory import folder_of, open_store
from blobforge.ports.blob_store import StoreOptions
from blobforge.ports.multipart import Multipart
from blobforge.ports.store_backend import OpenedShards, StoreBackend
from blobforge.ports.transfers import Transfers


def _shards(url: str, options: StoreOptions) -> OpenedShards:
    from blobforge.manifests.folder import FolderShards

    return OpenedShards(FolderShards(folder_of(url), rights=options.rights))


def _transfers(url: str, options: StoreOptions) -> Transfers:
    from blobforge.blobs.directory_transfers import DirectoryTransfers

    return DirectoryTransfers(open_store(url, options))


def _multipart(url: str, options: StoreOptions) -> Multipart:
    from blobforge.blobs.directory_multipart import DirectoryMultipart

    return DirectoryMultipart(open_store(url, options))


STORE = StoreBackend(
    open=open_store,
    check=folder_of,
    shards=_shards,
    transfers=_transfers,
    multipart=_multipart,
    files=lambda url: [folder_of(url)],
)
