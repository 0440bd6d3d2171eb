"""Five priorities by number, name and slug."""

import pytest

from blobforge.domain.errors import InvalidValue
from blobforge.domain.priority import Priority, check_priority, parse_priority

FIVE = [
    (Priority.CRITICAL, 1, "Critical", "1_critical"),
    (Priority.HIGH, 2, "High", "2_high"),
    (Priority.NORMAL, 3, "Normal", "3_normal"),
    (Priority.LOW, 4, "Low", "4_low"),
    (Priority.BACKGROUND, 5, "Background", "5_background"),
]


@pytest.mark.parametrize(("priority", "number", "label", "slug"), FIVE)
def test_a_priority_has_a_number_a_label_and_a_slug(priority: Priority, number: int, label: str, slug: str) -> None:
    """R1-100."""
    assert (int(priority), priority.label, priority.slug) == (number, label, slug)


@pytest.mark.parametrize(("priority", "number", "label", "slug"), FIVE)
def test_each_way_of_writing_a_priority_is_understood(priority: Priority, number: int, label: str, slug: str) -> None:
    written: list[str | int] = [number, str(number), f" {number} ", label, label.upper(), slug, slug.upper()]

    assert [parse_priority(text) for text in written] == [priority] * len(written)


@pytest.mark.parametrize("text", [0, 6, -1, "", "urgent", "1_high", "1.0", "critical 1"])
def test_what_is_no_priority_is_refused_with_those_that_are(text: str | int) -> None:
    with pytest.raises(InvalidValue, match="use 1 to 5, or one of 1_critical, 2_high"):
        parse_priority(text)


def test_a_number_is_checked_and_given_back() -> None:
    assert [check_priority(number) for number in range(1, 6)] == [1, 2, 3, 4, 5]
    with pytest.raises(InvalidValue, match="0 is no priority: use 1 to 5"):
        check_priority(0)
