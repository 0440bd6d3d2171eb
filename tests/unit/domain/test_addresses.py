"""Addresses without their secrets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blobforge.domain.addresses import has_dot_parts, is_readable, shown_address, shown_value

PASSWORD = "hunter2"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://alice:hunter2@db.example.org:5432/jobs", "postgresql://alice:***@db.example.org:5432/jobs"),
        ("postgresql://alice@db.example.org/jobs", "postgresql://alice@db.example.org/jobs"),
        ("postgresql://alice:hunt@er2@db/jobs", "postgresql://***"),
        ("postgresql://alice:hunt@er/2@db/jobs", "postgresql://***"),
        ("postgresql://alice:hunt/er2@db/jobs", "postgresql://***"),
        ("postgresql://alice:hunt?e#r2@db/jobs", "postgresql://***"),
        ("postgresql://alice:hunt[er2@db/jobs", "postgresql://***"),
        ("postgresql://alice:hunt[er]2@db/jobs", "postgresql://***"),
        ("postgresql://alice:hunter2", "postgresql://***"),
        ("postgresql://alice:123456789", "postgresql://***"),
        ("http://127.0.0.1:99999", "http://127.0.0.1:99999"),
        ("http://127.0.0.1:99999/a?password=hunter2", "http://127.0.0.1:99999/a?password=***"),
        ("postgresql://alice:hunter2@db:99999/jobs", "postgresql://alice:***@db:99999/jobs"),
        ("postgresql://alice:12345/67@db/jobs", "postgresql://***"),
        ("postgresql:///alice:hunter2@db/jobs", "postgresql://***"),
        ("postgresql://db:5432/jobs?password=hunt@er2", "postgresql://***"),
        ("postgresql://alice:hunt er2@db/jobs", "postgresql://***"),
        ("postgresql://alice:hunter2@[::1]:5432/jobs", "postgresql://alice:***@[::1]:5432/jobs"),
        ("postgresql://db/jobs?password=hunt;er2&x=1", "postgresql://db/jobs?password=***&x=1"),
        ("postgresql://db/jobs?password=hunt&er2&x=1", "postgresql://db/jobs?password=***&x=1"),
        ("postgresql://db/jobs?scram_client_key=hunter2", "postgresql://db/jobs?scram_client_key=***"),
        ("postgresql://db/jobs?passfile=/srv/pgpass", "postgresql://db/jobs?passfile=/srv/pgpass"),
        ("postgresql://db/jobs?user=a&password=hunter2", "postgresql://db/jobs?user=a&password=***"),
        ("postgresql://db/jobs?sslpassword=hunter2&x=1", "postgresql://db/jobs?sslpassword=***&x=1"),
        ("https://hunter2@example.org/rules.git", "https://***@example.org/rules.git"),
        ("https://hunter2@example.org/a@b", "https://***@example.org/a@b"),
        ("https://:hunter2@example.org/x", "https://:***@example.org/x"),
        ("http://127.0.0.1:8333", "http://127.0.0.1:8333"),
        ("https://example.org/a@b", "https://example.org/a@b"),
        ("git@example.org:games/rules.git", "git@example.org:games/rules.git"),
        ("postgresql:/alice:hunter2@db/jobs", "***"),
        ("alice:hunter2@db", "***"),
        ("host=db port=5432 password=hunter2", "host=db port=5432 password=***"),
        ("host=db password = 'hunt er2' port=1", "host=db password = ***"),
        ("host=db sslpassword=hunter2", "host=db sslpassword=***"),
        ("password=hunt@er2 host=db", "***"),
        ("sqlite:////srv/queue.db", "sqlite:////srv/queue.db"),
        ("sqlite:////srv/a [1]/queue.db", "sqlite:////srv/a [1]/queue.db"),
        ("s3://bucket/prefix", "s3://bucket/prefix"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert shown_address(address) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("INFO", "INFO"),
        ("/home/alice@work/blobs", "/home/alice@work/blobs"),
        ("22:00-06:00,12:00-13:00", "22:00-06:00,12:00-13:00"),
        ("postgresql://alice:hunter2@db/jobs", "postgresql://alice:***@db/jobs"),
        ("['postgresql://alice:hunter2@db/jobs']", "***"),
        ("alice:hunter2@db", "***"),
        ("host=db password=hunter2", "host=db password=***"),
        ("{'password': 'hunter2'}", "{'password': ***"),
    ],
)
def test_an_address_in_the_wrong_place_is_shown_without_its_password_too(text: str, shown: str) -> None:
    assert shown_value(text) == shown


@given(st.text(), st.text(), st.sampled_from(["password=", "host=h password = ", "sslpassword='", "a=b\npassword="]))
def test_no_password_among_keywords_is_shown(before: str, behind: str, keyword: str) -> None:
    text = f"{keyword}{before}{PASSWORD}{behind}"

    assert PASSWORD not in shown_address(text)
    assert PASSWORD not in shown_value(text)


@given(st.text(), st.text(), st.sampled_from(["postgresql", "https", "s3", "x"]))
def test_no_password_is_shown_whatever_stands_around_it(before: str, behind: str, scheme: str) -> None:
    address = f"{scheme}://alice:{before}{PASSWORD}{behind.replace('@', '')}@host/x"

    assert PASSWORD not in shown_address(address)


@given(st.text().filter(lambda text: "&" not in text), st.text(), st.sampled_from(["", "alice@", "alice:x@"]))
def test_no_password_among_the_parameters_is_shown(before: str, behind: str, user: str) -> None:
    address = f"postgresql://{user}db:5432/jobs?password={before}{PASSWORD}{behind}"

    assert PASSWORD not in shown_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://alice:hunt%40e%2Fr%5B2@db:5432/jobs?sslmode=require",
        "postgresql://postgres:@/jobs?host=%2Frun%2Fpostgresql",
        "postgresql:///jobs",
        "postgresql://alice@[::1]/jobs",
        "sqlite:////srv/a@b:[1]/queue.db",
        "file:///srv/c:d@e",
        "s3://bucket/a@b",
        "memory://",
    ],
)
def test_a_well_written_address_is_readable(address: str) -> None:
    assert is_readable(address)


def test_what_has_no_scheme_is_no_address() -> None:
    assert not is_readable("127.0.0.1:5432")


@pytest.mark.parametrize(
    ("path", "has"), [("../x", True), ("a/./b", True), ("a/..", True), ("a/.b/c..", False), ("", False)]
)
def test_a_path_with_dot_parts_names_another_place(path: str, has: bool) -> None:
    assert has_dot_parts(path) is has
