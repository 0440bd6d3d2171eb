"""ResultStaging and how much they may grow."""

import io
import zipfile

import pytest

from blobforge.worker.bounded_archive import MOST_FILES, open_archive

MEGABYTE = 1 << 20


def archive(*, method: int, **sizes: int) -> io.BytesIO:
    """Files of zeros, which pack to a thousandth."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as writing:
        for name, megabytes in sizes.items():
            writing.writestr(name, bytes(megabytes * MEGABYTE))
    return content


def test_what_is_not_packed_may_be_of_any_size() -> None:
    with open_archive(archive(method=zipfile.ZIP_STORED, one=40, two=40)) as opened:
        assert opened.namelist() == ["one", "two"]


def test_a_result_of_very_many_files_is_refused_however_small_they_are() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as writing:
        for number in range(MOST_FILES + 1):
            writing.writestr(f"assets/{number}", b"")

    with pytest.raises(ValueError, match="it holds 100,001 files, and a result has at most 100,000"):
        open_archive(content)


def test_a_small_result_that_packs_well_is_no_bomb() -> None:
    with open_archive(archive(method=zipfile.ZIP_DEFLATED, one=10, two=10)) as opened:
        assert opened.testzip() is None


@pytest.mark.parametrize(
    ("sizes", "said"),
    [({"one": 20}, "'one', which grows to"), ({f"f{number}": 10 for number in range(8)}, "would become 83,886,080")],
    ids=["one file", "all together"],
)
def test_a_bomb_is_refused_before_it_is_read(sizes: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        open_archive(archive(method=zipfile.ZIP_DEFLATED, **sizes))
