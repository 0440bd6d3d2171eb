"""Numbers on the command line that no machine has and no calendar holds."""

import pytest
from tests.unit.cli.conftest import Call


@pytest.mark.parametrize("number", ["nan", "inf", "1e300", "-1"])
@pytest.mark.parametrize(
    ("words", "bounds"),
    [
        (("gc", "--older-than"), "is not between 0 and 36500 days"),
        (("watch", "--interval"), "is not between 0.2 and 3600 seconds"),
        (("janitor", "--loop", "--every"), "is not between 0.2 and 86400 seconds"),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else "",
)
def test_a_number_out_of_bounds_is_refused_with_the_bounds(
    call: Call, words: tuple[str, ...], bounds: str, number: str
) -> None:
    refused = call(*words, number)

    assert refused.exit_code == 2
    assert bounds in " ".join(refused.stderr.split())


@pytest.mark.parametrize("words", [("convert", "--jobs"), ("worker", "--slots")])
def test_no_worker_has_more_children_than_a_machine_can_hold(call: Call, words: tuple[str, str]) -> None:
    refused = call(*words, "9" * 20)

    assert refused.exit_code == 2
    assert "1<=x<=1000" in " ".join(refused.stderr.split())
