"""JSON that someone else wrote."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from blobforge.domain.json_value import JsonValue, canonical_json
from blobforge.domain.loose_json import json_in, list_in, number_in, object_in, text_in, time_in, whole_in

ODD: list[JsonValue] = [None, True, "", "x", "nan", "inf", -1, [], {}, float("nan"), 10**400, "1" * 400]


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "nobody", "[" * 100_000, '{"a":' * 100_000, "9" * 5_000, "[" * 101 + "]" * 101),
        *(b"", b"{", b"\xff\xfe\x00", b"[" * 100_000, b'{"a":' * 900 + b"1" + b"}" * 900),
    ],
    ids=range(12),
)
def test_what_is_no_json_or_too_deep_is_none(text: str | bytes) -> None:
    """R2-46."""
    assert json_in(text) is None


def test_much_is_read_as_long_as_it_is_flat() -> None:
    rows: list[JsonValue] = [[1, {"a": []}]] * 10_000

    assert json_in(canonical_json(rows)) == rows
    assert json_in(canonical_json(rows).encode()) == rows
    assert json_in("[" * 100 + "]" * 100) is not None


@pytest.mark.parametrize("value", ODD)
def test_what_is_no_number_is_none(value: JsonValue) -> None:
    """R2-46."""
    assert whole_in(value) is None
    assert number_in(value) is None


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, 3), ("3", 3), (3.7, 3), (" 12 ", 12), (0, 0), (2**60 + 1, 2**60 + 1), ("9007199254740993", 9007199254740993)],
)
def test_a_count_may_be_written_as_text(value: JsonValue, number: int) -> None:
    """R2-46."""
    assert whole_in(value) == number


def test_a_number_keeps_its_fraction() -> None:
    assert number_in("2.5") == 2.5


@pytest.mark.parametrize("value", [None, 3, [], {}, ""])
def test_what_is_no_text_is_none(value: JsonValue) -> None:
    assert text_in(value) is None


def test_a_time_has_its_zone() -> None:
    """R2-15."""
    assert time_in("2026-01-01T12:00:00Z") == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert time_in("2026-01-01T12:00:00") == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert time_in("2026-01-01T12:00:00+02:00") == datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize("value", [None, "soon", 5, [], "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_what_is_no_time_is_none(value: JsonValue) -> None:
    assert time_in(value) is None


def test_what_is_no_object_or_list_is_an_empty_one() -> None:
    assert object_in({"a": 1}) == {"a": 1}
    assert object_in([1]) == {}
    assert list_in([1]) == [1]
    assert list_in("text") == []
