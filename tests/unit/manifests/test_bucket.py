"""The manifest in a bucket, where writes may be cut off."""

import pytest

from blobforge.manifests.bucket import BucketShards
from blobforge.manifests.manifest import ShardedManifest
from blobforge.ports.shards import MANIFEST, PENDING
from blobforge.testing.builders import hash_of
from blobforge.testing.manifest_contract import seen
from blobforge.testing.simulated_bucket import SimulatedBucket


def manifest_in(bucket: SimulatedBucket) -> ShardedManifest:
    objects = bucket.objects()
    return ShardedManifest(BucketShards(objects), clock=objects)


@pytest.mark.parametrize("name", [MANIFEST, f"{PENDING}0-20260101T000000000000Z-0123456789abcdef.json"])
def test_an_object_that_was_cut_off_while_it_was_written_stops_nobody(name: str) -> None:
    bucket = SimulatedBucket()
    bucket.objects().put(name, b"")

    assert dict(manifest_in(bucket).entries()) == {}
    manifest = manifest_in(bucket)
    manifest.record([seen("handbook")])
    manifest.finish()

    assert set(manifest_in(bucket).entries()) == {hash_of("handbook")}


@pytest.mark.parametrize("compares_digests", [True, False])
@pytest.mark.parametrize("name", [MANIFEST, PENDING])
def test_a_write_that_was_cut_off_loses_nothing_of_what_was_written_before(
    name: str, *, compares_digests: bool
) -> None:
    bucket = SimulatedBucket(compares_digests=compares_digests)
    for document in ("handbook", "atlas"):
        bucket.cut_off(name)
        manifest = manifest_in(bucket)
        manifest.record([seen(document)])
        manifest.finish()

    assert set(manifest_in(bucket).entries()) == {hash_of("handbook"), hash_of("atlas")}
