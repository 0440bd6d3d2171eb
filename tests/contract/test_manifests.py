"""Every manifest under the one contract: in a folder and in a bucket."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.seaweed import Seaweed

from blobforge.clock import SystemClock
from blobforge.manifests.bucket import BucketShards
from blobforge.manifests.folder import FolderShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.testing.manifest_contract import ManifestContract, OpenManifest


class TestFolder(ManifestContract):
    @pytest.fixture
    def open_manifest(self, tmp_path: Path) -> OpenManifest:
        return lambda: ShardedManifest(FolderShards(tmp_path, durable=False), clock=SystemClock())


class TestBucket(ManifestContract):
    @pytest.fixture
    def open_manifest(self, seaweed: Seaweed) -> Iterator[OpenManifest]:
        place = Place(seaweed.bucket, f"a prefix/{uuid.uuid4().hex}/", seaweed.access)
        with closing(ObjectStore(place)) as objects:
            yield lambda: ShardedManifest(BucketShards(objects), clock=objects)
