"""The library call, as far as it comes without a child."""

from pathlib import Path

import pytest

from blobforge import convert
from blobforge.domain.errors import SourceMissing, SourceUnreadable


def test_a_file_that_is_not_there_is_named_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match=r"gone\.pdf is not there"):
        convert(tmp_path / "gone.pdf")


def test_what_cannot_be_read_is_named_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="cannot be read: Is a directory"):
        convert(tmp_path)
