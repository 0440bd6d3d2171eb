"""What every store must do that takes files in parts: subclass this, and give `multipart` and `blobs`.

The first part has the least size that S3 takes of any part but the last.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from blobforge.domain.errors import NotFound
from blobforge.domain.uploads import FilePart
from blobforge.ports.blob_store import BlobKey, BlobStore
from blobforge.ports.multipart import Multipart

FIRST, LAST = b"a" * (5 * 1024 * 1024), b"the end"
PARTS = [FilePart(1, 0, len(FIRST)), FilePart(2, len(FIRST), len(LAST))]
KEY, OTHER = BlobKey("incoming/1-a"), BlobKey("incoming/1-ab")


class MultipartContract:
    @pytest.fixture
    def blobs(self) -> BlobStore:
        raise NotImplementedError

    @pytest.fixture
    def multipart(self, blobs: BlobStore) -> Multipart:
        raise NotImplementedError

    def send(self, multipart: Multipart, number: int, content: bytes, path: Path, *, key: BlobKey = KEY) -> None:
        path.write_bytes(content)
        multipart.take(key, number, path)
        assert not path.exists()

    def test_the_parts_make_a_blob_when_they_are_joined_and_not_before(
        self, multipart: Multipart, blobs: BlobStore, tmp_path: Path
    ) -> None:
        multipart.begun(KEY)
        self.send(multipart, 2, LAST, tmp_path / "part")
        self.send(multipart, 1, FIRST, tmp_path / "part")
        assert blobs.stat(KEY) is None
        assert list(blobs.list("")) == []

        multipart.join(multipart.begun(KEY), PARTS)

        with blobs.open(KEY) as stream:
            assert stream.read() == FIRST + LAST
        assert multipart.found(KEY) is None

    def test_what_came_is_known_to_whoever_goes_on(self, multipart: Multipart, tmp_path: Path) -> None:
        assert multipart.found(KEY) is None
        begun = multipart.begun(KEY)
        self.send(multipart, 1, FIRST, tmp_path / "part")

        upload = multipart.begun(KEY)

        assert (upload.key, upload.id) == (KEY, begun.id)
        assert dict(upload.parts) == {1: len(FIRST)}

    def test_a_part_that_comes_again_replaces_the_one_before(
        self, multipart: Multipart, blobs: BlobStore, tmp_path: Path
    ) -> None:
        multipart.begun(KEY)
        self.send(multipart, 1, b"wrong", tmp_path / "part")
        self.send(multipart, 1, LAST, tmp_path / "part")

        multipart.join(multipart.begun(KEY), [FilePart(1, 0, len(LAST))])

        with blobs.open(KEY) as stream:
            assert stream.read() == LAST

    @pytest.mark.parametrize("content", [None, LAST[1:], LAST + b"x"], ids=["missing", "short", "long"])
    def test_nothing_is_joined_while_a_part_is_not_as_it_should_be(
        self, multipart: Multipart, blobs: BlobStore, tmp_path: Path, content: bytes | None
    ) -> None:
        multipart.begun(KEY)
        self.send(multipart, 1, FIRST, tmp_path / "part")
        if content is not None:
            self.send(multipart, 2, content, tmp_path / "part")

        with pytest.raises(NotFound):
            multipart.join(multipart.begun(KEY), PARTS)

        assert blobs.stat(KEY) is None
        self.send(multipart, 2, LAST, tmp_path / "part")
        multipart.join(multipart.begun(KEY), PARTS)
        assert blobs.stat(KEY) is not None

    def test_the_parts_of_another_upload_are_not_touched(
        self, multipart: Multipart, blobs: BlobStore, tmp_path: Path
    ) -> None:
        """The one key is the beginning of the other."""
        for key in (KEY, OTHER):
            multipart.begun(key)
            self.send(multipart, 1, LAST, tmp_path / "part", key=key)

        multipart.abandon(multipart.begun(KEY))

        assert multipart.found(KEY) is None
        other = multipart.found(OTHER)
        assert other is not None
        assert dict(other.parts) == {1: len(LAST)}

    def test_what_is_abandoned_is_gone_and_may_be_abandoned_again(self, multipart: Multipart, tmp_path: Path) -> None:
        multipart.begun(KEY)
        self.send(multipart, 1, LAST, tmp_path / "part")
        upload = multipart.begun(KEY)

        multipart.abandon(upload)
        multipart.abandon(upload)

        assert multipart.found(KEY) is None
        with pytest.raises(NotFound):
            multipart.join(upload, [FilePart(1, 0, len(LAST))])

    def test_the_abandoned_ones_are_those_that_are_old(self, multipart: Multipart, tmp_path: Path) -> None:
        multipart.begun(KEY)
        self.send(multipart, 1, LAST, tmp_path / "part")
        now = datetime.now(UTC)

        assert list(multipart.abandoned("incoming/", before=now - timedelta(hours=1))) == []
        assert list(multipart.abandoned("outputs/", before=now + timedelta(hours=1))) == []
        (found,) = multipart.abandoned("incoming/", before=now + timedelta(hours=1))

        assert found.key == KEY
        assert dict(found.parts) == {1: len(LAST)}
