"""Configuration files as a source of settings."""

from pathlib import Path

import pytest

from blobforge.config.files import read_file
from blobforge.config.reading import Given, Layer, Provenance


def written(folder: Path, text: str) -> Path:
    path = folder / "blobforge.toml"
    path.write_text(text)
    return path


def test_a_file_sets_settings_by_their_names(tmp_path: Path) -> None:
    path = written(tmp_path, 'slots = 4\nproject = "papers"\n')

    provenance = Provenance(Layer.FILE, str(path))
    assert read_file(path).given == {"slots": Given(4, provenance), "project": Given("papers", provenance)}
    assert str(provenance) == f"file {path}"


def test_a_file_that_is_not_there_sets_nothing(tmp_path: Path) -> None:
    reading = read_file(tmp_path / "none.toml")

    assert (dict(reading.given), reading.doubts, reading.refused) == ({}, (), ())


def test_a_misspelt_key_gets_the_nearest_one(tmp_path: Path) -> None:
    path = written(tmp_path, "lease_secs = 4\n")

    assert read_file(path).doubts == (f"file {path}: no such setting as lease_secs; did you mean lease_seconds?",)


def test_a_table_is_explained(tmp_path: Path) -> None:
    path = written(tmp_path, "[worker]\nslots = 4\n")

    assert read_file(path).doubts == (
        f"file {path}: there are no tables such as [worker]; settings stand by themselves, as in slots = 4",
    )


def test_what_is_not_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    path = written(tmp_path, "slots = \n")

    (refusal,) = read_file(path).refused
    assert refusal.startswith(f"file {path}: this is not TOML: ")
    assert "line 1" in refusal


def test_what_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "blobforge.toml"
    path.write_bytes(b"\xff\xfe")

    (refusal,) = read_file(path).refused
    assert refusal.startswith(f"file {path}: cannot be read: ")


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    assert read_file(tmp_path).refused == (f"file {tmp_path}: cannot be read: Is a directory",)


def test_a_file_that_may_not_be_read_is_doubted_and_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: Path, encoding: str) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", forbidden)

    reading = read_file(tmp_path / "blobforge.toml")
    assert reading.refused == ()
    assert reading.doubts == (f"file {tmp_path / 'blobforge.toml'}: passed over, since it may not be read",)


def test_a_relative_home_is_meant_from_the_files_folder(tmp_path: Path) -> None:
    assert read_file(written(tmp_path, 'home = "data"')).given["home"].value == str(tmp_path / "data")
    assert read_file(written(tmp_path, 'home = "/data"')).given["home"].value == "/data"


def test_a_home_that_is_no_text_is_left_for_the_check_of_values(tmp_path: Path) -> None:
    assert read_file(written(tmp_path, "home = 5")).given["home"].value == 5
