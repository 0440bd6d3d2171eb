"""Text in the headers of an object."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blobforge.domain.errors import InvalidValue
from blobforge.objectstore.metadata import MOST_BYTES, decoded, encoded

TEXTS = st.text(max_size=60)


def size(headers: dict[str, str]) -> int:
    return sum(len("x-amz-meta-") + len(name) + len(value) for name, value in headers.items())


@given(st.dictionaries(st.sampled_from(["original-name", "tags", "nonce"]), TEXTS))
def test_text_of_any_script_survives(metadata: dict[str, str]) -> None:
    """R0-38."""
    headers = encoded(metadata)

    assert all(value.isascii() and value.strip() == value for value in headers.values())
    assert decoded(headers) == metadata


def test_plain_text_stays_readable() -> None:
    assert encoded({"original-name": "On the Electrodynamics (1905), v2.pdf"}) == {
        "original-name": "On the Electrodynamics (1905), v2.pdf"
    }


def test_percents_and_spaces_at_the_ends_are_kept() -> None:
    assert decoded(encoded({"tags": " 100%41  sure "})) == {"tags": " 100%41  sure "}


def test_what_another_program_wrote_is_read_as_far_as_it_goes() -> None:
    assert decoded({"Original-Name": "100% sure", "tags": "%FF"}) == {"original-name": "100% sure", "tags": "\ufffd"}


def test_a_name_that_is_no_text_is_kept_as_far_as_possible() -> None:
    assert decoded(encoded({"original-name": "a\udcffb"})) == {"original-name": "a?b"}


def test_a_long_value_is_cut_at_a_whole_character_and_short_ones_stay_whole() -> None:
    headers = encoded({"nonce": "0f" * 16, "tags": "本" * 2000, "size": "12345"})

    found = decoded(headers)
    assert (found["nonce"], found["size"]) == ("0f" * 16, "12345")
    assert found["tags"].endswith("本…")
    assert size(headers) <= MOST_BYTES


def test_two_long_values_are_cut_to_one_length() -> None:
    headers = encoded({"original-name": "a" * 3000, "tags": "b" * 1500})

    assert len(decoded(headers)["original-name"]) == len(decoded(headers)["tags"])
    assert MOST_BYTES - 2 <= size(headers) <= MOST_BYTES


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=6), st.text(max_size=900), max_size=12))
def test_whatever_is_given_fits(metadata: dict[str, str]) -> None:
    assert size(encoded(metadata)) <= MOST_BYTES


def test_more_names_than_fit_are_refused() -> None:
    with pytest.raises(InvalidValue, match="300 names"):
        encoded({f"name-{number}": "value" for number in range(300)})


@pytest.mark.parametrize("name", ["", "Name", "two words", "under_score", "größe", "-a", "a:b"])
def test_a_name_that_no_header_can_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidValue, match="cannot be a name"):
        encoded({name: ""})
