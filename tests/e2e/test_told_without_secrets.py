"""Passwords in addresses, well written or not: none of the commands prints them."""

import pytest
from tests.e2e.program import Blobforge
from tests.postgres import Server

UNREADABLE = [
    "postgresql://alice:hunt@x/er2@127.0.0.1:1/jobs",
    "postgresql://alice:hunt@er2%2Fw%3Ard@127.0.0.1:1/jobs",
    "postgresql://alice:hunt[er2@127.0.0.1:1/jobs",
    "postgresql://alice:hunt]er2@127.0.0.1:1/jobs",
]


@pytest.mark.parametrize(
    "queue",
    [
        "postgresql://alice:hunt@er2@127.0.0.1:1/jobs",
        "postgresql://alice:hunt er2@127.0.0.1:1/jobs",
        "postgresql://127.0.0.1:1/jobs?user=alice&password=hunter2",
        "sqlite://alice:hunter2@host/queue.db",
        "s3://alice:hunter2@bucket/x",
        "postgresql:/alice:hunter2@127.0.0.1:1/jobs",
        "postgresql:///alice:hunter2@127.0.0.1:1/jobs",
        "postgresql://alice:hunter2",
        "postgresql://127.0.0.1:1/jobs?user=alice&password=hunt&er2",
        "postgresql://127.0.0.1:1/jobs?sslpassword=hunt;er2",
        *UNREADABLE,
    ],
)
@pytest.mark.parametrize("command", ["status", "config show", "config check", "doctor"])
def test_no_part_of_a_password_is_printed(command: str, queue: str, blobforge: Blobforge) -> None:
    done = blobforge.call(*command.split(), BLOBFORGE_QUEUE=queue)

    assert done.output, "something is said"
    assert "hunt" not in done.output
    assert "er2" not in done.output


@pytest.mark.parametrize("queue", UNREADABLE)
@pytest.mark.parametrize("command", ["status", "config check", "config show", "doctor", "worker --drain", "plan"])
def test_an_unreadable_queue_is_refused_by_its_setting(command: str, queue: str, blobforge: Blobforge) -> None:
    done = blobforge.call(*command.split(), BLOBFORGE_QUEUE=queue)

    assert done.exit_code == 2, done.output
    assert "BLOBFORGE_QUEUE" in done.output
    assert "percent-encoded" in done.output


def test_a_password_among_the_parameters_is_masked_where_the_server_refuses_it(
    blobforge: Blobforge, postgres_server: Server
) -> None:
    """What the driver makes of a URL masks only the password before the host."""
    queue = f"{postgres_server.new_database()}&password=hunter2&user=nobody"

    done = blobforge.call("status", BLOBFORGE_QUEUE=queue)

    assert (done.exit_code, '"nobody" does not exist' in done.output) == (2, True), done.output
    assert "hunter2" not in done.output


@pytest.mark.parametrize(
    ("variable", "url"),
    [
        ("BLOBFORGE_QUEUE", "sqlite://relative.db"),
        ("BLOBFORGE_QUEUE", "postgresql://db:port/jobs"),
        ("BLOBFORGE_QUEUE", "s3:///prefix"),
        ("BLOBFORGE_STORE", "file://folder"),
        ("BLOBFORGE_STORE", "s3://bucket?x=y"),
    ],
)
def test_config_check_refuses_what_cannot_be_opened(variable: str, url: str, blobforge: Blobforge) -> None:
    checked = blobforge.call("config", "check", **{variable: url})
    opened = blobforge.call("gc", "--dry-run", **{variable: url})

    assert (checked.exit_code, opened.exit_code) == (2, 2), checked.output + opened.output
    assert variable in checked.output
