"""Engines of other packages, by their entry points."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.cli.packages import install

from blobforge import plugins
from blobforge.domain.errors import EngineUnavailable, InvalidOptions
from blobforge.plugins import Group
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.options import parse_options
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor

ENGINE = """
from blobforge.ports.engine import EngineInfo


class Brass:
    info = EngineInfo(distribution={distribution!r}, install="pip install brass", own_version={own!r})
"""


@pytest.fixture(autouse=True)
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    _forget()
    yield tmp_path
    _forget()


def _forget() -> None:
    plugins._found.cache_clear()
    registry.engine_version.cache_clear()


def brass(packages: Path, module: str, *, distribution: str = "brass", own: str = "", code: str = ENGINE) -> None:
    text = code.format(distribution=distribution, own=own) if code is ENGINE else code
    entry_points = f"[blobforge.engines]\nbrass = {module}:Brass\n"
    install(packages, "brass", entry_points=entry_points, modules={module: text}, version="7.1")


def test_an_engine_of_another_package_is_asked_for_by_its_name(packages: Path) -> None:
    brass(packages, "brass_plain")

    recipe = PdfMarkdownProcessor().recipe({"engine": "brass"})

    assert (recipe.engine, recipe.engine_version) == ("brass", "7.1")
    assert PdfMarkdownProcessor().needs({"engine": "brass"}) == {"engine:brass"}
    assert "engine:brass" in PdfMarkdownProcessor().has()


def test_what_it_adds_to_its_package_has_a_version_of_its_own(packages: Path) -> None:
    brass(packages, "brass_own", own="3")

    assert registry.engine_version("brass") == "3 on brass 7.1"


def test_one_whose_package_is_missing_is_told_with_its_own_command(packages: Path) -> None:
    brass(packages, "brass_gone", distribution="brass-weights")

    with pytest.raises(EngineUnavailable, match=r"its package is brass-weights; .*pip.* install brass$"):
        registry.engine_version("brass")
    assert "brass" not in registry.installed()


@pytest.mark.parametrize(
    ("module", "code", "said"),
    [
        ("brass_broken", "raise OSError('no valves')", "OSError: no valves"),
        ("brass_odd", "class Brass:\n    pass\n", "AttributeError"),
        ("brass_vague", "class Brass:\n    info = 'brass'\n", "TypeError: its info is no EngineInfo"),
    ],
)
def test_one_that_does_not_work_names_its_package_and_spares_the_others(
    packages: Path, module: str, code: str, said: str
) -> None:
    brass(packages, module, code=code)

    with pytest.raises(EngineUnavailable, match=rf"engine 'brass' of package brass 7\.1 does not work: {said}"):
        registry.engine_version("brass")
    assert registry.OURS in registry.installed()


def test_only_an_engine_that_explains_is_asked_to(packages: Path) -> None:
    brass(packages, "brass_dumb")

    with pytest.raises(InvalidOptions, match="the engine brass does not tell what it saw"):
        parse_options({"engine": "brass", "explain": True})


def test_the_default_is_found_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(group: str) -> None:
        raise AssertionError(f"{group} was searched")

    monkeypatch.setattr(plugins, "entry_points", searched)

    assert parse_options({"engine": registry.OURS}).engine == registry.OURS
    assert registry.engine_class(registry.OURS).info is registry.info_of(registry.OURS)
    assert registry.engine_version(registry.OURS)


def test_ours_is_listed_like_anyone_s() -> None:
    assert registry.names() == plugins.names(Group.ENGINES)
    assert plugins.load_engine(registry.OURS) is registry.engine_class(registry.OURS)
