"""Reference ranges: as printed, without what stands around them."""

import pytest

from blobforge.processors.lab_report.notation.numbers import Bounds
from blobforge.processors.lab_report.notation.ranges import bounds_of, is_range, printed_range


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("(13.0 - 17.0)", "13.0 - 17.0"),
        ("[Ref: 13.5–17.5]", "13.5–17.5"),
        ("Reference range: < 5.0", "< 5.0"),
        ("Норма: 3,9 - 6,1", "3,9 - 6,1"),
        ("\ufffd4,500–11,000]", "4,500–11,000"),
        ("12 - 15 (f)", "12 - 15 (f)"),
        ("<5.0 (calc)", "<5.0"),
        ("Not Estab.", "Not Estab."),
        ("", None),
    ],
)
def test_a_range_is_kept_as_printed(text: str, printed: str | None) -> None:
    """R3-20."""
    assert printed_range(text) == printed


@pytest.mark.parametrize(
    "text", ["3-5", "3,8 à 5,9", "< 5", "≥60", "up to 5.0", "bis 5", "до 5,2", "50%-70%", "0.4 to 4.0"]
)
def test_this_is_a_range(text: str) -> None:
    assert is_range(text)


@pytest.mark.parametrize("text", ["5.4", "g/dL", "Negative", "Not Estab."])
def test_this_is_no_range(text: str) -> None:
    assert not is_range(text)


def test_a_range_has_ends() -> None:
    assert bounds_of("3,9 - 10,2", ",") == Bounds(3.9, 10.2)
    assert bounds_of("< 5.0", ".") == Bounds(None, 5.0)
    assert bounds_of("> 60", ".") == Bounds(60.0, None)
    assert bounds_of("m 13-17, f 12-15", ".") == Bounds(None, None)
    assert bounds_of(None, ".") == Bounds(None, None)
