"""The list of settings: one name for each, everywhere."""

from pathlib import Path

import pytest

from blobforge.config.catalog import Setting, about_section, as_text, by_name, catalog
from blobforge.config.load import load
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings


def test_every_name_stands_for_one_setting() -> None:
    names = [name for setting in catalog() for name in (setting.environment, *setting.aliases)]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("setting", catalog(), ids=lambda setting: setting.name)
def test_every_setting_says_what_it_means_and_what_it_takes(setting: Setting) -> None:
    assert setting.meaning
    assert setting.expects
    assert setting.default
    assert about_section(setting.section)


@pytest.mark.parametrize(
    "setting", [each for each in catalog() if "number" in each.expects], ids=lambda each: each.name
)
def test_every_number_has_an_upper_bound(setting: Setting, tmp_path: Path) -> None:
    """What no machine has and no calendar holds is refused in words, before it is memory or a time."""
    with pytest.raises(InvalidSettings, match=f"is no value for {setting.name}"):
        load(environ={"HOME": str(tmp_path), setting.environment: "9" * 20}, folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "environment"),
    [
        ("home", "BLOBFORGE_HOME"),
        ("queue", "BLOBFORGE_QUEUE"),
        ("log_level", "BLOBFORGE_LOG_LEVEL"),
        ("lease_seconds", "BLOBFORGE_LEASE_SECONDS"),
        ("worker_id", "BLOBFORGE_WORKER_ID"),
        ("child_memory_mb", "BLOBFORGE_CHILD_MEMORY_MB"),
        ("retry_first_seconds", "BLOBFORGE_RETRY_FIRST_SECONDS"),
        ("conversion_timeout_seconds", "BLOBFORGE_CONVERSION_TIMEOUT_SECONDS"),
    ],
)
def test_the_variable_is_the_name_in_capitals(name: str, environment: str) -> None:
    assert by_name()[name].environment == environment


def test_the_flag_is_the_name_with_dashes() -> None:
    assert by_name()["lease_seconds"].flag == "--lease-seconds"


def test_or_what_the_commands_call_it() -> None:
    assert by_name()["ocr_languages"].flag == "--language"


def test_a_path_is_given_as_text(tmp_path: Path) -> None:
    assert by_name()["home"].value_in(Settings(home=tmp_path)) == str(tmp_path)


def test_a_setting_of_a_section_is_found_in_it(tmp_path: Path) -> None:
    assert by_name()["child_memory_mb"].value_in(Settings(home=tmp_path)) == 2048


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (180.0, "180"), (0.5, "0.5"), (3, "3"), ("eng", "eng")]
)
def test_values_are_written_as_a_person_would(value: object, text: str) -> None:
    assert as_text(value) == text
