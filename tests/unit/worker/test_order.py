"""What a job's record says about how it wants to be done."""

from pathlib import Path

import pytest

from blobforge.domain.errors import SourceUnreadable
from blobforge.testing.builders import a_job
from blobforge.worker.order import Order, order_of


def test_an_order_comes_back_from_the_metadata_as_it_was() -> None:
    order = Order(options={"engine": "liteparse", "pages": "1-20"}, password_file="/run/password")

    assert order_of(a_job(metadata=order.as_metadata())) == order


def test_an_order_without_a_password_file_says_nothing_of_one() -> None:
    assert Order(options={"a": 1}).as_metadata() == '{"options":{"a":1}}'


@pytest.mark.parametrize(
    "metadata",
    ["", "no json", "[]", "null", "7", "{}", '{"options": 7, "password_file": []}', '{"other": 1}', "[" * 100_000],
)
def test_what_others_wrote_into_the_metadata_is_passed_over(metadata: str) -> None:
    assert order_of(a_job(metadata=metadata)) == Order()


def test_the_password_is_the_files_first_lines_without_their_end(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_bytes("öpen sesame \r\n".encode())

    assert Order(password_file=str(path)).secrets() == {"password": "öpen sesame "}
    assert Order().secrets() == {}


def test_a_password_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "password"

    with pytest.raises(SourceUnreadable, match=r"password file .*password cannot be read: .*No such file"):
        Order(password_file=str(path)).secrets()


def test_a_password_file_that_is_no_text_is_named_and_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_bytes(b"sesame \xff")

    with pytest.raises(SourceUnreadable) as error:
        Order(password_file=str(path)).secrets()

    assert "sesame" not in str(error.value)
