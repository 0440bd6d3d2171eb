"""A place in a bucket, as its address names it."""

import pytest

from blobforge.domain.errors import InvalidSettings
from blobforge.objectstore.place import place_of
from blobforge.ports.blob_store import S3Access


@pytest.mark.parametrize(
    ("url", "bucket", "prefix"),
    [("s3://b", "b", ""), ("s3://b/", "b", ""), ("s3://b/x", "b", "x/"), ("s3://b/x/y%20z/", "b", "x/y z/")],
)
def test_a_place_is_a_bucket_and_a_prefix(url: str, bucket: str, prefix: str) -> None:
    place = place_of(url, S3Access())

    assert (place.bucket, place.prefix) == (bucket, prefix)


@pytest.mark.parametrize(
    "url", ["s3://", "s3:///x", "s3://key:secret@b/x", "s3://b/x?region=y", "http://b/x", "s3://b/../x", "s3://b/x/."]
)
def test_what_names_no_place_is_refused_without_telling_keys(url: str) -> None:
    with pytest.raises(InvalidSettings, match="s3://BUCKET") as told:
        place_of(url, S3Access())

    assert "secret" not in str(told.value)
    assert "secret" not in repr(S3Access(secret_access_key="secret"))
