"""Settings out of all their sources."""

import os
from pathlib import Path

import pytest

from blobforge.config.catalog import by_name
from blobforge.config.load import ConfigFile, examine, load, shown
from blobforge.domain.errors import InvalidSettings


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "config" / "blobforge").mkdir(parents=True)
    return {"HOME": str(tmp_path / "ada"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.fixture
def project_file(tmp_path: Path) -> Path:
    return tmp_path / "blobforge.toml"


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "blobforge" / "config.toml"


def test_the_default_speaks_where_nobody_else_does(tmp_path: Path, environ: dict[str, str]) -> None:
    loaded = load(environ=environ, folder=tmp_path)

    assert loaded.settings.home.is_relative_to(tmp_path / "ada")
    assert loaded.settings.worker.lease_seconds == 180
    assert str(loaded.provenance["lease_seconds"]) == "default"
    assert str(loaded.provenance["home"]) == "default"
    assert loaded.warnings == ()


def test_flag_wins_over_environment_over_project_over_user(
    tmp_path: Path, environ: dict[str, str], project_file: Path, user_file: Path
) -> None:
    user_file.write_text('slots = 1\nproject = "a"\nmax_attempts = 1\nengine = "one"\n')
    project_file.write_text('slots = 2\nproject = "b"\nmax_attempts = 2\n')
    environ |= {"BLOBFORGE_SLOTS": "3", "BLOBFORGE_PROJECT": "c"}

    loaded = load({"slots": 4, "project": None}, environ=environ, folder=tmp_path)

    assert (loaded.settings.worker.slots, str(loaded.provenance["slots"])) == (4, "flag --slots")
    assert (loaded.settings.project, str(loaded.provenance["project"])) == ("c", "environment BLOBFORGE_PROJECT")
    assert loaded.settings.retry.max_attempts == 2
    assert str(loaded.provenance["max_attempts"]) == f"file {project_file}"
    assert (loaded.settings.conversion.engine, str(loaded.provenance["engine"])) == ("one", f"file {user_file}")


def test_an_alias_in_the_environment_wins_over_the_name_in_a_file(
    tmp_path: Path, environ: dict[str, str], project_file: Path
) -> None:
    project_file.write_text("max_attempts = 2\n")

    loaded = load(environ=environ | {"BLOBFORGE_MAX_RETRIES": "5"}, folder=tmp_path)

    assert loaded.settings.retry.max_attempts == 5


def test_the_files_that_were_looked_for_are_named(
    tmp_path: Path, environ: dict[str, str], project_file: Path, user_file: Path
) -> None:
    project_file.write_text("")

    loaded = load(environ=environ, folder=tmp_path)

    assert loaded.files == (ConfigFile(project_file, True), ConfigFile(user_file, False))


def test_the_process_environment_and_folder_are_used_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project_file: Path
) -> None:
    project_file.write_text("slots = 7\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("BLOBFORGE_PROJECT", "from-environment")

    settings = load().settings

    assert (settings.worker.slots, settings.project) == (7, "from-environment")


def test_the_queue_follows_a_home_that_is_set(tmp_path: Path, environ: dict[str, str]) -> None:
    settings = load(environ=environ | {"BLOBFORGE_HOME": "/srv/forge"}, folder=tmp_path).settings

    assert settings.queue == "sqlite:////srv/forge/queue.db"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("BLOBFORGE_SLOTS", "zero", "'zero' is no value for slots; expected a whole number from 1 to 1000"),
        ("BLOBFORGE_SLOTS", "0", "'0' is no value for slots; expected a whole number from 1 to 1000"),
        ("BLOBFORGE_SLOTS", "9" * 20, f"{'9' * 20!r} is no value for slots; expected a whole number from 1 to 1000"),
        ("BLOBFORGE_LEASE_SECONDS", "nan", "'nan' is no value for lease_seconds; expected a number of seconds above 0"),
        ("BLOBFORGE_LEASE_SECONDS", "3m", "'3m' is no value for lease_seconds; expected a number of seconds above 0"),
        (
            "BLOBFORGE_MAX_RETRIES",
            "-1",
            "'-1' is no value for max_attempts; expected a whole number from 1 to 1000000",
        ),
        ("BLOBFORGE_ON_TERM", "stop", "'stop' is no value for on_term; expected release or finish"),
        ("BLOBFORGE_LOG_LEVEL", "loud", "'loud' is no value for log_level; expected DEBUG, INFO, WARNING or ERROR"),
        ("BLOBFORGE_STRICT", "perhaps", "'perhaps' is no value for strict; expected 1 or 0, true or false, yes or no"),
        ("BLOBFORGE_PROJECT", "A B", "'A B' is no value for project; expected up to 64 lower-case letters"),
        ("BLOBFORGE_QUEUE", "q.db", "'q.db' is no value for queue; expected a URL such as sqlite:///"),
        ("BLOBFORGE_WORKER_ID", "a b", "'a b' is no value for worker_id; expected 'auto', or up to 128 letters"),
        (
            "BLOBFORGE_OCR_LANGUAGES",
            "eng deu",
            "'eng deu' is no value for ocr_languages; expected 'auto', or Tesseract's",
        ),
    ],
)
def test_a_bad_value_is_named_with_its_variable_and_what_was_expected(
    tmp_path: Path, environ: dict[str, str], name: str, value: str, told: str
) -> None:
    with pytest.raises(InvalidSettings) as caught:
        load(environ=environ | {name: value}, folder=tmp_path)

    assert str(caught.value).startswith(f"environment {name}: {told}")


