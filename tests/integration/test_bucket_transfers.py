"""Signed URLs of a bucket, and what is not allowed with them: on a real S3 server."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from urllib.parse import quote

import httpx2
import pytest
from tests.seaweed import Seaweed

from blobforge.blobs.bucket_transfers import BucketTransfers
from blobforge.domain.errors import NotFound
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.transfers import SignedUrl

KEY, OTHER = BlobKey("incoming/1-a"), BlobKey("incoming/2-b")
CONTENT = b"%PDF-1.7 a document"
HOUR = timedelta(hours=1)


@pytest.fixture
def store(seaweed: Seaweed) -> Iterator[ObjectStore]:
    with closing(ObjectStore(Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access))) as store:
        yield store


@pytest.fixture
def transfers(store: ObjectStore) -> BucketTransfers:
    return BucketTransfers(store, store)


@pytest.fixture
def plain() -> Iterator[httpx2.Client]:
    """Somebody without keys."""
    with httpx2.Client(timeout=30) as client:
        yield client


def signed(transfers: BucketTransfers, key: BlobKey, method: str, *, size: int | None = None) -> SignedUrl:
    url = transfers.signed(key, method=method, valid_for=HOUR, size=size)  # type: ignore[arg-type]
    assert url is not None
    return url


def is_there(store: ObjectStore, key: str) -> bool:
    return store.head(key) is not None


def test_what_was_signed_is_written_and_read(transfers: BucketTransfers, plain: httpx2.Client) -> None:
    put = signed(transfers, KEY, "PUT", size=len(CONTENT))

    assert plain.put(put.url, content=CONTENT, headers=dict(put.headers)).is_success

    get = signed(transfers, KEY, "GET")
    assert plain.get(get.url).content == CONTENT
    assert plain.get(get.url, headers={"Range": "bytes=1-3"}).content == CONTENT[1:4]


@pytest.mark.parametrize("content", [CONTENT + b"x", CONTENT[:-1], b""], ids=["longer", "shorter", "empty"])
def test_a_body_of_another_length_than_was_signed_is_refused(
    store: ObjectStore, transfers: BucketTransfers, plain: httpx2.Client, content: bytes
) -> None:
    put = signed(transfers, KEY, "PUT", size=len(CONTENT))

    assert plain.put(put.url, content=content).status_code == 403
    assert not is_there(store, KEY)


def test_a_url_is_for_its_key_alone(store: ObjectStore, transfers: BucketTransfers, plain: httpx2.Client) -> None:
    put = signed(transfers, KEY, "PUT", size=len(CONTENT))
    assert plain.put(put.url, content=CONTENT).is_success
    get = signed(transfers, KEY, "GET")
    other, here = quote(OTHER), quote(KEY)

    assert plain.put(put.url.replace(here, other), content=CONTENT).status_code == 403
    assert plain.get(get.url.replace(here, other)).status_code == 403
    assert plain.get(get.url.replace(f"/{here}", "")).status_code == 403
    assert not is_there(store, OTHER)


def test_a_url_is_for_its_method_alone(store: ObjectStore, transfers: BucketTransfers, plain: httpx2.Client) -> None:
    put, get = signed(transfers, KEY, "PUT", size=len(CONTENT)), signed(transfers, KEY, "GET")
    assert plain.put(put.url, content=CONTENT).is_success

    assert plain.get(put.url).status_code == 403
    assert plain.put(get.url, content=b"other bytes").status_code == 403
    assert plain.delete(put.url).status_code == 403
    assert plain.delete(get.url).status_code == 403
    assert plain.get(get.url).content == CONTENT


def test_a_signature_that_was_changed_opens_nothing(transfers: BucketTransfers, plain: httpx2.Client) -> None:
    put, get = signed(transfers, KEY, "PUT", size=len(CONTENT)), signed(transfers, KEY, "GET")
    assert plain.put(put.url, content=CONTENT).is_success

    assert plain.get(get.url[:-4] + "0000").status_code == 403
    assert plain.get(get.url.replace("X-Amz-Expires=3600", "X-Amz-Expires=604800")).status_code == 403
    assert plain.get(get.url.partition("?")[0]).status_code == 403


def test_a_url_that_has_expired_opens_nothing(transfers: BucketTransfers, plain: httpx2.Client) -> None:
    put = signed(transfers, KEY, "PUT", size=len(CONTENT))
    assert plain.put(put.url, content=CONTENT).is_success
    # A store has its own clock: what ends at once has ended when it arrives.
    get = transfers.signed(KEY, method="GET", valid_for=timedelta(seconds=0))

    assert get is not None
    assert plain.get(get.url).status_code in (400, 403)


def test_a_copy_stays_in_the_bucket_and_replaces_what_was_there(
    store: ObjectStore, transfers: BucketTransfers, plain: httpx2.Client
) -> None:
    for key, content in ((KEY, CONTENT), (OTHER, b"before")):
        put = signed(transfers, key, "PUT", size=len(content))
        assert plain.put(put.url, content=content).is_success

    transfers.copy(KEY, OTHER)

    assert plain.get(signed(transfers, OTHER, "GET").url).content == CONTENT
    assert is_there(store, KEY)


def test_what_is_not_there_is_not_copied(store: ObjectStore, transfers: BucketTransfers) -> None:
    with pytest.raises(NotFound):
        transfers.copy(KEY, OTHER)

    assert not is_there(store, OTHER)
