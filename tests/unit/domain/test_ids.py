"""Names that come from outside are checked where they come in."""

import pytest

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import JobKey, parse_name, parse_source_hash
from blobforge.testing.builders import a_job, hash_of, new_job


def test_a_sha_256_is_a_source_hash() -> None:
    assert parse_source_hash("0123456789abcdef" * 4) == "0123456789abcdef" * 4


@pytest.mark.parametrize("text", ["", "a" * 63, "a" * 65, "A" * 64, "g" * 64, "a" * 64 + "\n", " " + "a" * 63])
def test_what_is_no_sha_256_in_lower_case_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="64 lower-case hexadecimal digits"):
        parse_source_hash(text)


@pytest.mark.parametrize("text", ["default", "pdf", "0", "a.b-c_d", "a" * 64])
def test_a_short_plain_word_is_a_name(text: str) -> None:
    assert parse_name(text, of="project") == text


@pytest.mark.parametrize("text", ["", "-a", ".", "..", "_a", "A", "a b", "a/b", "ä", "a\n", "a" * 65])
def test_what_is_not_safe_in_a_path_or_a_url_is_no_name(text: str) -> None:
    with pytest.raises(InvalidValue, match="is no name for a project"):
        parse_name(text, of="project")


def test_a_job_has_the_key_of_its_order() -> None:
    assert new_job("a").key == a_job("a").key == JobKey("default", "pdf", hash_of("a"))