def test_a_bad_value_in_a_file_is_named_with_the_file(
    tmp_path: Path, environ: dict[str, str], project_file: Path
) -> None:
    project_file.write_text("slots = [1, 2]\n")

    with pytest.raises(InvalidSettings) as caught:
        load(environ=environ, folder=tmp_path)

    expected = f"file {project_file}: [1, 2] is no value for slots; expected a whole number from 1 to 1000"
    assert str(caught.value) == expected


def test_a_bad_value_of_a_flag_is_named_with_the_flag(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(InvalidSettings, match=r"^flag --slots: -2 is no value for slots"):
        load({"slots": -2}, environ=environ, folder=tmp_path)


def test_a_very_long_value_is_cut(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(InvalidSettings) as caught:
        load(environ=environ | {"BLOBFORGE_SLOTS": "9" * 5000 + "x"}, folder=tmp_path)

    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("url", ["postgres//ada:hunter2@host/db", "ada:hunter2@host"])
def test_a_password_in_a_bad_url_is_not_told(tmp_path: Path, environ: dict[str, str], url: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        load(environ=environ | {"BLOBFORGE_QUEUE": url}, folder=tmp_path)

    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BLOBFORGE_QUEUE", "host=127.0.0.1 port=1 password=hunter2"),
        ("BLOBFORGE_LOG_LEVEL", "postgresql://alice:hunter2@db/jobs"),
        ("BLOBFORGE_SLOTS", "host=db password=hunter2"),
    ],
)
def test_a_password_in_the_wrong_form_or_the_wrong_variable_is_not_told(
    tmp_path: Path, environ: dict[str, str], name: str, value: str
) -> None:
    with pytest.raises(InvalidSettings, match=rf"environment {name}: .*\*\*\*.* is no value for") as caught:
        load(environ=environ | {name: value}, folder=tmp_path)

    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("value", ["1234567890123", '["hunter2"]', "1979-05-27", "{ key = 'hunter2' }"])
def test_nothing_is_told_of_the_value_of_a_secret_that_is_no_text(
    tmp_path: Path, environ: dict[str, str], project_file: Path, value: str
) -> None:
    project_file.write_text(f"s3_secret_access_key = {value}\n")

    with pytest.raises(InvalidSettings) as caught:
        load(environ=environ, folder=tmp_path)

    assert str(caught.value).startswith(f"file {project_file}: *** is no value for s3_secret_access_key; expected")


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path, environ: dict[str, str]) -> None:
    bad = {"BLOBFORGE_SLOTS": "zero", "BLOBFORGE_SERVER_URL": "x", "BLOBFORGE_QUEUEE": "x"}

    with pytest.raises(InvalidSettings) as caught:
        load(environ=environ | bad, folder=tmp_path)

    assert all(name in str(caught.value) for name in bad)
    assert str(caught.value).startswith("(1) environment BLOBFORGE_SERVER_URL")


def test_a_bad_home_is_told_once_and_not_for_the_queue_that_follows_it(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "blobforge.toml").write_text("home = 5\n")

    examined = examine(environ=environ, folder=tmp_path)

    (refusal,) = examined.refused
    assert "5 is no value for home; expected the path of a folder" in refusal


