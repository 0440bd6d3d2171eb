"""Whose project is meant where the settings say none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server_scene import ACTOR, Scene, scene_in

from blobforge import wiring
from blobforge.config.load import load
from blobforge.config.settings import Settings
from blobforge.domain.errors import NotSignedIn


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path) as scene:
        yield scene


def settings_of(scene: Scene, folder: Path, project: str | None, **more: str) -> Settings:
    secret = scene.accounts.create_worker("rack4", actor=ACTOR, project=project).secret.text
    environ = {
        "BLOBFORGE_HOME": str(folder / "home"),
        "BLOBFORGE_SERVER_URL": scene.url,
        "BLOBFORGE_WORKER_ID": "rack4",
        "BLOBFORGE_WORKER_SECRET": secret,
        **more,
    }
    return load(environ=environ, folder=folder).settings


@pytest.mark.parametrize(("of_worker", "meant"), [("books", "books"), (None, "default")])
def test_a_worker_with_three_variables_works_for_the_project_of_its_account(
    scene: Scene, tmp_path: Path, of_worker: str | None, meant: str
) -> None:
    settings = wiring.with_own_project(settings_of(scene, tmp_path, of_worker))

    assert settings.project == meant
    # It was said by now, so that nobody asks again.
    assert wiring.with_own_project(settings) is settings


def test_a_project_that_was_said_is_meant_and_nobody_is_asked(scene: Scene, tmp_path: Path) -> None:
    settings = settings_of(scene, tmp_path, "books", BLOBFORGE_PROJECT="default", BLOBFORGE_WORKER_ID="nobody")

    assert wiring.with_own_project(settings).project == "default"


def test_a_queue_of_this_machine_is_asked_nothing(tmp_path: Path) -> None:
    settings = load(environ={"BLOBFORGE_HOME": str(tmp_path / "home")}, folder=tmp_path).settings

    assert wiring.with_own_project(settings) is settings
    assert not (tmp_path / "home").exists()


def test_a_secret_that_does_not_count_is_told_at_once(scene: Scene, tmp_path: Path) -> None:
    settings = settings_of(scene, tmp_path, "books", BLOBFORGE_WORKER_ID="nobody")

    with pytest.raises(NotSignedIn, match="nobody"):
        wiring.with_own_project(settings)
