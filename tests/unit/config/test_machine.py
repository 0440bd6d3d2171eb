"""Where a user's files go, and how many cores may be used."""

import os
from pathlib import Path

import pytest

from blobforge.config.machine import data_folder, usable_cores, user_file


def limit(folder: Path, text: str) -> Path:
    path = folder / "cpu.max"
    path.write_text(text)
    return path


def test_a_container_that_pays_for_half_a_core_gets_one(tmp_path: Path) -> None:
    assert usable_cores(limit(tmp_path, "50000 100000\n")) == 1


def test_a_container_never_gets_more_cores_than_there_are(tmp_path: Path) -> None:
    assert usable_cores(limit(tmp_path, "100000000 100000\n")) == usable_cores(tmp_path / "no limit")


@pytest.mark.parametrize("text", ["max 100000\n", "", "nonsense", "1 0"])
def test_without_a_limit_all_usable_cores_count(tmp_path: Path, text: str) -> None:
    assert usable_cores(limit(tmp_path, text)) == usable_cores(tmp_path / "no limit")


def test_where_affinity_is_unknown_all_cores_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)

    assert usable_cores(tmp_path / "none") == 7


def test_data_goes_where_xdg_says() -> None:
    assert data_folder({"XDG_DATA_HOME": "/data", "HOME": "/home/ada"}) == Path("/data/blobforge")


def test_data_goes_into_the_users_share_folder_on_linux() -> None:
    assert data_folder({"HOME": "/home/ada"}, platform="linux") == Path("/home/ada/.local/share/blobforge")


def test_data_goes_into_application_support_on_macos() -> None:
    expected = Path("/Users/ada/Library/Application Support/blobforge")

    assert data_folder({"HOME": "/Users/ada"}, platform="darwin") == expected


def test_a_relative_xdg_folder_is_passed_over() -> None:
    assert data_folder({"XDG_DATA_HOME": "data", "HOME": "/home/ada"}, platform="linux") == Path(
        "/home/ada/.local/share/blobforge"
    )


def test_the_users_file_is_where_xdg_says() -> None:
    assert user_file({"XDG_CONFIG_HOME": "/conf"}) == Path("/conf/blobforge/config.toml")


def test_the_users_file_is_in_dot_config_elsewhere() -> None:
    assert user_file({"HOME": "/home/ada"}) == Path("/home/ada/.config/blobforge/config.toml")


def test_a_user_without_a_variable_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/looked-up"))

    assert user_file({}) == Path("/home/looked-up/.config/blobforge/config.toml")


def test_without_any_home_there_are_no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("no entry")

    monkeypatch.setattr(Path, "home", no_home)

    assert data_folder({}) is None
    assert user_file({}) is None
