"""What a write that was cut off leaves: nothing where the store compares digests, and else what counts as nothing."""

from io import BytesIO
from pathlib import Path

import pytest

from blobforge.objectstore.answers import Absent
from blobforge.objectstore.client import Only
from blobforge.objectstore.cut_writes import content_md5, is_remains
from blobforge.testing.builders import hash_of
from blobforge.testing.simulated_bucket import SimulatedBucket

A = hash_of("a")
OUT = f"store/out/{A}.zip"
OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

NEVER_EMPTY = [
    OUT,
    f"lanes/books/pdf/store/out/{A}.zip",
    f"store/recipes/{A}-0123456789abcdef.zip",
    f"outputs/{A[:2]}/{A}-0123456789abcdef.zip",
    f"outputs/{A}.zip",
    f"store/raw/{A}.pdf",
    f"sources/{A}.png",
    f"queue/processing/{A}",
    f"lanes/books/pdf/queue/processing/{A}.g12",
    "queue/hint",
    "lanes/books/pdf/queue/hint",
    "registry/manifest.json",
    "registry/manifest/0-20260101T000000000000Z-0123456789abcdef.json",
    "registry/format.json",
    "registry/identity.json",
    "registry/janitor.json",
    "registry/workers/rack4.4711.ab12cd34.json",
    "registry/records/rack4.json",
    f"registry/logs/{A}/error.json",
]
MAY_BE_EMPTY = [
    f"queue/todo/3_normal/{A}",
    f"queue/failed/{A}",
    f"queue/dead/{A}",
    f"queue/cancelled/{A}",
    f"lanes/books/pdf/queue/todo/1_critical/{A}",
    f"registry/ids/0000000000000000001~default~pdf~{A}",
    f"registry/gaps/0000000000000000001~default~x.json~{A}",
    "registry/lanes/books~x.json",
    "registry/probe/ab/listing/1.json",
    f"store/raw/{OF_NOTHING}.pdf",
    "store/out/",
    "outputs/notes.txt",
    "anything",
]


@pytest.mark.parametrize("name", NEVER_EMPTY)
def test_an_empty_object_under_a_name_whose_content_is_never_empty_is_not_there(name: str) -> None:
    objects = SimulatedBucket().objects()
    objects.put(name, b"")
    names: list[str] = []

    assert objects.get(name) is None
    assert objects.head(name) is None
    assert objects.page("") == []
    assert list(objects.all("", remains=names)) == []
    with pytest.raises(Absent):
        objects.fetch(name, BytesIO())
    left = objects.remains(name)
    assert left is not None
    assert (left.size, names) == (0, [name])


@pytest.mark.parametrize("name", MAY_BE_EMPTY)
def test_an_empty_object_under_another_name_is_there(name: str) -> None:
    objects = SimulatedBucket().objects()
    objects.put(name, b"")

    assert objects.get(name) is not None
    assert objects.head(name) is not None
    assert [facts.name for facts in objects.all("")] == [name]
    assert objects.remains(name) is None


@pytest.mark.parametrize("name", NEVER_EMPTY)
def test_what_has_content_is_there_whatever_its_name(name: str) -> None:
    objects = SimulatedBucket().objects()
    objects.put(name, b"x")

    assert objects.get(name) is not None
    assert objects.remains(name) is None
    assert not is_remains(name, 1)


def test_the_digest_of_a_body_is_that_of_a_file_with_the_same_bytes() -> None:
    file = BytesIO(b"a body")
    file.read()

    assert content_md5(b"a body") == content_md5(file) == "df2YmYFQmVh3fN/Nxm4htQ=="


def test_in_a_store_that_compares_digests_a_cut_write_leaves_what_was_there() -> None:
    bucket = SimulatedBucket()
    first = bucket.objects().put(OUT, b"first")
    bucket.cut_off(OUT)

    assert bucket.objects().put(OUT, b"second", only=Only(if_etag=first)) is not None
    there = bucket.objects().get(OUT)
    assert there is not None
    assert there.body == b"second"


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("way", ["put", "put_file"])
def test_who_tries_again_after_a_cut_replaces_what_it_has_left_itself(way: str, times: int, tmp_path: Path) -> None:
    bucket = SimulatedBucket(compares_digests=False)
    objects = bucket.objects()
    file = tmp_path / "file"
    file.write_bytes(b"a result")

    for only in (Only(if_new=True), Only(if_etag="of the first")):
        if only.if_etag is not None:
            there = objects.head(OUT)
            assert there is not None
            only = Only(if_etag=there.etag)  # noqa: PLW2901 - known once the first is there
            file.write_bytes(b"another result")
        bucket.cut_off(OUT, times=times)
        body, metadata = file.read_bytes(), {"nonce": str(len(file.read_bytes()))}
        etag = (
            objects.put(OUT, body, only=only, metadata=metadata)
            if way == "put"
            else objects.put_file(OUT, file, only=only, metadata=metadata)
        )

        stored = objects.get(OUT)
        assert stored is not None
        assert (stored.etag, stored.body, stored.metadata) == (etag, body, metadata)


def test_a_write_of_something_new_replaces_what_anybody_has_left() -> None:
    bucket = SimulatedBucket()
    bucket.objects().put(OUT, b"", metadata={"nonce": "another's"})

    etag = bucket.objects().put(OUT, b"ours", only=Only(if_new=True))

    stored = bucket.objects().get(OUT)
    assert stored is not None
    assert (stored.etag, stored.body, stored.metadata) == (etag, b"ours", {})
    assert bucket.objects().put(OUT, b"late", only=Only(if_new=True)) is None


def test_of_two_who_replace_what_is_left_one_wins() -> None:
    bucket = SimulatedBucket()
    bucket.objects().put(OUT, b"")
    slow = bucket.objects()
    look = slow.remains

    def look_and_lose(name: str) -> object:
        left = look(name)
        bucket.objects().put(OUT, b"quick", only=Only(if_new=True))
        return left

    slow.remains = look_and_lose  # type: ignore[method-assign, assignment]

    assert slow.put(OUT, b"slow", only=Only(if_new=True)) is None
    stored = bucket.objects().get(OUT)
    assert stored is not None
    assert stored.body == b"quick"


def test_who_changes_an_object_does_not_replace_what_another_has_left_of_it() -> None:
    bucket = SimulatedBucket(compares_digests=False)
    objects = bucket.objects()
    seen = objects.put(OUT, b"seen", metadata={"nonce": "0"})
    bucket.objects().put(OUT, b"", metadata={"nonce": "another's"})
    bucket.cut_off(OUT)

    assert objects.put(OUT, b"ours", only=Only(if_etag=seen), metadata={"nonce": "ours"}) is None
    assert objects.remains(OUT) is not None
