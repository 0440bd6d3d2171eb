"""Sizes as people write them."""

import click
import pytest

from blobforge.cli.selecting import SizeType


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("512", 512), ("500kB", 500_000), ("50MB", 50_000_000), ("1.5 gb", 1_500_000_000), ("2M", 2_000_000)],
)
def test_a_size_is_a_number_with_a_unit(text: str, size: int) -> None:
    assert SizeType().convert(text, None, None) == size


@pytest.mark.parametrize("text", ["", "MB", "-1", "5 XB", "1,5GB", "1e9", "9" * 40])
def test_what_is_no_size_is_refused_with_examples(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"is no size; write it as 500kB, 50MB or 1\.5GB"):
        SizeType().convert(text, None, None)
