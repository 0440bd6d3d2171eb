"""A bucket by its short name, and what a queue in a bucket means for other settings."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from blobforge.cli.main import cli
from blobforge.config.load import Loaded, examine, load
from blobforge.domain.errors import InvalidSettings


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def loaded(environ: dict[str, str], **variables: str) -> Loaded:
    given = {f"BLOBFORGE_{name}": value for name, value in variables.items()}
    return load(environ=environ | given, folder=Path(environ["HOME"]))


# The place


def test_a_bucket_alone_is_the_queue_and_the_store(environ: dict[str, str]) -> None:
    """R0-4, R0-59, R0-60."""
    result = loaded(environ, S3_BUCKET="papers")

    assert result.settings.queue == "s3://papers/pdf/"
    assert result.settings.store == "s3://papers/pdf/"
    assert str(result.provenance["queue"]) == "environment BLOBFORGE_S3_BUCKET"
    assert str(result.provenance["store"]) == "environment BLOBFORGE_S3_BUCKET"
    assert result.warnings == ()


@pytest.mark.parametrize(
    ("prefix", "url"),
    [
        ("books/", "s3://papers/books/"),
        ("books", "s3://papers/books/"),
        ("/a/b c/", "s3://papers/a/b%20c/"),
        ("/", "s3://papers/"),
        (" ", "s3://papers/pdf/"),
    ],
)
def test_a_prefix_says_where_in_the_bucket(environ: dict[str, str], prefix: str, url: str) -> None:
    """R0-60, R2-1."""
    assert loaded(environ, S3_BUCKET="papers", S3_PREFIX=prefix).settings.queue == url


@pytest.mark.parametrize("prefix", ["../x", "x/..", "a/./b", "."])
def test_a_prefix_that_would_lead_out_of_itself_is_refused(environ: dict[str, str], prefix: str) -> None:
    """Whoever sends such a key takes the dots away, and no store knows it then."""
    with pytest.raises(InvalidSettings, match=r"BLOBFORGE_S3_PREFIX: '.*' is no value for s3_prefix"):
        loaded(environ, S3_BUCKET="papers", S3_PREFIX=prefix)


def test_a_bucket_in_a_file_is_named_with_the_file(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "blobforge.toml").write_text('s3_bucket = "papers"\ns3_prefix = "x/"\n')

    result = loaded(environ)

    assert result.settings.queue == "s3://papers/x/"
    assert str(result.provenance["queue"]) == f"file {tmp_path / 'blobforge.toml'}"


def test_a_prefix_without_a_bucket_is_doubted(environ: dict[str, str]) -> None:
    result = loaded(environ, S3_PREFIX="x/")

    assert result.settings.queue.startswith("sqlite://")
    assert result.warnings == (
        "environment BLOBFORGE_S3_PREFIX: it has no effect without a bucket; set BLOBFORGE_S3_BUCKET",
    )


def test_what_is_no_bucket_is_told_once(environ: dict[str, str]) -> None:
    examined = examine(environ=environ | {"BLOBFORGE_S3_BUCKET": "a b"}, folder=Path(environ["HOME"]))

    (told,) = examined.refused
    assert told == (
        "environment BLOBFORGE_S3_BUCKET: 'a b' is no value for s3_bucket; "
        "expected the name of a bucket, such as my-documents"
    )


# Beside a queue or a store that is named


def test_a_queue_that_is_named_wins_over_the_bucket_and_says_so(environ: dict[str, str]) -> None:
    result = loaded(environ, S3_BUCKET="papers", QUEUE="s3://others/x")

    assert (result.settings.queue, result.settings.store) == ("s3://others/x", "s3://others/x")
    assert result.warnings == (
        "environment BLOBFORGE_S3_BUCKET: s3://others/x from environment BLOBFORGE_QUEUE is used and not this bucket",
    )


def test_a_queue_that_is_named_as_the_bucket_agrees_with_it(environ: dict[str, str]) -> None:
    assert loaded(environ, S3_BUCKET="papers", QUEUE="s3://papers/pdf").warnings == ()


def test_a_bucket_beside_another_kind_of_queue_is_the_store(environ: dict[str, str]) -> None:
    result = loaded(environ, S3_BUCKET="papers", QUEUE="sqlite:////srv/q.db")

    assert (result.settings.queue, result.settings.store) == ("sqlite:////srv/q.db", "s3://papers/pdf/")
    assert result.settings.worker.lease_seconds == 180
    assert result.warnings == ()


def test_a_bucket_beside_a_queue_and_a_store_has_no_effect_and_says_so(environ: dict[str, str]) -> None:
    result = loaded(environ, S3_BUCKET="papers", QUEUE="sqlite:////srv/q.db", STORE="file:///srv/blobs")

    assert result.settings.store == "file:///srv/blobs"
    assert result.warnings == (
        "environment BLOBFORGE_S3_BUCKET: it has no effect, since the queue and the store are named by themselves",
    )


def test_a_queue_in_a_bucket_keeps_its_documents_there(environ: dict[str, str]) -> None:
    result = loaded(environ, QUEUE="s3://papers/x")

    assert result.settings.store == "s3://papers/x"
    assert str(result.provenance["store"]) == "environment BLOBFORGE_QUEUE"


@pytest.mark.parametrize("variables", [{"QUEUE": "s3://papers/x"}, {"S3_BUCKET": "papers", "S3_PREFIX": "x"}])
@pytest.mark.parametrize("store", ["file:///srv/blobs", "s3://papers/y", "s3://others/x"])
def test_another_store_beside_a_queue_in_a_bucket_is_refused(
    environ: dict[str, str], variables: dict[str, str], store: str
) -> None:
    with pytest.raises(InvalidSettings, match=r"environment BLOBFORGE_STORE: a queue in a bucket keeps its documents"):
        loaded(environ, STORE=store, **variables)


def test_the_same_store_beside_a_queue_in_a_bucket_is_fine(environ: dict[str, str]) -> None:
    assert loaded(environ, QUEUE="s3://papers/x", STORE="s3://papers/x/").warnings == ()


# The lease


def test_a_queue_in_a_bucket_has_a_longer_lease_and_the_same_heartbeat(environ: dict[str, str]) -> None:
    """R0-54, R0-63, R0-64, R2-6."""
    result = loaded(environ, S3_BUCKET="papers", SLOTS="2")

    assert result.settings.worker.lease_seconds == 900
    assert result.settings.worker.heartbeat_seconds == 60
    assert str(result.provenance["lease_seconds"]) == "default"


def test_the_stale_timeout_is_another_name_of_the_lease(environ: dict[str, str]) -> None:
    """R0-64."""
    result = loaded(environ, S3_BUCKET="papers", STALE_TIMEOUT_MINUTES="7.5")

    assert result.settings.worker.lease_seconds == 450
    assert str(result.provenance["lease_seconds"]) == "environment BLOBFORGE_STALE_TIMEOUT_MINUTES"
    assert result.warnings == ()


def test_the_lease_wins_over_its_other_name_and_says_so(environ: dict[str, str]) -> None:
    same = loaded(environ, S3_BUCKET="papers", STALE_TIMEOUT_MINUTES="10", LEASE_SECONDS="600")
    other = loaded(environ, S3_BUCKET="papers", STALE_TIMEOUT_MINUTES="10", LEASE_SECONDS="300")

    assert same.warnings == ()
    assert other.settings.worker.lease_seconds == 300
    (told,) = other.warnings
    assert told == (
        "environment BLOBFORGE_STALE_TIMEOUT_MINUTES: it means the same as lease_seconds, which is used "
        "(environment BLOBFORGE_LEASE_SECONDS)"
    )


def test_the_stale_timeout_is_doubted_where_the_queue_is_in_no_bucket(environ: dict[str, str]) -> None:
    result = loaded(environ, STALE_TIMEOUT_MINUTES="10")

    assert result.settings.worker.lease_seconds == 180
    (told,) = result.warnings
    assert told == (
        "environment BLOBFORGE_STALE_TIMEOUT_MINUTES: it is for a queue in a bucket; here BLOBFORGE_LEASE_SECONDS "
        "says the same"
    )


def test_a_stale_timeout_that_is_no_number_is_told_once(environ: dict[str, str]) -> None:
    given = {"BLOBFORGE_S3_BUCKET": "papers", "BLOBFORGE_STALE_TIMEOUT_MINUTES": "soon"}

    examined = examine(environ=environ | given, folder=Path(environ["HOME"]))

    (told,) = examined.refused
    assert told == (
        "environment BLOBFORGE_STALE_TIMEOUT_MINUTES: 'soon' is no value for stale_timeout_minutes; "
        "expected a number of minutes above 0, and at most ten years"
    )


def test_config_show_tells_where_each_came_from(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"BLOBFORGE_S3_BUCKET": "papers", "BLOBFORGE_STALE_TIMEOUT_MINUTES": "20"}

    shown = CliRunner(env=environ | given).invoke(cli, ["config", "show", "--json"])

    rows = {row["name"]: (row["value"], row["place"]) for row in json.loads(shown.stdout)["settings"]}
    assert rows["queue"] == rows["store"] == ("s3://papers/pdf/", "BLOBFORGE_S3_BUCKET")
    assert rows["lease_seconds"] == (1200, "BLOBFORGE_STALE_TIMEOUT_MINUTES")
    assert rows["s3_prefix"] == ("pdf/", None)
