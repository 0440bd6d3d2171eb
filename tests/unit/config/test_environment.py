"""The environment as a source of settings."""

import pytest

from blobforge.config.environment import RESERVED, Reserved, read_environment
from blobforge.config.reading import Given, Layer, Provenance


def test_a_variable_sets_its_setting_and_is_remembered() -> None:
    reading = read_environment({"BLOBFORGE_SLOTS": "4"})

    assert reading.given == {"slots": Given("4", Provenance(Layer.ENVIRONMENT, "BLOBFORGE_SLOTS"))}
    assert str(reading.given["slots"].provenance) == "environment BLOBFORGE_SLOTS"
    assert reading.doubts == ()


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("BLOBFORGE_MAX_RETRIES", "max_attempts"),
        ("BLOBFORGE_HEARTBEAT_INTERVAL", "heartbeat_seconds"),
        ("BLOBFORGE_CONVERSION_TIMEOUT", "conversion_timeout_seconds"),
    ],
)
def test_an_alias_sets_the_same_setting_under_its_own_name(alias: str, name: str) -> None:
    reading = read_environment({alias: "5"})

    assert reading.given == {name: Given("5", Provenance(Layer.ENVIRONMENT, alias))}


def test_a_name_wins_over_its_alias_and_says_so() -> None:
    reading = read_environment({"BLOBFORGE_MAX_ATTEMPTS": "3", "BLOBFORGE_MAX_RETRIES": "5"})

    assert reading.given["max_attempts"].value == "3"
    (doubt,) = reading.doubts
    assert doubt == (
        "environment BLOBFORGE_MAX_RETRIES: it means the same as BLOBFORGE_MAX_ATTEMPTS, "
        "which is set to another value and is used"
    )


def test_a_name_and_its_alias_may_agree() -> None:
    reading = read_environment({"BLOBFORGE_MAX_ATTEMPTS": "3", "BLOBFORGE_MAX_RETRIES": "3"})

    assert reading.doubts == ()


@pytest.mark.parametrize("name", ["BLOBFORGE_QUEUE", "BLOBFORGE_QUEUEE", "BLOBFORGE_S3_BUCKET"])
def test_an_empty_variable_counts_as_unset(name: str) -> None:
    reading = read_environment({name: " "})

    assert (dict(reading.given), reading.doubts, reading.refused) == ({}, (), ())


def test_a_misspelt_name_gets_the_nearest_one() -> None:
    assert read_environment({"BLOBFORGE_QUEUEE": "x"}).doubts == (
        "environment BLOBFORGE_QUEUEE: no such setting; did you mean BLOBFORGE_QUEUE?",
    )


def test_a_name_that_is_near_nothing_gets_no_guess() -> None:
    assert read_environment({"BLOBFORGE_XYZZY_PLUGH": "x"}).doubts == (
        "environment BLOBFORGE_XYZZY_PLUGH: no such setting",
    )


def test_the_value_of_an_unknown_name_is_never_shown() -> None:
    reading = read_environment({"BLOBFORGE_PASSWORD": "hunter2", "BLOBFORGE_WORKER_SECRET": "hunter2"})

    assert "hunter2" not in str(reading.doubts)


def test_names_of_others_are_passed_over() -> None:
    reading = read_environment({"PATH": "/bin", "MY_BLOBFORGE_SLOTS": "4", "blobforge_slots": "4"})

    assert (dict(reading.given), reading.doubts) == ({}, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BLOBFORGE_PORT", "tcp://10.96.0.1:8080"),
        ("BLOBFORGE_PORT", "udp://10.96.0.1:8080"),
        ("BLOBFORGE_SERVICE_HOST", "10.96.0.1"),
        ("BLOBFORGE_SERVICE_PORT", "8080"),
        ("BLOBFORGE_SERVICE_PORT_HTTP", "8080"),
        ("BLOBFORGE_PORT_8080_TCP", "tcp://10.96.0.1:8080"),
        ("BLOBFORGE_PORT_8080_TCP_PROTO", "tcp"),
        ("BLOBFORGE_SERVER_SERVICE_HOST", "10.96.0.1"),
        ("BLOBFORGE_SERVER_PORT", "tcp://10.96.0.1:80"),
        ("BLOBFORGE_QUEUE_SERVICE_PORT", "5432"),
        ("BLOBFORGE_WORKER_PORT_8080_TCP_ADDR", "10.96.0.1"),
        ("BLOBFORGE_TEST_REQUIRE", "all"),
    ],
)
def test_what_kubernetes_and_test_runs_set_is_passed_over(name: str, value: str) -> None:
    reading = read_environment({name: value})

    assert (dict(reading.given), reading.doubts, reading.refused) == ({}, (), ())


@pytest.mark.parametrize("reserved", [name for name in RESERVED if not name.decides], ids=lambda name: name.name)
def test_a_name_that_waits_for_its_part_is_doubted(reserved: Reserved) -> None:
    reading = read_environment({reserved.name: "8080"})

    (doubt,) = reading.doubts
    assert doubt.startswith(f"environment {reserved.name}: this version has no {reserved.missing} yet")
    assert reading.refused == ()