def test_a_bad_lease_is_told_once_and_not_for_the_heartbeat_that_follows_it(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    examined = examine(environ=environ | {"BLOBFORGE_LEASE_SECONDS": "x"}, folder=tmp_path)

    assert len(examined.refused) == 1


def test_values_that_do_not_go_together_are_told_with_their_origins(tmp_path: Path, environ: dict[str, str]) -> None:
    environ |= {"BLOBFORGE_LEASE_SECONDS": "30", "BLOBFORGE_HEARTBEAT_INTERVAL": "60"}

    with pytest.raises(InvalidSettings) as caught:
        load(environ=environ, folder=tmp_path)

    assert str(caught.value) == (
        "heartbeat_seconds (60) must be less than lease_seconds (30), or the lease ends before it is renewed "
        "(lease_seconds is from environment BLOBFORGE_LEASE_SECONDS, "
        "heartbeat_seconds is from environment BLOBFORGE_HEARTBEAT_INTERVAL)"
    )


def test_a_home_whose_name_no_address_can_hold_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    """The address of the queue in it is kept in the queue itself, as text."""
    home = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")

    with pytest.raises(InvalidSettings, match="is no value for home; expected the path of a folder, in UTF-8"):
        load(environ=environ | {"BLOBFORGE_HOME": home}, folder=tmp_path)


def test_without_any_home_the_error_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("no entry")

    monkeypatch.setattr(Path, "home", no_home)

    with pytest.raises(InvalidSettings, match=r"^home: no home folder is known; set BLOBFORGE_HOME$"):
        load(environ={}, folder=tmp_path)


def test_an_unknown_name_is_a_warning(tmp_path: Path, environ: dict[str, str]) -> None:
    loaded = load(environ=environ | {"BLOBFORGE_QUEUEE": "x"}, folder=tmp_path)

    assert loaded.warnings == ("environment BLOBFORGE_QUEUEE: no such setting; did you mean BLOBFORGE_QUEUE?",)


@pytest.mark.parametrize("strict", ["1", "true", "YES"])
def test_strict_settings_refuse_an_unknown_name(tmp_path: Path, environ: dict[str, str], strict: str) -> None:
    environ |= {"BLOBFORGE_STRICT": strict, "BLOBFORGE_QUEUEE": "x"}

    with pytest.raises(InvalidSettings, match="BLOBFORGE_QUEUEE: no such setting"):
        load(environ=environ, folder=tmp_path)


def test_strict_settings_refuse_a_name_that_waits_for_its_part(tmp_path: Path, environ: dict[str, str]) -> None:
    environ |= {"BLOBFORGE_STRICT": "1", "BLOBFORGE_OIDC_ISSUER": "x"}

    with pytest.raises(InvalidSettings, match="BLOBFORGE_OIDC_ISSUER: this version has no server with sign-in yet"):
        load(environ=environ, folder=tmp_path)


def test_a_file_may_ask_for_strictness(tmp_path: Path, environ: dict[str, str], project_file: Path) -> None:
    project_file.write_text("strict = true\nslotz = 4\n")

    with pytest.raises(InvalidSettings, match="no such setting as slotz; did you mean slots"):
        load(environ=environ, folder=tmp_path)


def test_a_server_is_the_queue_of_its_clients(tmp_path: Path, environ: dict[str, str]) -> None:
    loaded = load(environ=environ | {"BLOBFORGE_SERVER_URL": "https://forge.example"}, folder=tmp_path)

    assert loaded.settings.queue == "https://forge.example"
    assert loaded.provenance["queue"].place == "BLOBFORGE_SERVER_URL"


def test_a_database_is_the_queue_of_a_server_and_a_bucket_its_store_alone(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    """R1-70, R1-71: and without the prefix that a queue in a bucket has."""
    loaded = load(
        environ=environ | {"BLOBFORGE_DB_PATH": "/data/forge.db", "BLOBFORGE_S3_BUCKET": "papers"}, folder=tmp_path
    )

    assert (loaded.settings.queue, loaded.settings.store) == ("sqlite:////data/forge.db", "s3://papers/")


def test_what_is_no_address_of_a_server_is_told_of_the_setting_itself(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(InvalidSettings, match="environment BLOBFORGE_SERVER_URL: 'x' is no value for server_url"):
        load(environ=environ | {"BLOBFORGE_SERVER_URL": "x"}, folder=tmp_path)


@pytest.mark.parametrize("url", ["http://localhost:99999", "http://localhost:80a0", "http://u:p@localhost:8080"])
def test_a_wrong_address_of_a_server_is_told_once(tmp_path: Path, environ: dict[str, str], url: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        load(environ=environ | {"BLOBFORGE_SERVER_URL": url}, folder=tmp_path)

    assert str(caught.value).count("BLOBFORGE_SERVER_URL") == 1
    assert "is no value for server_url; expected http:// or https://" in str(caught.value)


@pytest.mark.parametrize("level", ["info", "INFO", "Info"])
def test_the_level_may_be_written_in_any_case(tmp_path: Path, environ: dict[str, str], level: str) -> None:
    """R0-66."""
    assert load(environ=environ | {"BLOBFORGE_LOG_LEVEL": level}, folder=tmp_path).settings.log.level == "INFO"


def test_a_worker_named_auto_has_no_fixed_name(tmp_path: Path, environ: dict[str, str]) -> None:
    """R0-61."""
    assert load(environ=environ | {"BLOBFORGE_WORKER_ID": "auto"}, folder=tmp_path).settings.worker.id is None
    assert load(environ=environ | {"BLOBFORGE_WORKER_ID": "w-1"}, folder=tmp_path).settings.worker.id == "w-1"


def test_a_password_is_masked_when_a_url_is_shown() -> None:
    assert shown(by_name()["queue"], "postgresql://ada:p%40ss@host/db") == "postgresql://ada:***@host/db"
    assert shown(by_name()["queue"], "postgresql://ada:p@ss/word@host/db") == "postgresql://***"


def test_other_values_are_shown_as_they_are() -> None:
    assert shown(by_name()["worker_id"], "ada@host") == "ada@host"


def test_a_url_is_taken_as_it_is(tmp_path: Path, environ: dict[str, str]) -> None:
    url = "postgresql://ada:p%40ss@host:5432/jobs?sslmode=require"

    assert load(environ=environ | {"BLOBFORGE_QUEUE": url}, folder=tmp_path).settings.queue == url
