"""Processors, queues and stores by name."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.cli.packages import WORKING, install

from blobforge import plugins
from blobforge.domain.errors import EngineUnavailable, InvalidSettings, UnknownProcessor
from blobforge.plugins import Group, Plugin

BROKEN = "raise OSError('libhorn.so: cannot open shared object file')\n"
HONEST = """
from blobforge.domain.errors import InvalidSettings


def __getattr__(name):
    raise InvalidSettings("this backend wants BLOBFORGE_LOFT")
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path, into which tests install packages before they look."""
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins._found.cache_clear()
    yield tmp_path
    plugins._found.cache_clear()


def test_the_built_in_ones_are_listed_without_being_imported() -> None:
    assert {"echo", "pdf_markdown"} <= set(plugins.names(Group.PROCESSORS))
    assert {"memory", "sqlite"} <= set(plugins.names(Group.QUEUES))
    assert {"file"} <= set(plugins.names(Group.STORES))


def test_a_plugin_names_its_package(installed: Path) -> None:
    install(
        installed,
        "loud-texts",
        entry_points="[blobforge.processors]\nupper = plugin_loud:Upper\n",
        modules={"plugin_loud": WORKING},
        version="3.4",
    )

    (upper,) = [plugin for plugin in plugins.plugins(Group.PROCESSORS) if plugin.name == "upper"]

    assert (upper.package, upper.package_version) == ("loud-texts", "3.4")


def test_a_processor_is_loaded_by_its_name(installed: Path) -> None:
    install(
        installed,
        "loud-texts",
        entry_points="[blobforge.processors]\nupper = plugin_upper:Upper\n",
        modules={"plugin_upper": WORKING},
    )

    assert plugins.load_processor("upper").info.types == ("shout", "text")


def test_a_queue_is_loaded_by_the_scheme_of_its_url() -> None:
    from blobforge.ports.queue_backend import OpenedQueue, QueueOptions

    opened = plugins.load_queue("MEMORY://").open("memory://", QueueOptions())

    assert isinstance(opened, OpenedQueue)


@pytest.mark.parametrize(
    ("group", "load", "kind"),
    [("queues", plugins.load_queue, "QueueBackend"), ("stores", plugins.load_store, "StoreBackend")],
)
def test_what_is_no_backend_is_told_by_its_package(
    installed: Path, group: str, load: Callable[[str], object], kind: str
) -> None:
    install(
        installed,
        "pigeons",
        entry_points=f"[blobforge.{group}]\npigeon = plugin_{group}:open_it\n",
        modules={f"plugin_{group}": "def open_it(url, options):\n    return None\n"},
    )

    with pytest.raises(InvalidSettings, match=f"'pigeon' of package pigeons is no {kind}$"):
        load("pigeon://loft")


def test_the_list_is_made_once(installed: Path) -> None:
    before = plugins.plugins(Group.STORES)

    install(installed, "late", entry_points="[blobforge.stores]\nlate = late:open\n", modules={})

    assert plugins.plugins(Group.STORES) is before


def test_an_unknown_processor_is_told_with_the_known_and_the_nearest() -> None:
    with pytest.raises(UnknownProcessor) as caught:
        plugins.load_processor("pdf_markdwn")

    assert str(caught.value).startswith("no processor 'pdf_markdwn' is installed: there are echo, ")
    assert str(caught.value).endswith("; did you mean 'pdf_markdown'?")


@pytest.mark.parametrize(("group", "kind"), [(Group.QUEUES, "queue backend"), (Group.STORES, "store backend")])
def test_an_unknown_backend_is_a_matter_of_settings(group: Group, kind: str) -> None:
    with pytest.raises(InvalidSettings, match=f"^no {kind} 'xyzzy' is installed: there are"):
        plugins.load(group, "xyzzy")


def test_an_import_that_fails_names_the_package_and_spares_the_others(installed: Path) -> None:
    install(
        installed,
        "broken-horn",
        entry_points="[blobforge.processors]\nhorn = plugin_broken:Horn\n",
        modules={"plugin_broken": BROKEN},
    )

    with pytest.raises(EngineUnavailable) as caught:
        plugins.load(Group.PROCESSORS, "horn")

    assert str(caught.value) == (
        "processor 'horn' of package broken-horn 1.0 does not work: OSError: libhorn.so: cannot open shared object file"
    )
    assert "echo" in plugins.names(Group.PROCESSORS)


def test_what_is_no_processor_is_found_out_when_it_is_loaded(installed: Path) -> None:
    install(
        installed,
        "odd",
        entry_points="[blobforge.processors]\nodd = plugin_odd:Odd\n",
        modules={"plugin_odd": "class Odd:\n    pass\n"},
    )

    with pytest.raises(EngineUnavailable, match=r"'odd' of package odd 1\.0 does not work: AttributeError"):
        plugins.load_processor("odd")


def test_a_deliberate_error_of_a_plugin_is_left_as_it_is(installed: Path) -> None:
    install(
        installed,
        "pigeons",
        entry_points="[blobforge.queues]\npigeon = plugin_honest:open_queue\n",
        modules={"plugin_honest": HONEST},
    )

    with pytest.raises(InvalidSettings, match=r"^this backend wants BLOBFORGE_LOFT"):
        plugins.load(Group.QUEUES, "pigeon")


def test_two_packages_that_share_a_name_are_both_listed_and_neither_is_guessed(installed: Path) -> None:
    for package in ("horn-one", "horn-two"):
        install(
            installed,
            package,
            entry_points=f"[blobforge.processors]\nhorn = {package.replace('-', '_')}:Horn\n",
            modules={},
        )

    assert [plugin.package for plugin in plugins.plugins(Group.PROCESSORS) if plugin.name == "horn"] == [
        "horn-one",
        "horn-two",
    ]
    assert plugins.names(Group.PROCESSORS).count("horn") == 1
    with pytest.raises(UnknownProcessor, match=r"is in several packages \(horn-one, horn-two\): uninstall all but one"):
        plugins.load_processor("horn")


def test_a_package_that_is_on_the_path_twice_counts_once(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (installed / "one", installed / "two"):
        install(folder, "twin", entry_points="[blobforge.stores]\ntwin = twin:open\n", modules={})
        monkeypatch.syspath_prepend(str(folder))

    assert [plugin.name for plugin in plugins.plugins(Group.STORES)].count("twin") == 1


def test_an_entry_point_without_a_package_is_still_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint, EntryPoints

    orphan = EntryPoint(name="orphan", value="orphan:open", group=Group.STORES)
    monkeypatch.setattr(plugins, "entry_points", lambda group: EntryPoints([orphan]))

    assert plugins.plugins(Group.STORES) == (Plugin("orphan", "unknown package", "", orphan),)
